import type { PersistentVolumeClaim } from '../../../api/kinds/persistent-volume-claim.ts'
import type { Pod, Volume } from '../../../api/kinds/pod.ts'
import type { PersistentVolumeClaimTemplate, PodTemplateSpec, StatefulSet } from '../../../api/kinds/stateful-set.ts'
import { podFromTemplate } from '../pod-from-template.ts'
import { nameOf, REVISION_LABEL } from '../revisions.ts'
import { ownersOfNewClaim } from './claim-owners.ts'

const POD_NAME_LABEL = 'statefulset.kubernetes.io/pod-name'
const POD_INDEX_LABEL = 'apps.kubernetes.io/pod-index'
const LARGEST_ORDINAL = 2 ** 31 - 1

/** The ordinals that a set should have: `start` up to, but without, `end`. */
export function ordinalRange({ spec }: StatefulSet): { readonly start: number; readonly end: number } {
  const start = spec.ordinals?.start ?? 0
  return { start, end: start + (spec.replicas ?? 1) }
}

/** The ordinal in the name of a pod of the set; undefined if the name is not that of one. */
export function ordinalOf(set: StatefulSet, pod: Pod): number | undefined {
  const [, parent, digits = ''] = /^(.*)-([0-9]+)$/.exec(nameOf(pod)) ?? []
  const ordinal = Number(digits)
  return parent === nameOf(set) && ordinal <= LARGEST_ORDINAL ? ordinal : undefined
}

export const podNameOf = (set: StatefulSet, ordinal: number): string => `${nameOf(set)}-${ordinal}`

/** The provisioner spreads volumes over zones by the ordinal in this name. */
export const claimNameOf = (set: StatefulSet, template: PersistentVolumeClaimTemplate, ordinal: number): string =>
  `${template.metadata.name ?? ''}-${nameOf(set)}-${ordinal}`

export const claimTemplatesOf = ({ spec }: StatefulSet): readonly PersistentVolumeClaimTemplate[] =>
  spec.volumeClaimTemplates ?? []

/** A pod of the set with the template of one of its revisions. */
export function newPod(
  set: StatefulSet,
  { ordinal, template, revision }: { ordinal: number; template: PodTemplateSpec; revision: string },
): Pod {
  const pod = podFromTemplate(template, set)
  const name = podNameOf(set, ordinal)
  const labels = { ...pod.metadata.labels, ...identityLabels(set, ordinal), [REVISION_LABEL]: revision }
  const volumes = claimVolumes(set, ordinal)
  const ownNames = new Set(volumes.map((volume) => volume.name))
  const others = (pod.spec.volumes ?? []).filter((volume) => !ownNames.has(volume.name))
  return {
    ...pod,
    metadata: { ...pod.metadata, name, labels },
    spec: { ...pod.spec, hostname: name, subdomain: set.spec.serviceName ?? '', volumes: [...volumes, ...others] },
  }
}

const claimVolumes = (set: StatefulSet, ordinal: number): Volume[] =>
  claimTemplatesOf(set).map((template) => ({
    name: template.metadata.name ?? '',
    persistentVolumeClaim: { claimName: claimNameOf(set, template, ordinal) },
  }))

const identityLabels = (set: StatefulSet, ordinal: number): Record<string, string> => ({
  [POD_NAME_LABEL]: podNameOf(set, ordinal),
  [POD_INDEX_LABEL]: String(ordinal),
})

/** The labels that the pod lacks to be a member of the set; undefined if it has them. An absent index label alone does not matter. */
export function missingIdentity(set: StatefulSet, pod: Pod, ordinal: number): Record<string, string> | undefined {
  return pod.metadata.labels?.[POD_NAME_LABEL] === nameOf(pod) ? undefined : identityLabels(set, ordinal)
}

/** Whether the pod uses the claims of the set. Volumes of a pod cannot be changed. */
export function hasOwnClaims(set: StatefulSet, pod: Pod, ordinal: number): boolean {
  return claimVolumes(set, ordinal).every(({ name, persistentVolumeClaim }) =>
    (pod.spec.volumes ?? []).some(
      (volume) => volume.name === name && volume.persistentVolumeClaim?.claimName === persistentVolumeClaim?.claimName,
    ),
  )
}

/** The claim of a pod that the set makes from a template. */
export function newClaim(
  set: StatefulSet,
  template: PersistentVolumeClaimTemplate,
  ordinal: number,
): PersistentVolumeClaim {
  const { metadata, spec } = template
  const ownerReferences = ownersOfNewClaim(set)
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: {
      namespace: set.metadata.namespace ?? '',
      name: claimNameOf(set, template, ordinal),
      labels: { ...metadata.labels, ...set.spec.selector.matchLabels },
      ...(metadata.annotations ? { annotations: metadata.annotations } : {}),
      ...(metadata.finalizers ? { finalizers: metadata.finalizers } : {}),
      ...(ownerReferences.length > 0 ? { ownerReferences } : {}),
    },
    spec,
  }
}
