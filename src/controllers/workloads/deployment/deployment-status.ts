import { findCondition, removeCondition } from '../../../api/conditions.ts'
import type { Deployment, DeploymentStatus } from '../../../api/kinds/deployment.ts'
import type { ReplicaSet } from '../../../api/kinds/replica-set.ts'
import { findTimestamp, formatTimestamp } from '../../../api/timestamps.ts'
import { nameOf } from '../revisions.ts'
import { allSets, limitsOf, sizeOf, sumOf, wantedSize } from './rollout.ts'
import type { Rollout } from './rollout.ts'

export type DeploymentCondition = NonNullable<DeploymentStatus['conditions']>[number]
type Conditions = readonly DeploymentCondition[]
type NewCondition = Pick<DeploymentCondition, 'type' | 'status' | 'reason' | 'message'>

const NO_DEADLINE = 2 ** 31 - 1
const AVAILABLE = 'NewReplicaSetAvailable'
const TIMED_OUT = 'ProgressDeadlineExceeded'
const PAUSED = 'DeploymentPaused'

/** The status that follows from the ReplicaSets. `isRollout`: whether progress counts, as it does unless the Deployment is paused or scaled. */
export function deploymentStatus(
  rollout: Rollout,
  nowMs: number,
  { isRollout }: { isRollout: boolean },
): DeploymentStatus {
  const { deployment } = rollout
  const status = countsOf(rollout)
  let conditions = pausedConditions(deployment, nowMs)
  const { maxUnavailable } = limitsOf(deployment)
  const isAvailable = (status.availableReplicas ?? 0) >= wantedSize(deployment) - maxUnavailable
  conditions = withCondition(
    conditions,
    isAvailable
      ? {
          type: 'Available',
          status: 'True',
          reason: 'MinimumReplicasAvailable',
          message: 'Deployment has minimum availability.',
        }
      : {
          type: 'Available',
          status: 'False',
          reason: 'MinimumReplicasUnavailable',
          message: 'Deployment does not have minimum availability.',
        },
    nowMs,
  )
  if (isRollout)
    conditions = failureConditions(rollout, progressConditions(rollout, { status, conditions, nowMs }), nowMs)
  return { ...status, conditions }
}

function countsOf(rollout: Rollout): DeploymentStatus {
  const { deployment, newSet } = rollout
  const sets = allSets(rollout)
  const count = (name: 'replicas' | 'readyReplicas' | 'availableReplicas' | 'terminatingReplicas'): number =>
    sumOf(sets, ({ status }) => status?.[name] ?? 0)
  const availableReplicas = count('availableReplicas')
  const { collisionCount } = deployment.status ?? {}
  return {
    observedGeneration: deployment.metadata.generation ?? 0,
    replicas: count('replicas'),
    updatedReplicas: newSet?.status?.replicas ?? 0,
    readyReplicas: count('readyReplicas'),
    availableReplicas,
    unavailableReplicas: Math.max(0, sumOf(sets, sizeOf) - availableReplicas),
    terminatingReplicas: count('terminatingReplicas'),
    ...(collisionCount === undefined ? {} : { collisionCount }),
  }
}

const hasDeadline = ({ spec }: Deployment): boolean =>
  spec.progressDeadlineSeconds !== undefined && spec.progressDeadlineSeconds !== NO_DEADLINE

/** A pause stops the clock of the deadline. */
function pausedConditions(deployment: Deployment, nowMs: number): Conditions {
  const conditions = deployment.status?.conditions ?? []
  const before = findCondition(conditions, 'Progressing')
  if (!hasDeadline(deployment) || before?.reason === TIMED_OUT) return conditions
  const isPaused = deployment.spec.paused === true
  if (isPaused === (before?.reason === PAUSED)) return conditions
  const [reason, word] = isPaused ? [PAUSED, 'paused'] : ['DeploymentResumed', 'resumed']
  return withCondition(
    conditions,
    { type: 'Progressing', status: 'Unknown', reason, message: `Deployment is ${word}` },
    nowMs,
  )
}

type Progress = { readonly status: DeploymentStatus; readonly conditions: Conditions; readonly nowMs: number }

function progressConditions({ deployment, newSet }: Rollout, { status, conditions, nowMs }: Progress): Conditions {
  if (!hasDeadline(deployment)) return removeCondition(conditions, 'Progressing')
  const before = findCondition(conditions, 'Progressing')
  if (status.replicas === status.updatedReplicas && before?.reason === AVAILABLE) return conditions
  const what = newSet ? `ReplicaSet "${nameOf(newSet)}"` : `Deployment "${nameOf(deployment)}"`
  const progressing = (state: 'True' | 'False', reason: string, message: string): NewCondition => ({
    type: 'Progressing',
    status: state,
    reason,
    message: `${what} ${message}`,
  })
  if (isComplete(deployment, status))
    return withCondition(conditions, progressing('True', AVAILABLE, 'has successfully progressed.'), nowMs)
  if (hasProgressed(deployment.status ?? {}, status)) {
    const isTrue = before?.status === 'True' && before.lastTransitionTime
    const lastTransitionTime = isTrue || formatTimestamp(nowMs)
    const others = removeCondition(conditions, 'Progressing')
    const made = progressing('True', 'ReplicaSetUpdated', 'is progressing.')
    return [...others, { ...made, lastUpdateTime: formatTimestamp(nowMs), lastTransitionTime }]
  }
  if (!before && newSet) return withCondition(conditions, foundCondition(newSet), nowMs)
  const inMs = deadlineInMs(deployment, conditions, nowMs)
  return inMs !== undefined && inMs <= 0
    ? withCondition(conditions, progressing('False', TIMED_OUT, 'has timed out progressing.'), nowMs)
    : conditions
}

const foundCondition = (set: ReplicaSet): NewCondition => ({
  type: 'Progressing',
  status: 'True',
  reason: 'FoundNewReplicaSet',
  message: `Found new replica set "${nameOf(set)}"`,
})

/** All pods have the new template and are available, and no others are left. */
export function isComplete(deployment: Deployment, status: DeploymentStatus | undefined): boolean {
  const wanted = wantedSize(deployment)
  const { updatedReplicas = 0, replicas = 0, availableReplicas = 0, observedGeneration = 0 } = status ?? {}
  return (
    [updatedReplicas, replicas, availableReplicas].every((count) => count === wanted) &&
    observedGeneration >= (deployment.metadata.generation ?? 0)
  )
}

function hasProgressed(before: DeploymentStatus, after: DeploymentStatus): boolean {
  const oldIn = ({ replicas = 0, updatedReplicas = 0 }: DeploymentStatus): number => replicas - updatedReplicas
  const hasMore = (name: 'updatedReplicas' | 'readyReplicas' | 'availableReplicas'): boolean =>
    (after[name] ?? 0) > (before[name] ?? 0)
  return (
    oldIn(after) < oldIn(before) ||
    hasMore('updatedReplicas') ||
    hasMore('readyReplicas') ||
    hasMore('availableReplicas')
  )
}

/** How long until the rollout counts as failed; undefined if it cannot fail any more, or has no deadline. */
export function deadlineInMs(deployment: Deployment, conditions: Conditions, nowMs: number): number | undefined {
  const before = findCondition(conditions, 'Progressing')
  if (!hasDeadline(deployment) || !before || deployment.spec.paused) return undefined
  if (before.reason === AVAILABLE || before.reason === TIMED_OUT) return undefined
  const sinceMs = findTimestamp(before.lastUpdateTime) ?? nowMs
  return sinceMs + (deployment.spec.progressDeadlineSeconds ?? 0) * 1000 - nowMs
}

/** A set that cannot create its pods is reported by the Deployment. */
function failureConditions(rollout: Rollout, conditions: Conditions, nowMs: number): Conditions {
  const sets = [...(rollout.newSet ? [rollout.newSet] : []), ...rollout.oldSets]
  const [failure] = sets.flatMap(({ status }) => findCondition(status?.conditions, 'ReplicaFailure') ?? [])
  if (!failure) return removeCondition(conditions, 'ReplicaFailure')
  const { type, status, reason = '', message = '' } = failure
  return withCondition(conditions, { type, status, reason, message }, nowMs)
}

/** Unless a condition with the same status and reason is there. */
export function withCondition(conditions: Conditions, wanted: NewCondition, nowMs: number): Conditions {
  const before = findCondition(conditions, wanted.type)
  if (before?.status === wanted.status && before.reason === wanted.reason) return conditions
  const now = formatTimestamp(nowMs)
  const lastTransitionTime = before?.status === wanted.status ? (before.lastTransitionTime ?? now) : now
  return [...removeCondition(conditions, wanted.type), { ...wanted, lastUpdateTime: now, lastTransitionTime }]
}

/** The condition of a rollout that has just begun, or could not begin. */
export const progressOf = (deployment: Deployment, condition: Omit<NewCondition, 'type'>, nowMs: number): Conditions =>
  hasDeadline(deployment)
    ? withCondition(deployment.status?.conditions ?? [], { type: 'Progressing', ...condition }, nowMs)
    : (deployment.status?.conditions ?? [])
