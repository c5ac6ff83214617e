import type { CSINode } from '../api/kinds/csi-node.ts'
import type { ObjectMeta } from '../api/object.ts'
import type { ResourceType } from '../api/resource-type.ts'
import { ALPHA_GROUP, ALPHA_VERSION } from './alpha-crds.ts'

/** Named after the node, as `CSINode` is today. Three shapes of the list have been in use; any of them may be there. */
export type CSINodeInfo = {
  readonly apiVersion: 'csi.storage.k8s.io/v1alpha1'
  readonly kind: 'CSINodeInfo'
  readonly metadata: ObjectMeta
  readonly csiDrivers?: readonly CSINodeInfoDriver[] | null
  readonly spec?: { readonly drivers?: readonly CSINodeInfoDriver[] | null }
  readonly status?: { readonly drivers?: readonly CSINodeInfoDriver[] | null }
}

/** `driver` is an old word for `name`. */
export type CSINodeInfoDriver = {
  readonly name?: string
  readonly driver?: string
  readonly nodeID?: string
  readonly topologyKeys?: readonly string[] | null
}

export const CSI_NODE_INFOS: ResourceType<CSINodeInfo> = {
  group: ALPHA_GROUP,
  version: ALPHA_VERSION,
  kind: 'CSINodeInfo',
  plural: 'csinodeinfos',
  namespaced: false,
}

/** One driver on one node, as both kinds tell it. */
export type RegisteredDriver = {
  readonly name: string
  readonly nodeID: string
  readonly topologyKeys: readonly string[]
}

/** The drivers of a node, whatever the shape of its list. An entry without a node id is of a driver that is not registered. */
export function driversOfNodeInfo(info: CSINodeInfo | undefined): RegisteredDriver[] {
  const found = new Map<string, RegisteredDriver>()
  for (const entry of [...(info?.csiDrivers ?? []), ...(info?.spec?.drivers ?? []), ...(info?.status?.drivers ?? [])]) {
    const { nodeID, topologyKeys } = entry
    const name = nameOf(entry)
    if (name && nodeID && !found.has(name)) found.set(name, { name, nodeID, topologyKeys: topologyKeys ?? [] })
  }
  return [...found.values()]
}

export const driversOfCsiNode = (csiNode: CSINode | undefined): RegisteredDriver[] =>
  (csiNode?.spec.drivers ?? []).map(({ name, nodeID, topologyKeys }) => ({
    name,
    nodeID,
    topologyKeys: topologyKeys ?? [],
  }))

/**
 * What is known of a node's drivers from either kind, as a `CSINode`: an entry of today's object counts before that of a `CSINodeInfo`.
 * Undefined where the node has neither.
 */
export function withNodeInfo(csiNode: CSINode | undefined, info: CSINodeInfo | undefined): CSINode | undefined {
  if (!info) return csiNode
  const known = csiNode?.spec.drivers ?? []
  const further = driversOfNodeInfo(info).filter(({ name }) => !known.some((driver) => driver.name === name))
  if (csiNode && further.length === 0) return csiNode
  const { name = '' } = info.metadata
  return {
    ...(csiNode ?? { apiVersion: 'storage.k8s.io/v1', kind: 'CSINode', metadata: { name } }),
    spec: { ...csiNode?.spec, drivers: [...known, ...further] },
  }
}

/** What a `CSINodeInfo` of the same node says, in the document's own shape. */
export const nodeInfoOf = (csiNode: CSINode): CSINodeInfo => {
  const { name = '', ownerReferences } = csiNode.metadata
  return {
    ...createNodeInfo({ name, ...(ownerReferences ? { ownerReferences } : {}) }),
    csiDrivers: driversOfCsiNode(csiNode),
  }
}

export const createNodeInfo = (metadata: ObjectMeta): CSINodeInfo => ({
  apiVersion: 'csi.storage.k8s.io/v1alpha1',
  kind: 'CSINodeInfo',
  metadata,
  csiDrivers: [],
})

/** With this driver's entry in the place of its former one; the entries of others stay as they are. */
export function withDriver(info: CSINodeInfo, driver: RegisteredDriver): CSINodeInfo {
  const rest = withoutDriver(info, driver.name)
  return { ...rest, csiDrivers: [...(rest.csiDrivers ?? []), driver] }
}

/** Without this driver, in whichever list it is. */
export function withoutDriver(info: CSINodeInfo, driver: string): CSINodeInfo {
  const others = (list: readonly CSINodeInfoDriver[]): CSINodeInfoDriver[] =>
    list.filter((entry) => nameOf(entry) !== driver)
  const { csiDrivers, spec, status } = info
  return {
    ...info,
    ...(csiDrivers ? { csiDrivers: others(csiDrivers) } : {}),
    ...(spec?.drivers ? { spec: { ...spec, drivers: others(spec.drivers) } } : {}),
    ...(status?.drivers ? { status: { ...status, drivers: others(status.drivers) } } : {}),
  }
}

const nameOf = ({ name, driver }: CSINodeInfoDriver): string => name || driver || ''
