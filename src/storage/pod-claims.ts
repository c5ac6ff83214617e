import { keyOfRef } from '../api/object-key.ts'
import type { ObjectKey } from '../api/object-key.ts'
import type { Pod, Volume } from '../api/kinds/pod.ts'

/** A volume of a pod that is a claim: named by the pod, or the pod's own. */
export type PodClaim = { readonly volume: Volume; readonly claimName: string; readonly isEphemeral: boolean }

/** The name of the claim behind a generic ephemeral volume. */
export const ephemeralClaimName = (pod: Pick<Pod, 'metadata'>, volume: Pick<Volume, 'name'>): string =>
  `${pod.metadata.name ?? ''}-${volume.name}`

/** The claim behind a volume of a pod; undefined for one without. */
export function claimNameOf(pod: Pick<Pod, 'metadata'>, volume: Volume): string | undefined {
  if (volume.persistentVolumeClaim) return volume.persistentVolumeClaim.claimName
  return volume.ephemeral ? ephemeralClaimName(pod, volume) : undefined
}

export function podClaimsOf(pod: Pod): PodClaim[] {
  return (pod.spec.volumes ?? []).flatMap((volume): PodClaim[] => {
    const claimName = claimNameOf(pod, volume)
    return claimName === undefined ? [] : [{ volume, claimName, isEphemeral: !volume.persistentVolumeClaim }]
  })
}

/** For an index of pods by claim. */
export function podClaimKeysOf(pod: Pod): ObjectKey[] {
  const { namespace } = pod.metadata
  return [
    ...new Set(
      podClaimsOf(pod).map(({ claimName }) => keyOfRef({ name: claimName, ...(namespace ? { namespace } : {}) })),
    ),
  ]
}

/** Its containers have ended for good. */
export const isFinishedPod = ({ status }: Pod): boolean => status?.phase === 'Succeeded' || status?.phase === 'Failed'
