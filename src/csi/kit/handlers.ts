import type { CsiMethods, HandlersOf } from '../rpc.ts'

// What the kit answers by itself, from the description of the driver.
type Derived =
  | 'getPluginInfo'
  | 'getPluginCapabilities'
  | 'controllerGetCapabilities'
  | 'groupControllerGetCapabilities'
  | 'nodeGetCapabilities'

/** The calls that a driver's author writes. What is left out answers UNIMPLEMENTED and is not announced as a capability. */
export type CsiHandlers = HandlersOf<Omit<CsiMethods, Derived>>

/** Who the driver is and what can't be seen from the calls it implements. */
export type DriverDescription = {
  /** Reverse domain notation: letters, digits, dots and dashes, at most 63 characters. */
  name: string
  version: string
  manifest?: Record<string, string>
  features?: DriverFeatures
}

/** Each adds the capability of the same name. */
export type DriverFeatures = {
  /** Volumes can't be reached from everywhere: CreateVolume and NodeGetInfo speak of topology. */
  topology?: boolean
  /** Snapshots can't be restored everywhere: CreateSnapshot speaks of topology. */
  snapshotTopology?: boolean
  /** CreateVolume takes another volume as its source. */
  cloneVolume?: boolean
  /** ControllerPublishVolume honours `readonly`. */
  publishReadonly?: boolean
  /** ListVolumes and ControllerGetVolume tell to which nodes a volume is published. */
  publishedNodes?: boolean
  /**
   * ListVolumes, ControllerGetVolume and NodeGetVolumeStats tell the condition of a volume, for callers that know only CSI 1.12.
   * CSI 1.13 has calls for it, such as ControllerGetVolumeHealth.
   */
  volumeCondition?: boolean
  /** The access modes SINGLE_NODE_SINGLE_WRITER and SINGLE_NODE_MULTI_WRITER are understood. */
  singleNodeMultiWriter?: boolean
  /** NodeStageVolume or NodePublishVolume honours `volume_mount_group`. */
  volumeMountGroup?: boolean
  /** Whether a volume can grow while it is in use. Default: `online` when expansion is implemented. */
  expansion?: 'online' | 'offline'
}
