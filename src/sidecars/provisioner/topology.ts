import type { CSINode } from '../../api/kinds/csi-node.ts'
import type { Node } from '../../api/kinds/node.ts'
import type { PersistentVolumeClaim } from '../../api/kinds/persistent-volume-claim.ts'
import type { PersistentVolume } from '../../api/kinds/persistent-volume.ts'
import type { NodeSelector, TopologySelectorTerm } from '../../api/kinds/selectors.ts'
import type { StorageClass } from '../../api/kinds/storage-class.ts'
import type { Topology, TopologyRequirement } from '../../csi/generated/csi/v1/csi.ts'
import { selectedNodeOf } from '../../storage/names.ts'
import type { ProvisionSettings } from './provisioner-options.ts'
import { NODES_CHANGED, ok, REASONS, refuse, reschedule } from './reasons.ts'
import type { Decision } from './reasons.ts'

/** A topology: label keys with their values, in the order of the keys. */
export type TopologyTerm = Readonly<Record<string, string>>

/** Sorts the segments of a term. */
export const termOf = (segments: TopologyTerm): TopologyTerm =>
  Object.fromEntries(Object.entries(segments).toSorted(([one], [other]) => compareText(one, other)))

/** The topology of a node from these labels; undefined if it lacks one. */
export function findTermOfLabels(keys: readonly string[], labels: TopologyTerm = {}): TopologyTerm | undefined {
  const segments: Record<string, string> = {}
  for (const key of keys) {
    const value = Object.hasOwn(labels, key) ? labels[key] : undefined
    if (value === undefined) return undefined
    segments[key] = value
  }
  return termOf(segments)
}

/** The terms that a class allows, each with one value per key: every combination of one value of each expression of an entry. */
export function flattenTopologies(allowed: readonly TopologySelectorTerm[]): TopologyTerm[] {
  return allowed.flatMap(({ matchLabelExpressions = [] }) => {
    if (matchLabelExpressions.length === 0) return []
    const ways = matchLabelExpressions.reduce<TopologyTerm[]>(
      (begun, { key, values }) => values.flatMap((value) => begun.map((term) => ({ ...term, [key]: value }))),
      [{}],
    )
    return ways.map(termOf)
  })
}

/**
 * The topology segment of a node, as the driver sees it: its labels for the driver's keys. Empty, and so the same for all nodes, for a driver without
 * keys; undefined if the node does not exist, lacks a label, or does not have the driver.
 */
export function findSegment(
  driverName: string,
  csiNode: CSINode | undefined,
  node: Node | undefined,
): TopologyTerm | undefined {
  const entry = csiNode?.spec.drivers?.find(({ name }) => name === driverName)
  return entry && node && findTermOfLabels(entry.topologyKeys ?? [], node.metadata.labels)
}

/** The terms in which a volume may be. Undefined if its node affinity is absent, or selects nodes in another way. */
export function findVolumePlaces({ spec: { nodeAffinity } }: PersistentVolume): TopologyTerm[] | undefined {
  const terms = nodeAffinity?.required?.nodeSelectorTerms ?? []
  const expressions = terms.flatMap(({ matchExpressions = [] }) => matchExpressions)
  if (expressions.some(({ operator }) => operator !== 'In')) return undefined
  const places = flattenTopologies(
    terms.map(({ matchExpressions = [] }) => ({
      matchLabelExpressions: matchExpressions.map(({ key, values = [] }) => ({ key, values })),
    })),
  )
  return places.length === 0 ? undefined : places
}

/**
 * The nodes that can access a volume: one term per topology, one value per key, so that no combination is allowed that the driver did not return.
 * Undefined if it returned none.
 */
export function findNodeAffinity(
  accessibleTopology: readonly Topology[],
): { readonly required: NodeSelector } | undefined {
  const terms = accessibleTopology.flatMap(({ segments }) => {
    const keys = Object.keys(segments).sort()
    const matchExpressions = keys.map((key) => ({ key, operator: 'In' as const, values: [segments[key] ?? ''] }))
    return matchExpressions.length === 0 ? [] : [{ matchExpressions }]
  })
  return terms.length === 0 ? undefined : { required: { nodeSelectorTerms: terms } }
}

/** Sorted, without duplicates. A term that a shorter one covers is kept: the driver may treat it differently. */
export const uniqueTerms = (terms: readonly TopologyTerm[]): TopologyTerm[] =>
  [...new Map(terms.map((term) => [termKeyOf(term), term])).values()].sort(compareTerms)

/** Equal terms have the same key. */
export const termKeyOf = (term: TopologyTerm): string => JSON.stringify(Object.entries(term))

/** Whether everything in `part` holds in `whole` too. */
export const isPartOf = (part: TopologyTerm, whole: TopologyTerm): boolean =>
  Object.entries(part).every(([key, value]) => whole[key] === value)

/** Shorter ones first, then by key and value from the first segment on. */
function compareTerms(one: TopologyTerm, other: TopologyTerm): number {
  const [texts, others] = [Object.entries(one).flat(), Object.entries(other).flat()]
  const different = texts.findIndex((text, index) => text !== others[index])
  return texts.length - others.length || compareText(texts[different], others[different])
}

// Labels are ASCII, where this is the order of bytes.
export const compareText = (one = '', other = ''): number => (one < other ? -1 : one > other ? 1 : 0)

/** What is known about the nodes. */
export type ClusterTopology = {
  findNode(name: string): Node | undefined
  findCsiNode(name: string): CSINode | undefined
  /** The topology keys of one random node that has the driver, all equally likely: one node decides, so that none can change the keys of others. */
  pickKeys(): readonly string[] | undefined
  /** The topology terms of all nodes that have these labels, sorted and without duplicates. */
  aggregate(keys: readonly string[]): readonly TopologyTerm[]
}

export type TopologyQuestion = {
  readonly driverName: string
  readonly claim: PersistentVolumeClaim
  readonly class: StorageClass
  readonly caches: { readonly cluster: ClusterTopology }
  readonly settings: Pick<ProvisionSettings, 'strictTopology' | 'immediateTopology' | 'preferredTopology'>
}

/**
 * Where the driver may create the volume, and in which order it should try. Both depend only on the set of terms and the claim, never on the order in
 * which nodes are listed. Undefined: anywhere.
 */
export function accessibilityRequirements(question: TopologyQuestion): Decision<TopologyRequirement | undefined> {
  const selected = selectedNodeOf(question.claim) === '' ? ok(undefined) : placeOfNode(question)
  if (selected.kind !== 'ok') return selected
  const requisite = findRequisite(question, selected.value)
  if (requisite.kind !== 'ok') return requisite
  const terms = uniqueTerms(requisite.value ?? [])
  if (terms.length === 0) return ok(undefined)
  const first = firstPreferred(question, terms, selected.value?.term)
  if (first.kind !== 'ok') return first
  const topologies = terms.map((segments) => ({ segments }))
  const preferred =
    first.value === undefined ? [] : [...topologies.slice(first.value), ...topologies.slice(0, first.value)]
  return ok({ requisite: topologies, preferred })
}

type Place = { readonly keys: readonly string[]; readonly term: TopologyTerm }

function placeOfNode({ driverName, claim, caches: { cluster } }: TopologyQuestion): Decision<Place> {
  const name = selectedNodeOf(claim)
  const csiNode = cluster.findCsiNode(name)
  const node = cluster.findNode(name)
  // No other component removes a deleted node from the claim.
  if (!csiNode || !node) return reschedule(REASONS.SelectedNodeGone(name, csiNode ? 'Node' : 'CSINode'))
  const keys = topologyKeysOf(csiNode, driverName)
  if (!keys) return refuse(REASONS.NoTopologyKeysOnNode(driverName, name), NODES_CHANGED)
  const term = findTermOfLabels(keys, node.metadata.labels)
  if (term) return ok({ keys, term })
  const missing = keys.filter((key) => !Object.hasOwn(node.metadata.labels ?? {}, key))
  return refuse(REASONS.TopologyLabelMissing(name, missing), NODES_CHANGED)
}

function findRequisite(
  question: TopologyQuestion,
  selected: Place | undefined,
): Decision<readonly TopologyTerm[] | undefined> {
  const { caches, driverName, settings } = question
  const { allowedTopologies = [] } = question.class
  const allowed = allowedTopologies.length === 0 ? undefined : flattenTopologies(allowedTopologies)
  if (selected && settings.strictTopology)
    return allowed && !allowed.some((term) => isPartOf(term, selected.term))
      ? notAllowed(question)
      : ok([selected.term])
  if (allowed) return ok(allowed)
  if (!selected && !settings.immediateTopology) return ok(undefined)
  const keys = selected?.keys ?? caches.cluster.pickKeys()
  if (!keys) return refuse(REASONS.NoTopologyKeys(driverName), NODES_CHANGED)
  const terms = caches.cluster.aggregate(keys)
  return terms.length > 0 ? ok(terms) : refuse(REASONS.NoNodeWithTopology(driverName, keys), NODES_CHANGED)
}

/** The index of the term to try first; the others follow in order and wrap around. Undefined if there is no order. */
function firstPreferred(
  question: TopologyQuestion,
  terms: readonly TopologyTerm[],
  selected: TopologyTerm | undefined,
): Decision<number | undefined> {
  if (selected) {
    const index = terms.findIndex((term) => isPartOf(term, selected))
    return index < 0 ? notAllowed(question) : ok(index)
  }
  const spread = spreadOf(question.claim.metadata.name ?? '')
  const { preferredTopology } = question.settings
  return ok(
    preferredTopology === 'ordinal' && spread.ordinal === undefined ? undefined : spreadIndex(spread, terms.length),
  )
}

const notAllowed = ({ claim }: TopologyQuestion) =>
  refuse(REASONS.NodeNotInAllowedTopologies(selectedNodeOf(claim)), NODES_CHANGED)

/** Undefined if the driver is not on the node, or reports no topology for it. */
export function topologyKeysOf({ spec }: CSINode, driverName: string): readonly string[] | undefined {
  const keys = spec.drivers?.find(({ name }) => name === driverName)?.topologyKeys
  return keys && keys.length > 0 ? keys : undefined
}

/** Determines the first topology term for the volume of a claim. */
export type Spread = {
  /** Of the set's name for a claim of a StatefulSet, otherwise of the claim's whole name. */
  readonly hash: number
  /** Of the pod in its set; undefined for a name that does not end in `-<number>`. */
  readonly ordinal: number | undefined
}

const LARGEST = 2 ** 32 - 1

/**
 * Reads `<template>-<set>-<ordinal>`: the claims of one pod get the same number whatever their template, and those of the next pod the next one. So
 * the volumes of a set are spread evenly, and those of one pod are in the same place.
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

/** 32-bit FNV-1: multiplies first, unlike FNV-1a. */
export function fnv1(text: string): number {
  let hash = 2166136261
  for (const byte of Buffer.from(text)) hash = (Math.imul(hash, 16777619) ^ byte) >>> 0
  return hash
}
