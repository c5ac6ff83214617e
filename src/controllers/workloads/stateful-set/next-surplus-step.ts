import { isAvailablePod, isLeaving } from '../pod-state.ts'
import { ordinalOf } from './identity.ts'
import { ownerStep } from './next-replica-step.ts'
import type { SetState, StatefulSetStep } from './set-state.ts'
import { REASONS } from './reasons.ts'

/**
 * The next step for pods that the set no longer wants. Before any is deleted, their claims get the owners of the retention policy. In order, one is
 * deleted at a time, from the highest ordinal down, and only while those below it are available.
 */
export function nextSurplusStep(state: SetState): StatefulSetStep | undefined {
  const { set, surplus, nowMs } = state
  for (const pod of surplus) {
    const step = ownerStep(state, { pod, ordinal: ordinalOf(set, pod) ?? -1, isSurplus: true })
    if (step) return step
  }
  const present = surplus.filter((pod) => !isLeaving(pod))
  if (set.spec.podManagementPolicy === 'Parallel')
    return present.length > 0 ? { kind: 'delete-pods', pods: present } : undefined

  const isHealthy = (pod: (typeof surplus)[number]): boolean =>
    !isLeaving(pod) && isAvailablePod(pod, set.spec.minReadySeconds ?? 0, nowMs)
  const firstUnhealthy = surplus.findLast((pod) => !isHealthy(pod))
  const [highest] = surplus
  if (!highest) return undefined
  if (isLeaving(highest)) return { kind: 'wait', reason: REASONS.PodLeaving(highest) }
  return isHealthy(highest) || highest === firstUnhealthy
    ? { kind: 'delete-pods', pods: [highest] }
    : { kind: 'wait', reason: REASONS.PodNotReady(firstUnhealthy ?? highest) }
}
