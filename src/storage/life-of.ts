import type { PersistentVolume } from '../api/kinds/persistent-volume.ts'
import type { CsiVolume } from './resolve-pod-volume.ts'

const NAMED_AFTER_CLAIM = /-([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/

/**
 * The claim whose life the work on a volume belongs to: the one that the volume is bound to. If only the name is left, the one that the volume was created
 * for: provisioners name volumes `pvc-UID`.
 */
export const claimUidOf = (volume: PersistentVolume | undefined, name = volume?.metadata.name): string | undefined =>
  volume?.spec.claimRef?.uid ?? (name === undefined ? undefined : NAMED_AFTER_CLAIM.exec(name)?.[1])

/** The same for the volume of a pod. A volume that is declared in the pod has no claim. */
export const claimUidOfPodVolume = ({ claim, persistentVolume, volumeName }: CsiVolume): string | undefined =>
  claim?.metadata.uid ?? claimUidOf(persistentVolume, volumeName)
