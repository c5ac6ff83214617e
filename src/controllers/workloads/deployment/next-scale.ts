import type { ReplicaSet } from '../../../api/kinds/replica-set.ts'
import {
  allSets,
  DESIRED,
  isRolling,
  limitsOf,
  MAXIMUM,
  newSizeOf,
  sizeAnnotations,
  sizeOf,
  sortByAge,
  sumOf,
  wantedSize,
} from './rollout.ts'
import type { Rollout } from './rollout.ts'

/** A ReplicaSet and the size that it should have. */
export type Scale = { readonly set: ReplicaSet; readonly replicas: number }

const isActive = (set: ReplicaSet): boolean => sizeOf(set) > 0
const availableIn = ({ status }: ReplicaSet): number => status?.availableReplicas ?? 0

/** Whether the wanted number has changed since the sets were scaled. */
export const isScaled = (rollout: Rollout): boolean =>
  allSets(rollout)
    .filter(isActive)
    .some(({ metadata }) => {
      const desired = metadata.annotations?.[DESIRED]
      return desired !== undefined && desired !== String(wantedSize(rollout.deployment))
    })

/** After the wanted number has changed, or while the Deployment is paused: all sets change in proportion to their size. */
export function proportionalScales(rollout: Rollout): readonly Scale[] {
  const { deployment, newSet, oldSets } = rollout
  const wanted = wantedSize(deployment)
  const active = allSets(rollout).filter(isActive)
  if (active.length <= 1) {
    const only = active[0] ?? newSet ?? sortByAge(oldSets).at(-1)
    return only && sizeOf(only) !== wanted ? [{ set: only, replicas: wanted }] : []
  }
  const isSaturated =
    newSet &&
    sizeOf(newSet) === wanted &&
    newSet.metadata.annotations?.[DESIRED] === String(wanted) &&
    availableIn(newSet) === wanted
  if (isSaturated) return oldSets.filter(isActive).map((set) => ({ set, replicas: 0 }))
  return isRolling(deployment) ? sharesOf(rollout, active) : []
}

function sharesOf({ deployment }: Rollout, active: readonly ReplicaSet[]): readonly Scale[] {
  const wanted = wantedSize(deployment)
  const allowed = wanted > 0 ? wanted + limitsOf(deployment).maxSurge : 0
  const toAdd = allowed - sumOf(active, sizeOf)
  // The largest first. Of equal ones, the newer grow first and the older shrink first.
  const byAge = toAdd > 0 ? sortByAge(active).toReversed() : sortByAge(active)
  const sorted = byAge.toSorted((one, other) => sizeOf(other) - sizeOf(one))
  const scales: Scale[] = []
  let added = 0
  for (const set of sorted) {
    const share = toAdd === 0 ? 0 : shareOf(set, { wanted, allowed, left: toAdd - added, status: deployment.status })
    added += share
    scales.push({ set, replicas: sizeOf(set) + share })
  }
  const [largest, ...rest] = scales
  if (!largest) return []
  const all = [{ ...largest, replicas: Math.max(0, largest.replicas + toAdd - added) }, ...rest]
  const annotations = Object.entries(sizeAnnotations(deployment))
  return all.filter(
    ({ set, replicas }) =>
      replicas !== sizeOf(set) || annotations.some(([name, value]) => set.metadata.annotations?.[name] !== value),
  )
}

type Room = {
  readonly wanted: number
  readonly allowed: number
  readonly left: number
  readonly status: Rollout['deployment']['status']
}

function shareOf(set: ReplicaSet, { wanted, allowed, left, status }: Room): number {
  if (left === 0) return 0
  const size = sizeOf(set)
  const before = Number(set.metadata.annotations?.[MAXIMUM] ?? 0) || (status?.replicas ?? 0)
  const share = wanted === 0 ? -size : before === 0 ? 0 : Math.round((size * allowed) / before) - size
  return left > 0 ? Math.min(share, left) : Math.max(share, left)
}

/** The next change of a rolling update: the new set grows as far as it may, otherwise old sets shrink as far as they may. */
export function rollingScales(rollout: Rollout & { readonly newSet: ReplicaSet }): readonly Scale[] {
  const { deployment, newSet } = rollout
  const wanted = wantedSize(deployment)
  const size = sizeOf(newSet)
  const newSize = size > wanted ? wanted : newSizeOf(rollout, size)
  return newSize === size ? shrinkOldSets(rollout) : [{ set: newSet, replicas: newSize }]
}

/** Pods that are not available go first: without them, nothing is lost. */
function shrinkOldSets(rollout: Rollout & { readonly newSet: ReplicaSet }): readonly Scale[] {
  const { deployment, newSet } = rollout
  const old = sortByAge(rollout.oldSets.filter(isActive))
  const minAvailable = wantedSize(deployment) - limitsOf(deployment).maxUnavailable
  const newUnavailable = sizeOf(newSet) - availableIn(newSet)
  let spare = sumOf(allSets(rollout), sizeOf) - minAvailable - newUnavailable
  if (spare <= 0) return []
  const sizes = new Map(old.map((set) => [set, sizeOf(set)]))
  for (const set of old) {
    const unhealthy = Math.max(0, Math.min(spare, sizeOf(set) - availableIn(set)))
    sizes.set(set, sizeOf(set) - unhealthy)
    spare -= unhealthy
  }
  let surplus = sumOf(allSets(rollout), availableIn) - minAvailable
  for (const set of old) {
    const size = sizes.get(set) ?? 0
    const cut = Math.max(0, Math.min(size, surplus))
    sizes.set(set, size - cut)
    surplus -= cut
  }
  return old.flatMap((set) => {
    const replicas = sizes.get(set) ?? 0
    return replicas === sizeOf(set) ? [] : [{ set, replicas }]
  })
}
