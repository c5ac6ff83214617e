import type { DaemonSet } from '../../../api/kinds/daemon-set.ts'
import type { Node } from '../../../api/kinds/node.ts'
import type { Affinity, Pod, Toleration } from '../../../api/kinds/pod.ts'
import { matchesNodeSelector } from '../../../api/node-selector.ts'
import { untoleratedOf } from '../../../api/tolerations.ts'
import { podFromTemplate, podNamePrefix } from '../pod-from-template.ts'
import { REVISION_LABEL } from '../revisions.ts'

const NODE_NAME = 'metadata.name'

/** Daemon pods stay on a node that is in trouble. */
const TOLERATIONS: readonly Toleration[] = [
  { key: 'node.kubernetes.io/not-ready', operator: 'Exists', effect: 'NoExecute' },
  { key: 'node.kubernetes.io/unreachable', operator: 'Exists', effect: 'NoExecute' },
  { key: 'node.kubernetes.io/disk-pressure', operator: 'Exists', effect: 'NoSchedule' },
  { key: 'node.kubernetes.io/memory-pressure', operator: 'Exists', effect: 'NoSchedule' },
  { key: 'node.kubernetes.io/pid-pressure', operator: 'Exists', effect: 'NoSchedule' },
  { key: 'node.kubernetes.io/unschedulable', operator: 'Exists', effect: 'NoSchedule' },
]
const NETWORK_TOLERATION: Toleration = {
  key: 'node.kubernetes.io/network-unavailable',
  operator: 'Exists',
  effect: 'NoSchedule',
}

/** The pod for one node. The scheduler places it: the pod only accepts that node. */
export function daemonPodFor(set: DaemonSet, nodeName: string, hash: string): Pod {
  const { metadata, spec, ...rest } = podFromTemplate(set.spec.template, set)
  return {
    ...rest,
    metadata: {
      ...metadata,
      generateName: podNamePrefix(set),
      labels: { ...metadata.labels, [REVISION_LABEL]: hash },
    },
    spec: { ...spec, affinity: onlyOn(spec.affinity, nodeName), tolerations: tolerationsOf(set) },
  }
}

function tolerationsOf({ spec: { template } }: DaemonSet): Toleration[] {
  const own = template.spec.tolerations ?? []
  const added = template.spec.hostNetwork ? [...TOLERATIONS, NETWORK_TOLERATION] : TOLERATIONS
  const isReplaced = (toleration: Toleration): boolean =>
    added.some(({ key, effect }) => key === toleration.key && effect === toleration.effect)
  return [...own.filter((toleration) => !isReplaced(toleration)), ...added]
}

const onlyOn = (affinity: Affinity | undefined, nodeName: string): Affinity => ({
  ...affinity,
  nodeAffinity: {
    ...affinity?.nodeAffinity,
    requiredDuringSchedulingIgnoredDuringExecution: {
      nodeSelectorTerms: [{ matchFields: [{ key: NODE_NAME, operator: 'In', values: [nodeName] }] }],
    },
  },
})

/** The node that a daemon pod is on or meant for. */
export function nodeOfDaemon({ spec }: Pod): string {
  const terms = spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? []
  const meantFor = terms.flatMap(({ matchFields = [] }) => matchFields).find(({ key }) => key === NODE_NAME)
  return spec.nodeName || (meantFor?.values?.[0] ?? '')
}

/** Whether a node gets a pod of the set, and whether it may keep the one it has. */
export function placeOf(set: DaemonSet, node: Node): { readonly isWanted: boolean; readonly mayStay: boolean } {
  const { nodeName, nodeSelector = {}, affinity } = set.spec.template.spec
  const required = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution
  const labels = node.metadata.labels ?? {}
  const fits =
    (!nodeName || nodeName === node.metadata.name) &&
    Object.entries(nodeSelector).every(([name, value]) => labels[name] === value) &&
    (!required || matchesNodeSelector(required, node))
  const untolerated = untoleratedOf(node.spec?.taints ?? [], tolerationsOf(set))
  const blocks = untolerated.filter(({ effect }) => effect !== 'PreferNoSchedule')
  const evicts = untolerated.some(({ effect }) => effect === 'NoExecute')
  return { isWanted: fits && blocks.length === 0, mayStay: fits && !evicts }
}
