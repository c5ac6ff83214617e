import { isEqualJson } from './equal-json.ts'
import type { Condition, ConditionStatus } from './kinds/condition.ts'
import { formatTimestamp } from './timestamps.ts'

export function findCondition<T extends Condition>(
  conditions: readonly T[] | null | undefined,
  type: string,
): T | undefined {
  return conditions?.find((condition) => condition.type === type)
}

/** Whether the condition exists and has this status. Default `True`. */
export function hasCondition(
  conditions: readonly Condition[] | null | undefined,
  type: string,
  status: ConditionStatus = 'True',
): boolean {
  return findCondition(conditions, type)?.status === status
}

/**
 * The list with the condition of this type replaced. The transition time is now if the status changes; otherwise it is kept. If nothing changes,
 * returns the same list, so there is nothing to write. Null fields, such as `lastProbeTime` of a pod, count as absent.
 */
export function setCondition<T extends Condition>(
  conditions: readonly T[] | null | undefined,
  condition: Omit<T, 'lastTransitionTime'>,
  nowMs: number,
): readonly T[] {
  const before = conditions ?? []
  const old = findCondition<Condition>(before, condition.type)
  const lastTransitionTime =
    old?.status === condition.status && old.lastTransitionTime ? old.lastTransitionTime : formatTimestamp(nowMs)
  // Only the time was removed from T, and it is added here.
  const wanted = { ...condition, lastTransitionTime } as unknown as T
  if (!old) return [...before, wanted]
  return isEqualJson(withoutNulls(old), wanted)
    ? before
    : before.map((each) => (each.type === condition.type ? wanted : each))
}

const withoutNulls = (condition: Condition): unknown =>
  Object.fromEntries(Object.entries(condition).filter(([, value]) => value !== null))

/** The list without the condition; the same list if the condition is not in it. */
export function removeCondition<T extends Condition>(
  conditions: readonly T[] | null | undefined,
  type: string,
): readonly T[] {
  const before = conditions ?? []
  return findCondition(before, type) ? before.filter((condition) => condition.type !== type) : before
}
