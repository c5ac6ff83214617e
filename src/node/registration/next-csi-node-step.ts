import type { CSINode, CSINodeDriver } from '../../api/kinds/csi-node.ts'
import { isOwnedBy, ownerReferenceTo } from '../../api/owner-references.ts'
import type { NodeFacts } from './node-facts.ts'
import { presentDrivers } from './publication-view.ts'
import type { PublicationView } from './publication-view.ts'

export type CsiNodeStep =
  | { readonly kind: 'create'; readonly object: CSINode }
  /** It belongs to a node that no longer exists, or has no owner. */
  | { readonly kind: 'delete'; readonly object: CSINode }
  | { readonly kind: 'update'; readonly object: CSINode }
  | { readonly kind: 'done' }

/**
 * What to write to the node's CSINode. The id and the keys of an entry are immutable, so an entry that differs is removed by one write and
 * added again by the next.
 */
export function nextCsiNodeStep({ seen: { node, csiNode }, held }: PublicationView): CsiNodeStep {
  if (!held) return { kind: 'done' }
  const entries = presentDrivers(held.wanted).map(([name, facts]) => entryOf(name, facts))
  if (!csiNode) return entries.length === 0 ? { kind: 'done' } : { kind: 'create', object: newCsiNode(node, entries) }
  if (!isOwnedBy(csiNode, node)) return { kind: 'delete', object: csiNode }

  const present = csiNode.spec.drivers ?? []
  const next = present.flatMap((entry) => {
    if (!held.wanted.has(entry.name)) return [entry]
    const wanted = entries.find(({ name }) => name === entry.name)
    return wanted && isSameNode(entry, wanted) ? [isSameLimit(entry, wanted) ? entry : wanted] : []
  })
  // At the end, as upstream puts them. Those that have just been taken out come with the next step.
  const added = entries.filter(({ name }) => !present.some((entry) => entry.name === name))
  const isSame =
    added.length === 0 && next.length === present.length && next.every((entry, index) => entry === present[index])
  return isSame
    ? { kind: 'done' }
    : { kind: 'update', object: { ...csiNode, spec: { ...csiNode.spec, drivers: [...next, ...added] } } }
}

function newCsiNode(node: PublicationView['seen']['node'], drivers: readonly CSINodeDriver[]): CSINode {
  const name = node.metadata.name ?? ''
  const metadata = { name, ownerReferences: [ownerReferenceTo(node)] }
  return { apiVersion: 'storage.k8s.io/v1', kind: 'CSINode', metadata, spec: { drivers } }
}

function entryOf(name: string, { nodeId, topology, maxVolumes }: NodeFacts): CSINodeDriver {
  const topologyKeys = Object.keys(topology).sort()
  return {
    name,
    nodeID: nodeId,
    topologyKeys,
    ...(maxVolumes === undefined ? {} : { allocatable: { count: maxVolumes } }),
  }
}

function isSameNode(a: CSINodeDriver, b: CSINodeDriver): boolean {
  const keysOf = ({ topologyKeys }: CSINodeDriver): string => JSON.stringify([...(topologyKeys ?? [])].sort())
  return a.nodeID === b.nodeID && keysOf(a) === keysOf(b)
}

const isSameLimit = (a: CSINodeDriver, b: CSINodeDriver): boolean => a.allocatable?.count === b.allocatable?.count
