import type { CsiMethods, HandlersOf } from '../rpc.ts'

// Calls that the kit answers itself, from the description of the driver.
type Derived =
  | 'getPluginInfo'
  | 'getPluginCapabilities'
  | 'controllerGetCapabilities'
  | 'groupControllerGetCapabilities'
  | 'nodeGetCapabilities'

/** The calls that a driver's author implements. A missing handler answers UNIMPLEMENTED and is not announced as a capability. */
export type CsiHandlers = HandlersOf<Omit<CsiMethods, Derived>>

/** The driver's identity, and features that the implemented calls do not show. */
export type DriverDescription = {
  /** Reverse domain notation: letters, digits, dots and dashes, at most 63 characters. */
  name: string
  version: string
  manifest?: Record<string, string>
  features?: DriverFeatures
}

/** Each adds the capability of the same name. */
export type DriverFeatures = {
  /** Volumes are not accessible from everywhere: CreateVolume and NodeGetInfo report topology. */
  topology?: boolean
  /** Snapshots cannot be restored everywhere: CreateSnapshot reports topology. */
  snapshotTopology?: boolean
  /** CreateVolume accepts another volume as its source. */
  cloneVolume?: boolean
  /** ControllerPublishVolume honours `readonly`. */
  publishReadonly?: boolean
  /** ListVolumes and ControllerGetVolume report to which nodes a volume is published. */
  publishedNodes?: boolean
  /**
   * ListVolumes, ControllerGetVolume and NodeGetVolumeStats report the condition of a volume, for callers that only support CSI 1.12. CSI 1.13 has
   * separate calls, such as ControllerGetVolumeHealth.
   */
  volumeCondition?: boolean
  /** The access modes SINGLE_NODE_SINGLE_WRITER and SINGLE_NODE_MULTI_WRITER are supported. */
  singleNodeMultiWriter?: boolean
  /** NodeStageVolume or NodePublishVolume honours `volume_mount_group`. */
  volumeMountGroup?: boolean
  /** Whether a volume can grow while it is in use. Default: `online` if expansion is implemented. */
  expansion?: 'online' | 'offline'
}
