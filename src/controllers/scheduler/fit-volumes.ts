import type { PersistentVolumeClaim } from '../../api/kinds/persistent-volume-claim.ts'
import type { PersistentVolume } from '../../api/kinds/persistent-volume.ts'
import { SelectorError } from '../../api/selector-error.ts'
import { keyOf } from '../../api/object-key.ts'
import { findBestVolume } from '../../storage/find-best-volume.ts'
import type { ClusterView } from './cluster-view.ts'
import type { Place } from './node-matcher.ts'
import { NODE_OBSTACLES } from './obstacles.ts'
import type { Obstacle } from './obstacles.ts'
import type { Plan, UnboundClaim } from './plan-placement.ts'
import { joinStocks } from './join-stocks.ts'

export type Match = { readonly claim: PersistentVolumeClaim; readonly volume: PersistentVolume }

/** How the pod's claims get their volumes on a node, or why they do not. */
export type VolumeFit =
  | { readonly kind: 'fits'; readonly matches: readonly Match[]; readonly provisions: readonly UnboundClaim[] }
  | { readonly kind: 'misfits'; readonly obstacles: readonly Obstacle[] }

const NONE: readonly Obstacle[] = []
const NOTHING: VolumeFit = { kind: 'fits', matches: [], provisions: [] }

/** Whether all volumes of the plan can be on the place: those that are bound, and those that the other claims would get. */
export function fitVolumes(plan: Plan, place: Place, world: ClusterView): VolumeFit {
  const elsewhere = plan.bound.find(({ reach }) => reach && !reach(place))
  const unbound = plan.unbound.length === 0 ? NOTHING : fitUnbound(plan.unbound, place, world)
  if (!elsewhere) return unbound
  return { kind: 'misfits', obstacles: [...(unbound.kind === 'misfits' ? unbound.obstacles : []), elsewhere.elsewhere] }
}

/** Whether they fit, sooner than how: a claim whose volume can be made need not find one. */
export function findMisfits(plan: Plan, place: Place, world: ClusterView): readonly Obstacle[] {
  const [only] = plan.unbound
  const isEasy =
    plan.unbound.length === 1 &&
    only !== undefined &&
    (only.selectedNode === '' || only.selectedNode === place.name) &&
    !findProvisionObstacle(only, place, world)
  if (isEasy && plan.bound.length === 0) return NONE
  const fit = fitVolumes(plan, place, world)
  return fit.kind === 'fits' ? NONE : fit.obstacles
}

function fitUnbound(claims: readonly UnboundClaim[], place: Place, world: ClusterView): VolumeFit {
  const other = claims.find(({ selectedNode }) => selectedNode !== '' && selectedNode !== place.name)
  if (other) return { kind: 'misfits', obstacles: [NODE_OBSTACLES.selectedElsewhere(other.key, other.selectedNode)] }
  const matches: Match[] = []
  const provisions: UnboundClaim[] = []
  for (const unbound of claims) {
    const volume = unbound.selectedNode === '' ? findVolume(unbound, place, world, matches) : undefined
    if (volume) {
      matches.push({ claim: unbound.claim, volume })
      continue
    }
    const obstacle = findProvisionObstacle(unbound, place, world)
    if (obstacle) return { kind: 'misfits', obstacles: [obstacle] }
    provisions.push(unbound)
  }
  return { kind: 'fits', matches, provisions }
}

function findVolume(
  { key, claim, reserved, shelf }: UnboundClaim,
  place: Place,
  world: ClusterView,
  chosen: readonly Match[],
): PersistentVolume | undefined {
  const free = shelf === undefined ? [] : world.freeAt(shelf, place)
  if (reserved.length === 0 && free.length === 0) return undefined
  const isTaken = (volume: PersistentVolume): boolean => {
    const keeper = world.keeperOf(keyOf(volume))
    return (keeper !== undefined && keeper !== key) || chosen.some((match) => match.volume === volume)
  }
  try {
    return findBestVolume(claim, joinStocks(reserved, free), {
      isTaken,
      isReachable: (volume) => world.reachOf(volume)?.(place) ?? true,
    })
  } catch (error) {
    // A selector that makes no sense selects nothing.
    if (error instanceof SelectorError) return undefined
    throw error
  }
}

function findProvisionObstacle(
  { key, className, selectedNode, isAllowed, needsRoom, sizeBytes }: UnboundClaim,
  place: Place,
  world: ClusterView,
): Obstacle | undefined {
  if (!isAllowed) return NODE_OBSTACLES.noVolume(key)
  if (!isAllowed(place)) return NODE_OBSTACLES.topologyNotAllowed(key, className)
  // Once the node is selected the room may be gone because this very volume has it.
  if (!needsRoom || selectedNode !== '') return undefined
  const hasRoom = world.roomsAt(className, place).some((room) => room.sizeBytes >= sizeBytes && room.matches(place))
  return hasRoom ? undefined : NODE_OBSTACLES.noRoom(key, className)
}
