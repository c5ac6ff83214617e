import type { CSINode } from '../../api/kinds/csi-node.ts'
import type { Node } from '../../api/kinds/node.ts'
import type { TopologySelectorTerm } from '../../api/kinds/selectors.ts'
import type { TopologyRequirement } from '../../csi/generated/csi/v1/csi.ts'
import { NODES_CHANGED, ok, refuse, reschedule } from './decision.ts'
import type { Decision } from './decision.ts'
import { REASONS } from './reasons.ts'
import { findTermOfLabels, flattenTopologies, isPartOf, topologyOf, uniqueTerms } from './topology-term.ts'
import type { TopologyTerm } from './topology-term.ts'

export type TopologyOptions = {
  /** Request the selected node's topology and no other. Default false. */
  readonly strict: boolean
  /** Request a topology even when no node is selected. Default true. */
  readonly immediate: boolean
  /**
   * Which claims without a selected node get a preferred order: `all` (default), by a hash of their name; or only those with an `ordinal`
   * at the end of it, and the others none.
   */
  readonly preferredFor: 'all' | 'ordinal'
}

export const DEFAULT_TOPOLOGY_OPTIONS: TopologyOptions = { strict: false, immediate: true, preferredFor: 'all' }

/** What is known about the nodes. */
export type ClusterTopology = {
  findNode(name: string): Node | undefined
  findCsiNode(name: string): CSINode | undefined
  /** The topology keys of any one node that has the driver; a single node decides, so that none can change the keys of others. */
  pickKeys(): readonly string[] | undefined
  /** The topology terms of all nodes that have these labels. */
  aggregate(keys: readonly string[]): readonly TopologyTerm[]
}

export type TopologyQuestion = {
  readonly driverName: string
  readonly claimName: string
  /** Empty: none. */
  readonly selectedNode: string
  readonly allowedTopologies?: readonly TopologySelectorTerm[] | undefined
  readonly cluster: ClusterTopology
  readonly options?: TopologyOptions
}

/**
 * Where the driver may create the volume, and in which order it should try. Both depend on the set of terms and the claim alone, never on
 * the order in which nodes are listed. Undefined: anywhere.
 */
export function accessibilityRequirements(question: TopologyQuestion): Decision<TopologyRequirement | undefined> {
  const selected = question.selectedNode === '' ? ok(undefined) : placeOfNode(question)
  if (selected.kind !== 'ok') return selected
  const requisite = findRequisite(question, selected.value)
  if (requisite.kind !== 'ok') return requisite
  const terms = uniqueTerms(requisite.value ?? [])
  if (terms.length === 0) return ok(undefined)
  const first = firstPreferred(question, terms, selected.value?.term)
  if (first.kind !== 'ok') return first
  const topologies = terms.map(topologyOf)
  const preferred =
    first.value === undefined ? [] : [...topologies.slice(first.value), ...topologies.slice(0, first.value)]
  return ok({ requisite: topologies, preferred })
}

type Place = { readonly keys: readonly string[]; readonly term: TopologyTerm }

function placeOfNode({ driverName, selectedNode: name, cluster }: TopologyQuestion): Decision<Place> {
  const csiNode = cluster.findCsiNode(name)
  const node = cluster.findNode(name)
  // No other part takes the claim back from a node that is gone.
  if (!csiNode || !node) return reschedule(REASONS.selectedNodeGone(name, csiNode ? 'Node' : 'CSINode'))
  const keys = topologyKeysOf(csiNode, driverName)
  if (!keys) return refuse(REASONS.noTopologyKeysOnNode(driverName, name), NODES_CHANGED)
  const term = findTermOfLabels(keys, node.metadata.labels)
  if (term) return ok({ keys, term })
  const missing = keys.filter((key) => !Object.hasOwn(node.metadata.labels ?? {}, key))
  return refuse(REASONS.topologyLabelMissing(name, missing), NODES_CHANGED)
}

function findRequisite(
  question: TopologyQuestion,
  selected: Place | undefined,
): Decision<readonly TopologyTerm[] | undefined> {
  const { allowedTopologies = [], cluster, driverName, options = DEFAULT_TOPOLOGY_OPTIONS } = question
  const allowed = allowedTopologies.length === 0 ? undefined : flattenTopologies(allowedTopologies)
  if (selected && options.strict)
    return allowed && !allowed.some((term) => isPartOf(term, selected.term))
      ? notAllowed(question)
      : ok([selected.term])
  if (allowed) return ok(allowed)
  if (!selected && !options.immediate) return ok(undefined)
  const keys = selected?.keys ?? cluster.pickKeys()
  if (!keys) return refuse(REASONS.noTopologyKeys(driverName), NODES_CHANGED)
  const terms = cluster.aggregate(keys)
  return terms.length > 0 ? ok(terms) : refuse(REASONS.noNodeWithTopology(driverName, keys), NODES_CHANGED)
}

/** The index of the term to try first; the others follow in order, from the beginning again after the last. Undefined: no order. */
function firstPreferred(
  question: TopologyQuestion,
  terms: readonly TopologyTerm[],
  selected: TopologyTerm | undefined,
): Decision<number | undefined> {
  if (selected) {
    const index = terms.findIndex((term) => isPartOf(term, selected))
    return index < 0 ? notAllowed(question) : ok(index)
  }
  const spread = spreadOf(question.claimName)
  const { preferredFor } = question.options ?? DEFAULT_TOPOLOGY_OPTIONS
  return ok(preferredFor === 'ordinal' && spread.ordinal === undefined ? undefined : spreadIndex(spread, terms.length))
}

const notAllowed = ({ selectedNode }: TopologyQuestion) =>
  refuse(REASONS.nodeNotInAllowedTopologies(selectedNode), NODES_CHANGED)

/** Undefined when the driver is not on the node, or reports no topology for it. */
export function topologyKeysOf({ spec }: CSINode, driverName: string): readonly string[] | undefined {
  const keys = spec.drivers?.find(({ name }) => name === driverName)?.topologyKeys
  return keys && keys.length > 0 ? keys : undefined
}

/** Any one of the CSINodes that have keys for the driver, each as likely as the others; `below` gives a random index. */
export function pickTopologyKeys(
  csiNodes: Iterable<CSINode>,
  driverName: string,
  below: (bound: number) => number,
): readonly string[] | undefined {
  const candidates = [...csiNodes].flatMap((csiNode) => {
    const keys = topologyKeysOf(csiNode, driverName)
    return keys ? [keys] : []
  })
  return candidates.length === 0 ? undefined : candidates[below(candidates.length)]
}

export type AggregateParts = {
  readonly driverName: string
  readonly nodes: Iterable<Node>
  findCsiNode(name: string): CSINode | undefined
  /** Only nodes on which the driver is registered count. Without it, all that carry the labels, as the upstream provisioner has it. */
  readonly onlyRegistered: boolean
}

/** The topology terms of the nodes that have all these labels, sorted and each once. */
export function aggregateTerms(
  keys: readonly string[],
  { driverName, nodes, findCsiNode, onlyRegistered }: AggregateParts,
): TopologyTerm[] {
  const isRegistered = ({ metadata: { name = '' } }: Node): boolean =>
    findCsiNode(name)?.spec.drivers?.some((driver) => driver.name === driverName) ?? false
  const terms: TopologyTerm[] = []
  for (const node of nodes) {
    const term = findTermOfLabels(keys, node.metadata.labels)
    if (term && (!onlyRegistered || isRegistered(node))) terms.push(term)
  }
  return uniqueTerms(terms)
}

/** Where in a list of topology terms the volume of a claim begins. */
export type Spread = {
  /** Of the set's name for a claim of a StatefulSet, otherwise of the claim's whole name. */
  readonly hash: number
  /** Of the pod in its set; undefined for a name that does not end in `-<number>`. */
  readonly ordinal: number | undefined
}

const LARGEST = 2 ** 32 - 1

/**
 * Reads `<template>-<set>-<ordinal>`: the claims of one pod get the same number whatever their template, and those of the next pod the
 * next one. So the volumes of a set are spread evenly, and those of one pod lie together.
 */
export function spreadOf(claimName: string): Spread {
  const dash = claimName.lastIndexOf('-')
  const last = claimName.slice(dash + 1)
  const ordinal = dash >= 0 && /^\d+$/.test(last) ? Number(last) : LARGEST + 1
  if (ordinal > LARGEST) return { hash: fnv1(claimName), ordinal: undefined }
  const owner = claimName.slice(0, dash)
  return { hash: fnv1(owner.slice(owner.lastIndexOf('-') + 1)), ordinal }
}

/** The index of the first term. The sum wraps at 32 bits before it is divided. */
export function spreadIndex({ hash, ordinal = 0 }: Spread, places: number): number {
  return ((hash + ordinal) >>> 0) % places
}

/** FNV-1 of 32 bits: multiplies first, unlike FNV-1a. */
export function fnv1(text: string): number {
  let hash = 2166136261
  for (const byte of Buffer.from(text)) hash = (Math.imul(hash, 16777619) ^ byte) >>> 0
  return hash
}
