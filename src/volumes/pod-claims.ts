import { keyOfRef } from '../api/object-key.ts'
import type { ObjectKey } from '../api/object-key.ts'
import type { Pod, Volume } from '../api/kinds/pod.ts'

/** A volume of a pod that is a claim: named by the pod, or the pod's own. */
export type PodClaim = { readonly volume: Volume; readonly claimName: string; readonly isEphemeral: boolean }

/** The name of the claim behind a generic ephemeral volume. */
export const ephemeralClaimName = (pod: Pick<Pod, 'metadata'>, volume: Pick<Volume, 'name'>): string => `${pod.metadata.name ?? ''}-${volume.name}`

export function podClaimsOf(pod: Pod): PodClaim[] {
  return (pod.spec.volumes ?? []).flatMap((volume): PodClaim[] => {
    if (volume.persistentVolumeClaim) return [{ volume, claimName: volume.persistentVolumeClaim.claimName, isEphemeral: false }]
    return volume.ephemeral ? [{ volume, claimName: ephemeralClaimName(pod, volume), isEphemeral: true }] : []
  })
}

/** For an index of pods by claim. */
export function podClaimKeysOf(pod: Pod): ObjectKey[] {
  const { namespace } = pod.metadata
  return [...new Set(podClaimsOf(pod).map(({ claimName }) => keyOfRef({ name: claimName, ...(namespace ? { namespace } : {}) })))]
}

/** Its containers have ended for good. */
export const isFinishedPod = ({ status }: Pod): boolean => status?.phase === 'Succeeded' || status?.phase === 'Failed'
