import { CsiError } from '../../csi/csi-error.ts'
import type { TopologyRequirement } from '../../csi/generated/csi/v1/csi.ts'
import type { HostpathNode } from './hostpath.ts'

type Segments = Record<string, string>

/** Is the place within the area? An area without segments is everywhere. */
export const isWithin = (place: Segments, area: Segments): boolean =>
  Object.entries(area).every(([key, value]) => place[key] === value)

/**
 * Where to make a volume: the first place that is preferred, else requisite, and that one of our nodes is in.
 * RESOURCE_EXHAUSTED when there is none; without a requirement, where the node that was asked is.
 */
export function chooseTopology(
  requirement: TopologyRequirement | undefined,
  asked: HostpathNode,
  nodes: Iterable<HostpathNode>,
): Segments {
  const wished = [...(requirement?.preferred ?? []), ...(requirement?.requisite ?? [])].map(({ segments }) => segments)
  if (wished.length === 0) return asked.topology
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
