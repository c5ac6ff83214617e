import { CsiError } from '../../csi/csi-error.ts'
import type { TopologyRequirement } from '../../csi/generated/csi/v1/csi.ts'
import type { HostpathNode } from './hostpath.ts'
import { sameMap } from './same-map.ts'

type Segments = Record<string, string>

/** Whether the location is within the area. An area without segments is everywhere. */
export const isWithin = (place: Segments, area: Segments): boolean =>
  Object.entries(area).every(([key, value]) => place[key] === value)

/** Where to create a volume: in the required topology or, without a requirement, on the node that was called. */
export const chooseTopology = (
  requirement: TopologyRequirement | undefined,
  asked: HostpathNode,
  nodes: Iterable<HostpathNode>,
): Segments => requirePlace(requirement, nodes) ?? asked.topology

/**
 * The first preferred, otherwise requisite topology that one of our nodes has; undefined without a requirement. RESOURCE_EXHAUSTED if none of our
 * nodes matches.
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

/** Whether a volume with this topology satisfies the requirement, for repeated calls. */
export function satisfies(place: Segments, requirement: TopologyRequirement | undefined): boolean {
  const requisite = requirement?.requisite ?? []
  return requisite.length === 0 || requisite.some(({ segments }) => isWithin(place, segments))
}

/** The distinct topologies of nodes; none for nodes without topology. */
export function placesOf(nodes: Iterable<HostpathNode>): Segments[] {
  const places: Segments[] = []
  for (const { topology } of nodes)
    if (Object.keys(topology).length > 0 && !places.some((place) => sameMap(place, topology))) places.push(topology)
  return places
}
