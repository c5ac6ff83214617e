import type { PersistentVolume } from '../../api/kinds/persistent-volume.ts'
import type { Place } from '../../api/node-selector.ts'
import { keyOf } from '../../api/object-key.ts'
import { unlessInvalid } from '../../api/selector-error.ts'
import { findBestVolume } from '../../storage/find-best-volume.ts'
import { isBetter } from './anchored-shelves.ts'
import type { ClusterView } from './cluster-view.ts'
import type { Plan, UnboundClaim } from './plan-placement.ts'
import { REASONS } from './reasons.ts'
import type { SchedulerReason } from './reasons.ts'
import type { Match } from './reservations.ts'

/** How the pod's claims get their volumes on a node. With obstacles, they do not. */
export type VolumeFit = {
  readonly matches: readonly Match[]
  readonly provisions: readonly UnboundClaim[]
  readonly obstacles: readonly SchedulerReason[]
}

const NONE: readonly SchedulerReason[] = []
const NO_STOCK = [{ freeFor: (): PersistentVolume[] => [] }]
const NOTHING: VolumeFit = { matches: [], provisions: [], obstacles: NONE }
const misfit = (...obstacles: SchedulerReason[]): VolumeFit => ({ ...NOTHING, obstacles })

/** Whether all volumes of the plan are accessible from the node: the bound ones, and those that the other claims would get. */
export function fitVolumes(plan: Plan, place: Place, world: ClusterView): VolumeFit {
  const elsewhere = plan.bound.find(({ reach }) => reach && !reach(place))
  const unbound = plan.unbound.length === 0 ? NOTHING : fitUnbound(plan.unbound, place, world)
  return elsewhere ? misfit(...unbound.obstacles, elsewhere.elsewhere) : unbound
}

/** Checks only whether the volumes fit, which is cheaper than how: a claim whose volume can be created need not find one. */
export function findMisfits(plan: Plan, place: Place, world: ClusterView): readonly SchedulerReason[] {
  const [only] = plan.unbound
  const isEasy =
    plan.unbound.length === 1 &&
    only !== undefined &&
    (only.selectedNode === '' || only.selectedNode === place.name) &&
    !findProvisionObstacle(only, place, world)
  return isEasy && plan.bound.length === 0 ? NONE : fitVolumes(plan, place, world).obstacles
}

function fitUnbound(claims: readonly UnboundClaim[], place: Place, world: ClusterView): VolumeFit {
  const other = claims.find(({ selectedNode }) => selectedNode !== '' && selectedNode !== place.name)
  if (other) return misfit(REASONS.OtherNodeSelected(other.key, other.selectedNode))
  const matches: Match[] = []
  const provisions: UnboundClaim[] = []
  for (const unbound of claims) {
    const volume = unbound.selectedNode === '' ? findVolume(unbound, place, world, matches) : undefined
    if (volume) {
      matches.push({ claim: unbound.claim, volume })
      continue
    }
    const obstacle = findProvisionObstacle(unbound, place, world)
    if (obstacle) return misfit(obstacle)
    provisions.push(unbound)
  }
  return { matches, provisions, obstacles: NONE }
}

function findVolume(
  { key, claim, reserved, shelf }: UnboundClaim,
  place: Place,
  world: ClusterView,
  chosen: readonly Match[],
): PersistentVolume | undefined {
  const stocks = shelf === undefined ? [] : world.shelves.freeAt(shelf, place)
  if (reserved.length === 0 && stocks.length === 0) return undefined
  const isTaken = (volume: PersistentVolume): boolean => {
    const keeper = world.reservations.keeperOf(keyOf(volume))
    return (keeper !== undefined && keeper !== key) || chosen.some((match) => match.volume === volume)
  }
  const isReachable = (volume: PersistentVolume): boolean => world.reachOf(volume)?.(place) ?? true
  let best: PersistentVolume | undefined
  for (const { freeFor } of stocks.length === 0 ? NO_STOCK : stocks) {
    const stock = { reservedFor: () => reserved, freeFor }
    // An invalid selector selects nothing.
    const found = unlessInvalid(() => findBestVolume(claim, stock, { isTaken, isReachable }))
    if (found && (!best || isBetter(found, best))) best = found
  }
  return best
}

function findProvisionObstacle(unbound: UnboundClaim, place: Place, world: ClusterView): SchedulerReason | undefined {
  const { key, className, selectedNode, isAllowed, needsRoom, sizeBytes } = unbound
  if (!isAllowed) return REASONS.NoVolumeMatches(key)
  if (!isAllowed(place)) return REASONS.TopologyNotAllowed(key, className)
  // Once the node is selected, the volume itself may have used the storage.
  if (!needsRoom || selectedNode !== '') return undefined
  const hasRoom = world.rooms.at(className, place).some((room) => room.sizeBytes >= sizeBytes && room.matches(place))
  return hasRoom ? undefined : REASONS.StorageShort(key, className)
}
