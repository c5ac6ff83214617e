import type { PersistentVolumeSpec } from '../../api/kinds/persistent-volume.ts'
import type { Pod } from '../../api/kinds/pod.ts'
import type { DriverPolicy } from '../../storage/driver-policy.ts'

export type FsGroup = { readonly gid: number; readonly onlyOnRootMismatch: boolean }

export type FsGroupFacts = {
  readonly pod: Pod
  readonly policy: Pick<DriverPolicy, 'fsGroupPolicy'>
  readonly isReadOnly: boolean
  /** The driver got the group with the call and applies it itself: VOLUME_MOUNT_GROUP. */
  readonly isAppliedByDriver: boolean
  readonly fsType: string | undefined
  /** Absent for a volume that is created for its pod. */
  readonly accessModes?: PersistentVolumeSpec['accessModes']
}

/** The group to apply to the files of a volume; undefined if they are not changed. */
export function fsGroupOf({ pod, isReadOnly, isAppliedByDriver, ...volume }: FsGroupFacts): FsGroup | undefined {
  const { fsGroup: gid, fsGroupChangePolicy } = pod.spec.securityContext ?? {}
  if (gid === undefined || isReadOnly || isAppliedByDriver || !isChanged(volume)) return undefined
  return { gid, onlyOnRootMismatch: fsGroupChangePolicy === 'OnRootMismatch' }
}

type Volume = Pick<FsGroupFacts, 'policy' | 'fsType' | 'accessModes'>

function isChanged({ policy: { fsGroupPolicy }, fsType, accessModes = ['ReadWriteOnce'] }: Volume): boolean {
  if (fsGroupPolicy !== 'ReadWriteOnceWithFSType') return fsGroupPolicy === 'File'
  return Boolean(fsType) && accessModes.some((mode) => mode === 'ReadWriteOnce' || mode === 'ReadWriteOncePod')
}
