import { keyOfRef } from '../api/object-key.ts'
import type { ObjectKey } from '../api/object-key.ts'
import type { Pod, Volume } from '../api/kinds/pod.ts'

/** A volume of a pod that uses a claim: a named one, or the claim of an ephemeral volume. */
export type PodClaim = {
  readonly volume: Volume
  readonly claimName: string
  readonly key: ObjectKey
  readonly isEphemeral: boolean
}

/** The name of the claim behind a generic ephemeral volume. */
export const ephemeralClaimName = (pod: Pick<Pod, 'metadata'>, volume: Pick<Volume, 'name'>): string =>
  `${pod.metadata.name ?? ''}-${volume.name}`

/** The claim of a pod's volume; undefined for a volume without one. */
export function claimNameOf(pod: Pick<Pod, 'metadata'>, volume: Volume): string | undefined {
  if (volume.persistentVolumeClaim) return volume.persistentVolumeClaim.claimName
  return volume.ephemeral ? ephemeralClaimName(pod, volume) : undefined
}

export function podClaimsOf(pod: Pod): PodClaim[] {
  const { namespace = '' } = pod.metadata
  return (pod.spec.volumes ?? []).flatMap((volume): PodClaim[] => {
    const claimName = claimNameOf(pod, volume)
    if (claimName === undefined) return []
    const key = keyOfRef({ namespace, name: claimName })
    return [{ volume, claimName, key, isEphemeral: !volume.persistentVolumeClaim }]
  })
}

/** For an index of pods by claim. */
export const podClaimKeysOf = (pod: Pod): ObjectKey[] => [...new Set(podClaimsOf(pod).map(({ key }) => key))]

/** All containers of the pod have terminated and will not be restarted. */
export const isFinishedPod = ({ status }: Pod): boolean => status?.phase === 'Succeeded' || status?.phase === 'Failed'
