import { hasCondition } from '../../api/conditions.ts'
import type { Node } from '../../api/kinds/node.ts'
import type { Pod, PodCondition } from '../../api/kinds/pod.ts'
import { OUT_OF_SERVICE } from '../../api/node-taints.ts'
import { isFinishedPod } from '../../storage/pod-claims.ts'

export type GarbageView = {
  readonly pods: readonly Pod[]
  findNode(name: string): Node | undefined
  /** Nodes that pods name and that do not exist, as far as the server has confirmed that. */
  readonly goneNodes: ReadonlySet<string>
  /** How many finished pods are kept. 0: all. */
  readonly threshold: number
}

/** A pod to be deleted without a grace period. */
export type Garbage = {
  readonly pod: Pod
  readonly reason: 'terminated' | 'out-of-service' | 'orphaned' | 'unscheduled'
  /** Set before the deletion. */
  readonly condition?: Omit<PodCondition, 'lastTransitionTime'>
}

const NODE_GONE: Omit<PodCondition, 'lastTransitionTime'> = {
  type: 'DisruptionTarget',
  status: 'True',
  reason: 'DeletionByPodGC',
  message: 'PodGC: node no longer exists',
}

/** The pods that no node and no user will remove: each once, with the first reason. */
export function chooseGarbage({ pods, findNode, goneNodes, threshold }: GarbageView): readonly Garbage[] {
  const finished = pods.filter(isFinishedPod)
  const surplus = threshold > 0 ? Math.max(0, finished.length - threshold) : 0
  const terminated = new Set(surplus > 0 ? finished.toSorted(byEvictionAndAge).slice(0, surplus) : [])
  return pods.flatMap((pod): Garbage[] => {
    const { nodeName = '' } = pod.spec
    const isLeaving = pod.metadata.deletionTimestamp !== undefined
    if (terminated.has(pod)) return [{ pod, reason: 'terminated' }]
    if (nodeName === '') return isLeaving ? [{ pod, reason: 'unscheduled' }] : []
    if (goneNodes.has(nodeName)) return [{ pod, reason: 'orphaned', condition: NODE_GONE }]
    return isLeaving && isLost(findNode(nodeName)) ? [{ pod, reason: 'out-of-service' }] : []
  })
}

/** Nobody on the node can confirm the end of a pod, and an administrator has said that nothing is running there. */
const isLost = (node: Node | undefined): boolean =>
  node !== undefined &&
  !hasCondition(node.status?.conditions, 'Ready') &&
  (node.spec?.taints ?? []).some(({ key }) => key === OUT_OF_SERVICE)

/** Pods that a node has evicted first, then the oldest. */
function byEvictionAndAge(one: Pod, other: Pod): number {
  const isEvicted = ({ status }: Pod): boolean => status?.phase === 'Failed' && status.reason === 'Evicted'
  return (
    Number(isEvicted(other)) - Number(isEvicted(one)) ||
    (one.metadata.creationTimestamp ?? '').localeCompare(other.metadata.creationTimestamp ?? '') ||
    (one.metadata.name ?? '').localeCompare(other.metadata.name ?? '')
  )
}
