import type { FeatureGateTable } from '../base/options/index.ts'

/** The gate of the snapshot-controller and the csi-snapshotter. */
export const SNAPSHOT_GATES = {
  CSIVolumeGroupSnapshot: { default: true, stage: 'GA' },
} as const satisfies FeatureGateTable

export type SnapshotGates = {
  /** Disabled: VolumeGroupSnapshots are ignored. Default: enabled. */
  readonly CSIVolumeGroupSnapshot?: boolean
}

export const takesGroups = ({ CSIVolumeGroupSnapshot = true }: SnapshotGates): boolean => CSIVolumeGroupSnapshot
