import { isEqualJson } from '../../api/equal-json.ts'
import type { CSINode, CSINodeDriver } from '../../api/kinds/csi-node.ts'
import type { Node } from '../../api/kinds/node.ts'
import { isOwnedBy, ownerReferenceTo } from '../../api/owner-references.ts'
import { createNodeInfo, withoutDriver } from '../../compat/alpha-csi-node-info.ts'
import type { CSINodeInfo } from '../../compat/alpha-csi-node-info.ts'
import { formatNodeIds, NODE_ID_ANNOTATION, parseNodeIds } from '../../storage/node-ids.ts'
import type { NodeFacts } from './node-facts.ts'
import { REASONS } from './reasons.ts'
import type { RegistrationReason } from './reasons.ts'
import type { OwnObject } from './wanted-drivers.ts'

/** What to publish about the drivers of a node. Undefined facts: nothing any more. Other drivers are left alone. */
type WantedDrivers = ReadonlyMap<string, NodeFacts | undefined>

export type PublicationView = {
  readonly node: Node
  readonly csiNode: CSINode | undefined
  readonly csiNodeInfo?: CSINodeInfo | undefined
  readonly wanted: WantedDrivers
  /** Drivers whose facts were all there once. Labels that others changed since then are left alone. */
  readonly published: ReadonlySet<string>
  /** A driver may change the value of a label that it wrote last. */
  readonly overwriteOwnLabels: boolean
}

/** The objects that bear the name of a Node, once they were read. A node may read its own, but not watch them. */
export type PublicationReads = { readonly csiNode: OwnObject<CSINode>; readonly csiNodeInfo: OwnObject<CSINodeInfo> }

export type PublicationPassView = Omit<PublicationView, 'node' | keyof PublicationReads> & {
  readonly nodeName: string
  readonly node: Node | undefined
  /** Of the Node for which the drivers were published. */
  readonly uid: string | undefined
  readonly reads: Partial<PublicationReads>
  /** A driver does not count as published yet. */
  readonly hasPending: boolean
  /** A driver is to be forgotten once nothing about it is published any more. */
  readonly hasWithdrawn: boolean
  readonly recheckInMs: number
}

/** The drivers that are to be there, by name. */
const presentDrivers = (wanted: WantedDrivers): readonly (readonly [string, NodeFacts])[] =>
  [...wanted].flatMap(([name, facts]) => (facts ? [[name, facts] as const] : []))

/** Which topology labels of the node each driver wrote last, with their values: `{"d.example.com":{"example.com/zone":"a"}}`. */
export const LABEL_RECORD_ANNOTATION = 'holdfast.dev/topology-labels'

export type LabelRecord = Readonly<Record<string, Readonly<Record<string, string>>>>

/** What is recorded on the node. Only the node agent writes it, so a record that can't be parsed counts as none. */
export function parseLabelRecord({ metadata }: Node): LabelRecord {
  try {
    const parsed: unknown = JSON.parse(metadata.annotations?.[LABEL_RECORD_ANNOTATION] ?? '{}')
    return Object.fromEntries(
      Object.entries(isObject(parsed) ? parsed : {}).flatMap(([driver, labels]) =>
        isObject(labels) ? [[driver, textsOf(labels)]] : [],
      ),
    )
  } catch {
    return {}
  }
}

/** The record once a driver has written these labels: a key belongs to the driver that wrote it last. */
export function noteLabels(record: LabelRecord, driver: string, labels: Readonly<Record<string, string>>): LabelRecord {
  const without = (own: Readonly<Record<string, string>>) =>
    Object.fromEntries(Object.entries(own).filter(([key]) => !Object.hasOwn(labels, key)))
  const others = Object.entries(record).map(([name, own]) => [name, without(own)] as const)
  const all = { ...Object.fromEntries(others), [driver]: { ...without(record[driver] ?? {}), ...labels } }
  return Object.fromEntries(Object.entries(all).filter(([, own]) => Object.keys(own).length > 0))
}

/** Whether the label still has the value that this driver wrote. */
export const isWrittenBy = (record: LabelRecord, driver: string, key: string, present: string): boolean =>
  Object.hasOwn(record, driver) && record[driver]?.[key] === present

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const textsOf = (labels: Record<string, unknown>): Record<string, string> =>
  Object.fromEntries(Object.entries(labels).filter((entry): entry is [string, string] => typeof entry[1] === 'string'))

export type NodeObjectStep = Readonly<
  /** A merge patch of the metadata. `driver`: whose facts these are; none when something is only taken away. */
  | {
      kind: 'patch'
      driver?: string
      annotations: Readonly<Record<string, string | null>>
      labels: Readonly<Record<string, string>>
    }
  | { kind: 'refuse'; driver: string; reason: RegistrationReason }
>

/**
 * What to write to the Node: one driver at a time, so that a label that the server rejects does not affect others. Labels stay when a driver is
 * removed: volumes still use them.
 */
export function nextNodeObjectStep(view: PublicationView): NodeObjectStep | undefined {
  const { node } = view
  const ids = parseNodeIds(node)
  for (const [driver, facts] of presentDrivers(view.wanted)) {
    const isPublished = view.published.has(driver)
    const collision = isPublished ? undefined : findCollision(view, driver, facts)
    if (collision) return { kind: 'refuse', driver, reason: collision }
    if (!ids && !isPublished)
      return { kind: 'refuse', driver, reason: REASONS.NodeIDAnnotationMalformed(node.metadata.name ?? '', driver) }
    const labels = missingLabels(node, facts, isPublished)
    const idChange =
      ids && ids.get(driver) !== facts.nodeId
        ? { [NODE_ID_ANNOTATION]: formatNodeIds(new Map(ids).set(driver, facts.nodeId)) }
        : {}
    // In the same write, and whatever the options say now: it can't be found out later who wrote a label.
    const record =
      Object.keys(labels).length > 0
        ? { [LABEL_RECORD_ANNOTATION]: JSON.stringify(noteLabels(parseLabelRecord(node), driver, labels)) }
        : {}
    if (Object.keys(labels).length > 0 || Object.keys(idChange).length > 0)
      return { kind: 'patch', driver, annotations: { ...idChange, ...record }, labels }
  }
  return ids && nextRemoval(view, ids)
}

// The ID is removed last: the driver counts as registered until its entry in CSINode is gone.
function nextRemoval(view: PublicationView, ids: ReadonlyMap<string, string>): NodeObjectStep | undefined {
  const { csiNode, wanted } = view
  const listed = new Set(csiNode?.spec.drivers?.map(({ name }) => name))
  const left = new Map(
    [...ids].filter(([driver]) => !(wanted.has(driver) && wanted.get(driver) === undefined && !listed.has(driver))),
  )
  return left.size === ids.size
    ? undefined
    : { kind: 'patch', annotations: { [NODE_ID_ANNOTATION]: formatNodeIds(left) }, labels: {} }
}

function findCollision(
  { node, overwriteOwnLabels }: PublicationView,
  driver: string,
  { topology }: NodeFacts,
): RegistrationReason | undefined {
  const labels = node.metadata.labels ?? {}
  const record = overwriteOwnLabels ? parseLabelRecord(node) : {}
  for (const [key, reported] of Object.entries(topology)) {
    const present = Object.hasOwn(labels, key) ? labels[key] : undefined
    if (present === undefined || present === reported || isWrittenBy(record, driver, key, present)) continue
    return REASONS.TopologyLabelCollision(driver, { key, present, reported })
  }
  return undefined
}

/** For a driver that was published, only labels that are gone: a value that others have changed since then stays. */
function missingLabels(node: Node, { topology }: NodeFacts, isPublished: boolean): Record<string, string> {
  const labels = node.metadata.labels ?? {}
  const isWrong = (key: string, value: string): boolean =>
    Object.hasOwn(labels, key) ? !isPublished && labels[key] !== value : true
  return Object.fromEntries(Object.entries(topology).filter(([key, value]) => isWrong(key, value)))
}

/** A CSINode is deleted if it belongs to a node that no longer exists, or has no owner. */
type CsiNodeStep = { readonly kind: 'create' | 'update' | 'delete'; readonly object: CSINode }
type CsiNodeInfoStep = { readonly kind: 'create' | 'update'; readonly object: CSINodeInfo }

/**
 * What to write to the node's CSINode. The id and the keys of an entry are immutable, so an entry that differs is removed by one write and
 * added again by the next.
 */
export function nextCsiNodeStep({ node, csiNode, wanted: all }: PublicationView): CsiNodeStep | undefined {
  const entries = presentDrivers(all).map(([name, facts]) => entryOf(name, facts))
  if (!csiNode && entries.length === 0) return undefined
  if (!csiNode) {
    const metadata = { name: node.metadata.name ?? '', ownerReferences: [ownerReferenceTo(node)] }
    const object: CSINode = { apiVersion: 'storage.k8s.io/v1', kind: 'CSINode', metadata, spec: { drivers: entries } }
    return { kind: 'create', object }
  }
  if (!isOwnedBy(csiNode, node)) return { kind: 'delete', object: csiNode }

  const present = csiNode.spec.drivers ?? []
  const next = present.flatMap((entry) => {
    if (!all.has(entry.name)) return [entry]
    const wanted = entries.find(({ name }) => name === entry.name)
    if (!wanted || !isSameNode(entry, wanted)) return []
    return [entry.allocatable?.count === wanted.allocatable?.count ? entry : wanted]
  })
  // At the end, as upstream puts them. Those that have just been taken out come with the next step.
  const added = entries.filter(({ name }) => !present.some((entry) => entry.name === name))
  const drivers = [...next, ...added]
  if (drivers.length === present.length && drivers.every((entry, index) => entry === present[index])) return undefined
  return { kind: 'update', object: { ...csiNode, spec: { ...csiNode.spec, drivers } } }
}

const registeredDriver = (name: string, { nodeId: nodeID, topology }: NodeFacts) => ({
  name,
  nodeID,
  topologyKeys: Object.keys(topology).sort(),
})
const entryOf = (name: string, facts: NodeFacts): CSINodeDriver => ({
  ...registeredDriver(name, facts),
  ...(facts.maxVolumes === undefined ? {} : { allocatable: { count: facts.maxVolumes } }),
})

function isSameNode(a: CSINodeDriver, b: CSINodeDriver): boolean {
  const keysOf = ({ topologyKeys }: CSINodeDriver): string => JSON.stringify([...(topologyKeys ?? [])].sort())
  return a.nodeID === b.nodeID && keysOf(a) === keysOf(b)
}

/** What to write to the node's CSINodeInfo, in one write: here entries may change. */
export function nextCsiNodeInfoStep({ node, csiNodeInfo, wanted }: PublicationView): CsiNodeInfoStep | undefined {
  const entries = presentDrivers(wanted).map(([name, facts]) => registeredDriver(name, facts))
  const metadata = { name: node.metadata.name ?? '', ownerReferences: [ownerReferenceTo(node)] }
  if (!csiNodeInfo && entries.length === 0) return undefined
  if (!csiNodeInfo) return { kind: 'create', object: { ...createNodeInfo(metadata), csiDrivers: entries } }
  // Readers look into all three lists; ours is in the first.
  const others = [...wanted.keys()].reduce(withoutDriver, csiNodeInfo)
  const object: CSINodeInfo = {
    ...others,
    metadata: { ...others.metadata, ...metadata },
    csiDrivers: [...(others.csiDrivers ?? []), ...entries],
  }
  return isEqualJson(sorted(object), sorted(csiNodeInfo)) ? undefined : { kind: 'update', object }
}

// The order of the list has no meaning: for it alone nothing is written.
function sorted({ csiDrivers, ...rest }: CSINodeInfo): object {
  const entries = (csiDrivers ?? []).map((entry) => ({ ...entry, topologyKeys: entry.topologyKeys ?? [] }))
  return { ...rest, csiDrivers: entries.toSorted((a, b) => ((a.name ?? '') < (b.name ?? '') ? -1 : 1)) }
}

export type PublicationStep =
  | { readonly kind: 'wait'; readonly reason: RegistrationReason; readonly retryInMs?: number }
  /** The Node is gone, or another one has its name: everything has to be published again. */
  | { readonly kind: 'begin'; readonly uid: string | undefined }
  | { readonly kind: 'read-csi-node' }
  | NodeObjectStep
  | { readonly kind: 'write-csi-node'; readonly write: CsiNodeStep }
  | { readonly kind: 'read-node-info' }
  | { readonly kind: 'write-node-info'; readonly write: CsiNodeInfoStep }
  /** The server has no CSINode. */
  | { readonly kind: 'do-without'; readonly reason: RegistrationReason; readonly cause: Error }
  | { readonly kind: 'mark-published' }
  | { readonly kind: 'forget-withdrawn' }

/** What to publish next: the Node, then CSINode, then CSINodeInfo where it exists. */
export function nextPublicationStep({ nodeName, node, reads, ...view }: PublicationPassView): PublicationStep {
  const uid = node?.metadata.uid
  if (view.uid !== uid) return { kind: 'begin', uid }
  if (!node) return { kind: 'wait', reason: REASONS.NodeMissing(nodeName) }
  const { csiNode, csiNodeInfo } = reads
  if (!csiNode) return { kind: 'read-csi-node' }
  const publication = { ...view, node, csiNode: csiNode.object, csiNodeInfo: csiNodeInfo?.object }
  const nodeStep = nextNodeObjectStep(publication)
  if (nodeStep) return nodeStep
  if (csiNode.unserved)
    return { kind: 'do-without', reason: REASONS.CSINodeNotServed(nodeName), cause: csiNode.unserved }
  const write = nextCsiNodeStep(publication)
  if (write) return { kind: 'write-csi-node', write }
  // Before CSINodeInfo: failures there must not affect anything else.
  if (view.hasPending) return { kind: 'mark-published' }
  if (!csiNodeInfo) return { kind: 'read-node-info' }
  const infoWrite = csiNodeInfo.unserved ? undefined : nextCsiNodeInfoStep(publication)
  if (infoWrite) return { kind: 'write-node-info', write: infoWrite }
  if (view.hasWithdrawn) return { kind: 'forget-withdrawn' }
  return { kind: 'wait', reason: REASONS.Published(nodeName), retryInMs: view.recheckInMs }
}
