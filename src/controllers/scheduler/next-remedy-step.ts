import type { ClusterView } from './cluster-view.ts'
import { judgeNode } from './judge-node.ts'
import type { PlacementStep } from './next-placement-step.ts'
import { UNSCHEDULABLE } from './node-entry.ts'
import type { Plan } from './plan-placement.ts'
import { REASONS } from './reasons.ts'
import type { SchedulerReason } from './reasons.ts'

export type Unschedulable = Extract<PlacementStep, { kind: 'unschedulable' }>

// The node cannot access a volume, whatever else is done to it.
const OUT_OF_REACH: ReadonlySet<string> = new Set<SchedulerReason['code']>([
  'VolumeNodeAffinityConflict',
  'OtherNodeSelected',
])

/** What has to change so that a node can run the pod. It checks more than the scheduler, which only has to know that there is none. */
export function nextRemedyStep({ reason, plan, verdicts }: Unschedulable, world: ClusterView): SchedulerReason {
  if (!plan) return reason
  const apart = findApart(plan, world)
  if (apart) return apart
  const uncordoned: Plan = {
    ...plan,
    toleratesUnschedulable: true,
    tolerations: [...plan.tolerations, { key: UNSCHEDULABLE.key, operator: 'Exists' }],
  }
  const cordoned = verdicts.filter(({ node: name, obstacles }) => {
    const node = obstacles[0]?.code === 'NodeUnschedulable' ? world.nodeTable.find(name) : undefined
    return node !== undefined && judgeNode(uncordoned, node, world).length === 0
  })
  if (cordoned.length === 0) return reason
  const others = verdicts.filter((verdict) => !cordoned.includes(verdict))
  const isOnlyWay = others.every(({ obstacles }) => obstacles.some(({ code }) => OUT_OF_REACH.has(code)))
  return REASONS.OnlyCordoned(cordoned.map(({ node }) => node).sort(), isOnlyWay)
}

/** A volume that no node can access, or volumes that no node can access together. */
function findApart({ bound }: Plan, world: ClusterView): SchedulerReason | undefined {
  const nodes = world.nodeTable.all
  const placed = bound.flatMap(({ reach, elsewhere }) => (reach ? [{ reach, elsewhere }] : []))
  const haveCommonNode = (volumes: typeof placed): boolean =>
    nodes.some((node) => volumes.every(({ reach }) => reach(node)))
  if (nodes.length === 0 || haveCommonNode(placed)) return undefined
  const unreachable = placed.find((volume) => !haveCommonNode([volume]))
  if (unreachable) return unreachable.elsewhere
  const pairs = placed.flatMap((one, at) => placed.slice(at + 1).map((other) => [one, other]))
  const apart = pairs.find((pair) => !haveCommonNode(pair)) ?? placed
  return REASONS.VolumesApart(apart.map(({ elsewhere }) => elsewhere.detail ?? {}))
}
