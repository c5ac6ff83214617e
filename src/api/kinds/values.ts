/** Values of fields that the generated types use by name. */

/** A quantity as written: `1Gi`, `500m`. `quantity.ts` parses it. */
export type Quantity = string

/** A port or a limit: a number, a name or a percentage. */
export type IntOrString = number | string

export type ConditionStatus = 'True' | 'False' | 'Unknown'

export type VolumeLifecycleMode = 'Persistent' | 'Ephemeral'

export type FSGroupPolicy = 'ReadWriteOnceWithFSType' | 'File' | 'None'

export type PersistentVolumeClaimPhase = 'Pending' | 'Bound' | 'Lost'

export type ClaimResourceStatus =
  | 'ControllerResizeInProgress'
  | 'ControllerResizeInfeasible'
  | 'NodeResizePending'
  | 'NodeResizeInProgress'
  | 'NodeResizeInfeasible'

export type AccessMode = 'ReadWriteOnce' | 'ReadOnlyMany' | 'ReadWriteMany' | 'ReadWriteOncePod'

export type VolumeMode = 'Filesystem' | 'Block'

export type ReclaimPolicy = 'Retain' | 'Delete' | 'Recycle'

export type PersistentVolumePhase = 'Pending' | 'Available' | 'Bound' | 'Released' | 'Failed'

export type PodPhase = 'Pending' | 'Running' | 'Succeeded' | 'Failed' | 'Unknown'

export type VolumeBindingMode = 'Immediate' | 'WaitForFirstConsumer'
