import type { ClusterView } from './cluster-view.ts'
import { findMisfits, fitVolumes } from './fit-volumes.ts'
import { untoleratedOf } from './node-entry.ts'
import type { NodeView } from './node-entry.ts'
import { groupByDriver } from './plan-placement.ts'
import type { DriverVolumes, Plan } from './plan-placement.ts'
import { countedOf } from './pod-record.ts'
import { REASONS } from './reasons.ts'
import type { SchedulerReason } from './reasons.ts'

const NONE: readonly SchedulerReason[] = []

/** Why the pod cannot run on the node; empty if it can. As in kube-scheduler, only the first failed check reports its reasons. */
export function judgeNode(plan: Plan, node: NodeView, world: ClusterView): readonly SchedulerReason[] {
  if (node.isUnschedulable && !plan.toleratesUnschedulable) return [REASONS.NodeUnschedulable]
  const [taint] = node.taints.blocking.length === 0 ? [] : untoleratedOf(node.taints.blocking, plan.tolerations)
  if (taint) return [REASONS.TaintNotTolerated(taint)]
  if (!plan.matches(node)) return [REASONS.NodeAffinityNotMet]
  const short = findShortResources(plan, node)
  if (short.length > 0) return short
  if (plan.everywhere) return [plan.everywhere]
  const driver = plan.volumes.length === 0 ? undefined : findFullDriver(plan.volumes, node)
  if (driver !== undefined) return [REASONS.AttachLimitReached(driver)]
  if (plan.bound.length === 0 && plan.unbound.length === 0) return NONE
  return plan.unbound.some(({ isAllowed }) => !isAllowed)
    ? judgeMatches(plan, node, world)
    : findMisfits(plan, node, world)
}

/** Without a provisioner, only the matching volume determines the driver that it counts for. */
function judgeMatches(plan: Plan, node: NodeView, world: ClusterView): readonly SchedulerReason[] {
  const fit = fitVolumes(plan, node, world)
  if (fit.obstacles.length > 0) return fit.obstacles
  const added = plan.volumes.flatMap(({ driver, handles }) => Array.from(handles, (handle) => ({ driver, handle })))
  const driver = findFullDriver(
    groupByDriver([...added, ...fit.matches.flatMap(({ volume }) => countedOf(volume) ?? [])]),
    node,
  )
  return driver === undefined ? NONE : [REASONS.AttachLimitReached(driver)]
}

function findShortResources({ record: { requests } }: Plan, node: NodeView): readonly SchedulerReason[] {
  const { pods, cpuMilli, memoryBytes } = node.allocatable
  if (pods === undefined && cpuMilli === undefined && memoryBytes === undefined) return NONE
  const used = node.usage()
  const obstacles: SchedulerReason[] = []
  if (pods !== undefined && used.pods + 1 > pods) obstacles.push(REASONS.TooManyPods)
  // A pod without requests fits even on an overcommitted node.
  if (cpuMilli !== undefined && requests.cpuMilli > 0 && used.cpuMilli + requests.cpuMilli > cpuMilli)
    obstacles.push(REASONS.ResourceShort('cpu'))
  if (memoryBytes !== undefined && requests.memoryBytes > 0 && used.memoryBytes + requests.memoryBytes > memoryBytes)
    obstacles.push(REASONS.ResourceShort('memory'))
  return obstacles.length === 0 ? NONE : obstacles
}

/** A driver that would exceed its limit on the node. Volumes that are already there are not counted again. */
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
