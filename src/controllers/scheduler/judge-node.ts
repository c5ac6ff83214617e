import type { ClusterView, NodeView } from './cluster-view.ts'
import { findMisfits, fitVolumes } from './fit-volumes.ts'
import { NODE_OBSTACLES } from './obstacles.ts'
import type { Obstacle } from './obstacles.ts'
import { groupByDriver } from './plan-placement.ts'
import type { DriverVolumes, Plan } from './plan-placement.ts'
import { countedOf } from './pod-record.ts'
import { findUntolerated } from './taints.ts'

const NONE: readonly Obstacle[] = []

/**
 * What keeps the pod off the node; nothing: it can go there. As in Kubernetes the first thing that is wrong is told, in this order, and
 * all of that thing.
 */
export function judgeNode(plan: Plan, node: NodeView, world: ClusterView): readonly Obstacle[] {
  if (node.isUnschedulable && !plan.toleratesUnschedulable) return [NODE_OBSTACLES.unschedulable]
  const taint = node.taints.blocking.length === 0 ? undefined : findUntolerated(node.taints.blocking, plan.tolerations)
  if (taint) return [NODE_OBSTACLES.taint(taint)]
  if (!plan.matches(node)) return [NODE_OBSTACLES.affinity]
  const short = findShortResources(plan, node)
  if (short.length > 0) return short
  if (plan.everywhere) return [plan.everywhere]
  const driver = plan.volumes.length === 0 ? undefined : findFullDriver(plan.volumes, node)
  if (driver !== undefined) return [NODE_OBSTACLES.attachLimit(driver)]
  if (plan.bound.length === 0 && plan.unbound.length === 0) return NONE
  return plan.unbound.some(({ isAllowed }) => !isAllowed)
    ? judgeMatches(plan, node, world)
    : findMisfits(plan, node, world)
}

/** Where volumes are made by hand only the volume that a claim would get tells whose limit it counts for. */
function judgeMatches(plan: Plan, node: NodeView, world: ClusterView): readonly Obstacle[] {
  const fit = fitVolumes(plan, node, world)
  if (fit.kind === 'misfits') return fit.obstacles
  const added = plan.volumes.flatMap(({ driver, handles }) => Array.from(handles, (handle) => ({ driver, handle })))
  const driver = findFullDriver(
    groupByDriver([...added, ...fit.matches.flatMap(({ volume }) => countedOf(volume) ?? [])]),
    node,
  )
  return driver === undefined ? NONE : [NODE_OBSTACLES.attachLimit(driver)]
}

function findShortResources({ record: { requests } }: Plan, node: NodeView): readonly Obstacle[] {
  const { pods, cpuMilli, memoryBytes } = node.allocatable
  if (pods === undefined && cpuMilli === undefined && memoryBytes === undefined) return NONE
  const used = node.usage()
  const obstacles: Obstacle[] = []
  if (pods !== undefined && used.pods + 1 > pods) obstacles.push(NODE_OBSTACLES.pods)
  // What asks for nothing can't be too much, even on a node that has less than nothing left.
  if (cpuMilli !== undefined && requests.cpuMilli > 0 && used.cpuMilli + requests.cpuMilli > cpuMilli)
    obstacles.push(NODE_OBSTACLES.resource('cpu'))
  if (memoryBytes !== undefined && requests.memoryBytes > 0 && used.memoryBytes + requests.memoryBytes > memoryBytes)
    obstacles.push(NODE_OBSTACLES.resource('memory'))
  return obstacles.length === 0 ? NONE : obstacles
}

/** A driver that would have more volumes on the node than it can. Those that are there already are not counted again. */
function findFullDriver(volumes: readonly DriverVolumes[], node: NodeView): string | undefined {
  for (const { driver, handles } of volumes) {
    const limit = node.drivers.get(driver)?.limit
    if (limit === undefined) continue
    const present = node.usage().volumes.get(driver)
    let added = 0
    for (const handle of handles) if (!present?.has(handle)) added++
    if (added > 0 && (present?.size ?? 0) + added > limit) return driver
  }
  return undefined
}
