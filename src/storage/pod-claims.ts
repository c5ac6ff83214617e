import { keyOfRef } from '../api/object-key.ts'
import type { ObjectKey } from '../api/object-key.ts'
import type { Pod, Volume } from '../api/kinds/pod.ts'

/** A volume of a pod that uses a claim: a named one, or the claim of an ephemeral volume. */
export type PodClaim = { readonly volume: Volume; readonly claimName: string; readonly isEphemeral: boolean }

/** The name of the claim behind a generic ephemeral volume. */
export const ephemeralClaimName = (pod: Pick<Pod, 'metadata'>, volume: Pick<Volume, 'name'>): string =>
  `${pod.metadata.name ?? ''}-${volume.name}`

/** The claim of a pod's volume; undefined for a volume without one. */
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

/** All containers of the pod have terminated and will not be restarted. */
export const isFinishedPod = ({ status }: Pod): boolean => status?.phase === 'Succeeded' || status?.phase === 'Failed'
