import { CsiError } from '../../csi/csi-error.ts'
import type { TopologyRequirement } from '../../csi/generated/csi/v1/csi.ts'
import type { HostpathNode } from './hostpath.ts'
import { sameMap } from './same-map.ts'

type Segments = Record<string, string>

/** Is the place within the area? An area without segments is everywhere. */
export const isWithin = (place: Segments, area: Segments): boolean =>
  Object.entries(area).every(([key, value]) => place[key] === value)

/** Where to make a volume: the place required, or without a requirement, where the node that was asked is. */
export const chooseTopology = (
  requirement: TopologyRequirement | undefined,
  asked: HostpathNode,
  nodes: Iterable<HostpathNode>,
): Segments => requirePlace(requirement, nodes) ?? asked.topology

/**
 * The first place that is preferred, else requisite, and that one of our nodes is in; undefined without a requirement.
 * RESOURCE_EXHAUSTED when none of our nodes is there.
 */
export function requirePlace(
  requirement: TopologyRequirement | undefined,
  nodes: Iterable<HostpathNode>,
): Segments | undefined {
  const wished = [...(requirement?.preferred ?? []), ...(requirement?.requisite ?? [])].map(({ segments }) => segments)
  if (wished.length === 0) return undefined
  const places = Array.from(nodes, (node) => node.topology)
  const chosen = wished.find((segments) => places.some((place) => isWithin(place, segments)))
  if (chosen) return chosen
  throw new CsiError('RESOURCE_EXHAUSTED', `no node of this driver has the topology ${JSON.stringify(wished[0])}`)
}

/** May a volume in this place answer the requirement? For repeated calls. */
export function satisfies(place: Segments, requirement: TopologyRequirement | undefined): boolean {
  const requisite = requirement?.requisite ?? []
  return requisite.length === 0 || requisite.some(({ segments }) => isWithin(place, segments))
}

/** The different places of nodes, none for nodes without topology. */
export function placesOf(nodes: Iterable<HostpathNode>): Segments[] {
  const places: Segments[] = []
  for (const { topology } of nodes)
    if (Object.keys(topology).length > 0 && !places.some((place) => sameMap(place, topology))) places.push(topology)
  return places
}
