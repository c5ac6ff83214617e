import type { CSINode } from '../../api/kinds/csi-node.ts'
import type { Node } from '../../api/kinds/node.ts'
import type { TopologySelectorTerm } from '../../api/kinds/selectors.ts'
import type { TopologyRequirement } from '../../csi/generated/csi/v1/csi.ts'
import { ok, refuse, reschedule } from './decision.ts'
import type { Decision } from './decision.ts'
import { spreadIndex, spreadOf } from './spread-by-name.ts'
import { findTermOfLabels, flattenTopologies, isPartOf, topologyOf, uniqueTerms } from './topology-term.ts'
import type { TopologyTerm } from './topology-term.ts'

export type TopologyOptions = {
  /** Ask for the selected node's place and no other. Default false. */
  readonly strict: boolean
  /** Say where volumes may be even when no node was selected. Default true. */
  readonly immediate: boolean
  /**
   * Which claims without a selected node get a preferred order: `all` (default), by a hash of their name; or only those with an `ordinal`
   * at the end of it, and the others none.
   */
  readonly preferredFor: 'all' | 'ordinal'
}

export const DEFAULT_TOPOLOGY_OPTIONS: TopologyOptions = { strict: false, immediate: true, preferredFor: 'all' }

/** What is known of the nodes. */
export type ClusterTopology = {
  findNode(name: string): Node | undefined
  findCsiNode(name: string): CSINode | undefined
  /** The topology keys of any one node that has the driver; one node alone is asked, so that none can bend the keys of others. */
  pickKeys(): readonly string[] | undefined
  /** The places of all nodes that have these labels. Asked once for a request, so that it may be kept until a node changes. */
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
 * Where the driver may make the volume, and in which order it should try. Both depend on the set of places and the claim alone, never on
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
  // Nobody else takes a claim away from a node that is gone.
  if (!csiNode || !node)
    return reschedule({ code: 'SelectedNodeGone', detail: { node: name, missing: csiNode ? 'Node' : 'CSINode' } })
  const keys = topologyKeysOf(csiNode, driverName)
  if (!keys) {
    const waitsFor = { kind: 'object', kindName: 'CSINode', name } as const
    return refuse({
      code: 'NoTopologyKeys',
      waitsFor,
      detail: { driver: driverName, node: name },
      cure: 'Check that the driver runs on the node.',
    })
  }
  const term = findTermOfLabels(keys, node.metadata.labels)
  if (term) return ok({ keys, term })
  const missing = keys.filter((key) => !Object.hasOwn(node.metadata.labels ?? {}, key))
  return refuse({
    code: 'TopologyLabelMissing',
    waitsFor: { kind: 'object', kindName: 'Node', name },
    detail: { labels: missing.join(' ') },
  })
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
  if (!keys)
    return refuse({
      code: 'NoTopologyKeys',
      detail: { driver: driverName },
      cure: 'Check that the driver runs on a node.',
    })
  const terms = cluster.aggregate(keys)
  if (terms.length > 0) return ok(terms)
  return refuse({
    code: 'NoNodeWithTopology',
    detail: { driver: driverName, labels: keys.join(' ') },
    cure: 'Check that the driver runs on a node.',
  })
}

/** The index of the place to try first; the others follow in their order, from the beginning again after the last. Undefined: no order. */
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
  refuse({
    code: 'NodeNotInAllowedTopologies',
    detail: { node: selectedNode },
    cure: 'Let the StorageClass allow the topology of the node.',
  })

/** Undefined when the driver is not on the node, or says nothing of where the node is. */
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

/** The places of the nodes that have all these labels, sorted and each once. */
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
