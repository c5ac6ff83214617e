import {
  ControllerCapability,
  GroupControllerCapability,
  NodeCapability,
  PluginService,
  VolumeExpansion,
} from '../csi/index.ts'
import type { Driver } from '../csi/index.ts'

/** What the driver announces, by the names of the specification. */
export type Features = {
  readonly name: string
  readonly version: string
  readonly plugin: ReadonlySet<string>
  readonly controller: ReadonlySet<string>
  readonly group: ReadonlySet<string>
  readonly expansion: ReadonlySet<string>
}

/** What the driver of one node says about it. */
export type NodeFeatures = {
  readonly id: string
  readonly topology: Readonly<Record<string, string>>
  /** 0: the driver sets no limit. */
  readonly maxVolumes: bigint
  readonly capabilities: ReadonlySet<string>
}

/** The name of an enum value; the number if the value is unknown. */
export const nameIn = (table: Readonly<Record<string, number>>, value: number): string =>
  Object.entries(table).find(([, number]) => number === value)?.[0] ?? String(value)

export async function readFeatures(driver: Driver): Promise<Features> {
  const { name, vendorVersion } = await driver.getPluginInfo({})
  const { capabilities } = await driver.getPluginCapabilities({})
  const plugin = new Set<string>()
  const expansion = new Set<string>()
  for (const { type } of capabilities) {
    if (type?.$case === 'service') plugin.add(nameIn(PluginService, type.value.type))
    if (type?.$case === 'volumeExpansion') expansion.add(nameIn(VolumeExpansion, type.value.type))
  }
  const controller = plugin.has('CONTROLLER_SERVICE') ? (await driver.controllerGetCapabilities({})).capabilities : []
  const group = plugin.has('GROUP_CONTROLLER_SERVICE')
    ? (await driver.groupControllerGetCapabilities({})).capabilities
    : []
  return {
    name,
    version: vendorVersion,
    plugin,
    expansion,
    controller: namesOf(ControllerCapability, controller),
    group: namesOf(GroupControllerCapability, group),
  }
}

/** Fails with UNIMPLEMENTED for a socket without a node service. */
export async function readNodeFeatures(driver: Driver): Promise<NodeFeatures> {
  const { capabilities } = await driver.nodeGetCapabilities({})
  const { nodeId, maxVolumesPerNode, accessibleTopology } = await driver.nodeGetInfo({})
  return {
    id: nodeId,
    topology: accessibleTopology?.segments ?? {},
    maxVolumes: maxVolumesPerNode,
    capabilities: namesOf(NodeCapability, capabilities),
  }
}

type RpcCapability = { type?: { $case: 'rpc'; value: { type: number } } | undefined }

const namesOf = (table: Readonly<Record<string, number>>, capabilities: readonly RpcCapability[]): Set<string> =>
  new Set(capabilities.flatMap(({ type }) => (type ? [nameIn(table, type.value.type)] : [])))
