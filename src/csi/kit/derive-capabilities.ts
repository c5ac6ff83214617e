import {
  ControllerServiceCapability_RPC_Type as ControllerRpc,
  GroupControllerServiceCapability_RPC_Type as GroupRpc,
  NodeServiceCapability_RPC_Type as NodeRpc,
  PluginCapability_Service_Type as PluginService,
  PluginCapability_VolumeExpansion_Type as Expansion,
} from '../generated/csi/v1/csi.ts'
import { CSI_SERVICES } from '../rpc.ts'
import type { CsiHandlers, DriverFeatures } from './handlers.ts'

/** What the driver announces: exactly what it implements. */
export type Capabilities = {
  services: PluginService[]
  expansion: Expansion | undefined
  controller: ControllerRpc[]
  group: GroupRpc[]
  node: NodeRpc[]
}

type Method = keyof CsiHandlers

// Calls that are useful only together.
const PAIRS: readonly (readonly Method[])[] = [
  ['createVolume', 'deleteVolume'],
  ['controllerPublishVolume', 'controllerUnpublishVolume'],
  ['createSnapshot', 'deleteSnapshot'],
  ['nodeStageVolume', 'nodeUnstageVolume'],
  ['nodePublishVolume', 'nodeUnpublishVolume', 'nodeGetInfo'],
  ['createVolumeGroupSnapshot', 'deleteVolumeGroupSnapshot', 'getVolumeGroupSnapshot'],
]

/** Throws if half of a pair is missing: such a driver could create something that cannot be undone. */
export function deriveCapabilities(handlers: CsiHandlers, features: DriverFeatures): Capabilities {
  const has = (method: Method): boolean => handlers[method] !== undefined
  for (const pair of PAIRS) {
    const missing = pair.filter((method) => !has(method))
    if (missing.length > 0 && missing.length < pair.length) {
      throw new Error(`a driver with ${pair.filter(has).join(' and ')} needs ${missing.join(' and ')} too`)
    }
  }
  // According to the specification, a caller uses the other call for volumes that a list omits.
  if (has('controllerListVolumeHealth') && !has('controllerGetVolumeHealth'))
    throw new Error('a driver with controllerListVolumeHealth needs controllerGetVolumeHealth too')
  const hasService = (service: string): boolean =>
    CSI_SERVICES.some(
      ({ name, methods }) => name === service && Object.keys(methods).some((method) => has(method as Method)),
    )

  const controller = [
    has('createVolume') && ControllerRpc.CREATE_DELETE_VOLUME,
    has('controllerPublishVolume') && ControllerRpc.PUBLISH_UNPUBLISH_VOLUME,
    has('listVolumes') && ControllerRpc.LIST_VOLUMES,
    has('getCapacity') && ControllerRpc.GET_CAPACITY,
    has('createSnapshot') && ControllerRpc.CREATE_DELETE_SNAPSHOT,
    has('listSnapshots') && ControllerRpc.LIST_SNAPSHOTS,
    features.cloneVolume && ControllerRpc.CLONE_VOLUME,
    features.publishReadonly && ControllerRpc.PUBLISH_READONLY,
    has('controllerExpandVolume') && ControllerRpc.EXPAND_VOLUME,
    features.publishedNodes && ControllerRpc.LIST_VOLUMES_PUBLISHED_NODES,
    features.volumeCondition && (has('listVolumes') || has('controllerGetVolume')) && ControllerRpc.VOLUME_CONDITION,
    has('controllerGetVolume') && ControllerRpc.GET_VOLUME,
    features.singleNodeMultiWriter && hasService('Controller') && ControllerRpc.SINGLE_NODE_MULTI_WRITER,
    has('controllerModifyVolume') && ControllerRpc.MODIFY_VOLUME,
    has('getSnapshot') && ControllerRpc.GET_SNAPSHOT,
    has('controllerGetVolumeHealth') && ControllerRpc.GET_VOLUME_HEALTH,
    has('controllerListVolumeHealth') && ControllerRpc.LIST_VOLUME_HEALTH,
  ]
  const node = [
    has('nodeStageVolume') && NodeRpc.STAGE_UNSTAGE_VOLUME,
    has('nodeGetVolumeStats') && NodeRpc.GET_VOLUME_STATS,
    has('nodeExpandVolume') && NodeRpc.EXPAND_VOLUME,
    features.volumeCondition && has('nodeGetVolumeStats') && NodeRpc.VOLUME_CONDITION,
    features.singleNodeMultiWriter && hasService('Node') && NodeRpc.SINGLE_NODE_MULTI_WRITER,
    features.volumeMountGroup && NodeRpc.VOLUME_MOUNT_GROUP,
    has('nodeGetVolumeHealth') && NodeRpc.GET_VOLUME_HEALTH,
    has('nodeGetStorageHealth') && NodeRpc.GET_STORAGE_HEALTH,
  ]
  const services = [
    hasService('Controller') && PluginService.CONTROLLER_SERVICE,
    features.topology && PluginService.VOLUME_ACCESSIBILITY_CONSTRAINTS,
    hasService('GroupController') && PluginService.GROUP_CONTROLLER_SERVICE,
    hasService('SnapshotMetadata') && PluginService.SNAPSHOT_METADATA_SERVICE,
    features.snapshotTopology && PluginService.SNAPSHOT_ACCESSIBILITY_CONSTRAINTS,
  ]
  const expands = has('controllerExpandVolume') || has('nodeExpandVolume')
  return {
    services: present(services),
    expansion: expands ? (features.expansion === 'offline' ? Expansion.OFFLINE : Expansion.ONLINE) : undefined,
    controller: present(controller),
    group: has('createVolumeGroupSnapshot') ? [GroupRpc.CREATE_DELETE_GET_VOLUME_GROUP_SNAPSHOT] : [],
    node: present(node),
  }
}

// `false` and `undefined` mark missing capabilities; every capability is a number above 0.
const present = <T extends number>(entries: (T | false | undefined)[]): T[] =>
  entries.filter((entry): entry is T => Boolean(entry))
