import { keyOfRef } from '../api/object-key.ts'
import type { ObjectKey } from '../api/object-key.ts'
import type { PersistentVolumeClaim } from '../api/kinds/persistent-volume-claim.ts'
import type { PersistentVolume } from '../api/kinds/persistent-volume.ts'
import type { ObjectReference } from '../api/kinds/references.ts'

/** Whether the volume refers to this claim: with its uid, or only by name, as people write it. */
export function isVolumeBoundToClaim(
  { spec: { claimRef } }: PersistentVolume,
  { metadata }: PersistentVolumeClaim,
): boolean {
  if (!claimRef || claimRef.name !== metadata.name || (claimRef.namespace ?? '') !== (metadata.namespace ?? ''))
    return false
  return !claimRef.uid || claimRef.uid === metadata.uid
}

/** The key of the claim that the volume refers to. */
export function claimKeyOf({ spec: { claimRef } }: PersistentVolume): ObjectKey | undefined {
  if (!claimRef?.name) return undefined
  return keyOfRef({ name: claimRef.name, ...(claimRef.namespace ? { namespace: claimRef.namespace } : {}) })
}

/** The keys of the claims that the volumes refer to, without duplicates. */
export const claimKeysOf = (...volumes: readonly (PersistentVolume | undefined)[]): ObjectKey[] => [
  ...new Set(volumes.flatMap((volume) => (volume && claimKeyOf(volume)) ?? [])),
]

/** The claimRef of a volume that is bound to the claim. */
export function claimReferenceTo({ apiVersion, kind, metadata }: PersistentVolumeClaim): ObjectReference {
  const { namespace = '', name = '', uid = '', resourceVersion = '' } = metadata
  return { kind, namespace, name, uid, apiVersion, resourceVersion }
}

/** The command with which people make a released volume available again. */
export const clearClaimRef = (volumeName: string): string =>
  `kubectl patch pv ${volumeName} -p '{"spec":{"claimRef":null}}'`
