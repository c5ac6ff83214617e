import type { Pod } from '../../api/kinds/pod.ts'
import type { PodTemplateSpec } from '../../api/kinds/stateful-set.ts'
import type { KubeObject } from '../../api/object.ts'
import { ownerReferenceTo } from '../../api/owner-references.ts'

// What the server appends to a generateName, subtracted from the longest name of a pod.
const LONGEST_PREFIX = 248

/** A pod as the template describes it, controlled by the owner. The caller gives it a name, or `generateName`. */
export function podFromTemplate(template: PodTemplateSpec, owner: KubeObject): Pod {
  const { labels = {}, annotations, finalizers } = template.metadata ?? {}
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      namespace: owner.metadata.namespace ?? '',
      labels: { ...labels },
      ...(annotations ? { annotations } : {}),
      ...(finalizers ? { finalizers } : {}),
      ownerReferences: [ownerReferenceTo(owner, { controller: true, blockOwnerDeletion: true })],
    },
    spec: template.spec,
  }
}

/** For pods whose names do not matter. */
export const podNamePrefix = (owner: KubeObject, end = '-'): string =>
  `${(owner.metadata.name ?? '').slice(0, LONGEST_PREFIX - end.length)}${end}`
