import type { Job, JobStatus } from '../../../api/kinds/job.ts'
import type { Pod } from '../../../api/kinds/pod.ts'
import { hasFinalizer } from '../../../api/finalizers.ts'
import { selectsLabels } from '../../../api/label-selector.ts'
import { isActivePod, isLeaving } from '../pod-state.ts'
import { choosePodsToDelete } from '../replica-set/choose-pods-to-delete.ts'
import { sortMembers } from '../sort-members.ts'
import { countPods, isIndexed } from './count-pods.ts'
import type { Backoff, PodCounts } from './count-pods.ts'
import { replacesOnlyEnded, untilRetryMs } from './failed-pod.ts'
import { nextIndexFailures, untilIndexRetryMs } from './index-failures.ts'
import { indexOf, TRACKING } from './job-pod.ts'
import type { IndexFailures } from './job-pod.ts'
import { findOutcome, isFinishedJob, totalSucceeded, untilDeadlineMs } from './job-outcome.ts'
import { isRecorded, isWritten, jobStatus } from './job-status.ts'
import type { JobEvent } from './job-status.ts'
import { REASONS } from './reasons.ts'
import type { JobReason } from './reasons.ts'

export type JobView = {
  readonly seen: {
    readonly set: Job
    /** Pods that the job controls, and pods of its namespace without a controller. */
    readonly pods: readonly Pod[]
    /** Nodes of these pods that run no containers. */
    readonly idleNodes: ReadonlySet<string>
    readonly nowMs: number
  }
  readonly held?: { readonly backoff?: Backoff | undefined }
}

export type JobStep =
  | { readonly kind: 'wait'; readonly reason: JobReason; readonly retryInMs?: number }
  | { readonly kind: 'adopt-pods'; readonly pods: readonly Pod[] }
  | { readonly kind: 'release-pods'; readonly pods: readonly Pod[] }
  | {
      readonly kind: 'write-status'
      readonly status: JobStatus
      readonly events: readonly JobEvent[]
      readonly backoff: Backoff | undefined
    }
  | { readonly kind: 'remove-finalizers'; readonly pods: readonly Pod[] }
  /** `counts`: the pods are counted as failed once they are being deleted. */
  | { readonly kind: 'delete-pods'; readonly pods: readonly Pod[]; readonly counts: boolean }
  /** A pod for each entry, with its index for an Indexed job, and with the failures of each index if they have a limit. */
  | {
      readonly kind: 'create-pods'
      readonly indexes: readonly (number | undefined)[]
      readonly failures?: ReadonlyMap<number, IndexFailures>
    }

const LARGEST_BATCH = 500

/** The next step for a Job: ownership, pods that have ended, the end of the job, missing and surplus pods, then the numbers in its status. */
export function nextJobStep(view: JobView): JobStep {
  const { set: job, nowMs } = view.seen
  const { managedBy, selector } = job.spec
  if (managedBy !== undefined && managedBy !== OWN_NAME) return { kind: 'wait', reason: REASONS.ManagedByOther(job) }
  const { members, toAdopt, toRelease } = sortMembers(
    job,
    view.seen.pods,
    ({ metadata }) => selector !== undefined && selectsLabels(selector, metadata.labels),
  )
  if (isFinishedJob(job)) {
    const tracked = members.filter((pod) => hasFinalizer(pod, TRACKING))
    return tracked.length > 0
      ? { kind: 'remove-finalizers', pods: tracked }
      : { kind: 'wait', reason: REASONS.Finished }
  }
  if (toAdopt.length > 0) return { kind: 'adopt-pods', pods: toAdopt }
  if (toRelease.length > 0) return { kind: 'release-pods', pods: toRelease }
  const active = members.filter(isActivePod)
  const first = countPods(job, members, undefined, view.held?.backoff)
  const outcome = findOutcome({ job, members, active: active.length, counts: first, nowMs })
  const end = outcome && (outcome.type === 'FailureTarget' ? 'failure' : 'success')
  const counts = end ? countPods(job, members, end, view.held?.backoff) : first
  const { status, events } = jobStatus({ job, members, active, counts, outcome, nowMs })
  const write: JobStep = { kind: 'write-status', status, events, backoff: counts.backoff }
  if (!isRecorded(status, job)) return write
  if (outcome && active.length > 0) return { kind: 'delete-pods', pods: active.slice(0, LARGEST_BATCH), counts: true }
  if (counts.recorded.length > 0) return { kind: 'remove-finalizers', pods: counts.recorded }
  const isJobLeaving = job.metadata.deletionTimestamp !== undefined
  const step = outcome || isJobLeaving ? undefined : nextPodsStep({ view, members, active, counts })
  if (step && step.kind !== 'back-off') return step
  const delayMs = step?.delayMs ?? 0
  if (!isWritten(status, job)) return write
  return waitFor(view, { active, members, delayMs })
}

const OWN_NAME = 'kubernetes.io/job-controller'

type Pods = {
  readonly view: JobView
  readonly members: readonly Pod[]
  readonly active: readonly Pod[]
  readonly counts: PodCounts
}

type BackOff = { readonly kind: 'back-off'; readonly delayMs: number }

/** Surplus pods first, then missing ones. */
function nextPodsStep({ view, members, active, counts }: Pods): JobStep | BackOff | undefined {
  const { set: job, nowMs } = view.seen
  const wanted = job.spec.suspend ? 0 : wantedActive(job, active.length, totalSucceeded(counts))
  const surplus = surplusPods(job, active, active.length - wanted)
  if (surplus.length > 0) return { kind: 'delete-pods', pods: surplus.slice(0, LARGEST_BATCH), counts: false }
  const leaving = replacesOnlyEnded(job) ? members.filter((pod) => isLeaving(pod) && isUnfinished(pod)) : []
  const missing = Math.min(wanted - active.length - leaving.length, LARGEST_BATCH)
  if (missing <= 0) return undefined
  const indexes = isIndexed(job)
    ? freeIndexes(job, [...active, ...leaving], counts).slice(0, missing)
    : Array.from({ length: missing }, () => undefined)
  if (indexes.length === 0) return undefined
  if (counts.byIndex) return nextIndexStep(job, indexes, counts.byIndex.toReplace, nowMs)
  const { backoff } = view.held ?? {}
  const delayMs = backoff ? untilRetryMs(backoff.failures, backoff.lastFailureMs, nowMs) : 0
  return delayMs > 0 ? { kind: 'back-off', delayMs } : { kind: 'create-pods', indexes }
}

function freeIndexes({ spec: { completions = 0 } }: Job, pods: readonly Pod[], counts: PodCounts): number[] {
  const taken = new Set(pods.map((pod) => indexOf(pod, completions)))
  return Array.from({ length: completions }, (_, index) => index).filter(
    (index) => !taken.has(index) && !counts.indexes?.has(index) && !counts.byIndex?.failed.has(index),
  )
}

/** Each index waits for its own backoff. */
function nextIndexStep(
  job: Job,
  indexes: readonly (number | undefined)[],
  toReplace: ReadonlyMap<number, Pod>,
  nowMs: number,
): JobStep | BackOff {
  const waits = indexes.flatMap((index) =>
    index === undefined ? [] : [{ index, delayMs: untilIndexRetryMs(toReplace.get(index), nowMs) }],
  )
  const ready = waits.filter(({ delayMs }) => delayMs <= 0).map(({ index }) => index)
  if (ready.length === 0) return { kind: 'back-off', delayMs: Math.min(...waits.map(({ delayMs }) => delayMs)) }
  const failures = new Map(ready.map((index) => [index, nextIndexFailures(job, toReplace.get(index))]))
  return { kind: 'create-pods', indexes: ready, failures }
}

const isUnfinished = ({ status }: Pod): boolean => status?.phase !== 'Failed' && status?.phase !== 'Succeeded'

function wantedActive({ spec: { completions, parallelism = 1 } }: Job, active: number, succeeded: number): number {
  // After the first success, the other pods of a work queue only finish what they have begun.
  if (completions === undefined) return succeeded > 0 ? active : parallelism
  return Math.max(0, Math.min(completions - succeeded, parallelism))
}

/** Pods beyond the wanted number; of an Indexed job also those without an index of their own. */
function surplusPods(job: Job, active: readonly Pod[], surplus: number): readonly Pod[] {
  const doubles = isIndexed(job) ? doubledPods(job, active) : []
  const left = active.filter((pod) => !doubles.includes(pod))
  return [...doubles, ...choosePodsToDelete(left, Math.max(0, surplus - doubles.length))]
}

function doubledPods({ spec: { completions = 0 } }: Job, active: readonly Pod[]): readonly Pod[] {
  const byIndex = Map.groupBy(active, (pod) => indexOf(pod, completions))
  return Array.from(byIndex).flatMap(([index, pods]) =>
    index === undefined ? pods : choosePodsToDelete(pods, pods.length - 1),
  )
}

type Waiting = { readonly active: readonly Pod[]; readonly members: readonly Pod[]; readonly delayMs: number }

function waitFor({ seen: { set: job, idleNodes, nowMs } }: JobView, { active, members, delayMs }: Waiting): JobStep {
  // A deadline that has passed has ended the job, which only waits for its pods.
  const waits = [untilDeadlineMs(job, nowMs) ?? 0, delayMs].filter((ms) => ms > 0)
  const retry = waits.length > 0 ? { retryInMs: Math.min(...waits) } : {}
  return { kind: 'wait', reason: reasonOf(job, { active, members, delayMs }, idleNodes), ...retry }
}

function reasonOf(job: Job, { active, members, delayMs }: Waiting, idleNodes: ReadonlySet<string>): JobReason {
  if (job.metadata.deletionTimestamp !== undefined) return REASONS.JobLeaving
  const endless = active.find(({ spec, status }) => status?.phase === 'Running' && idleNodes.has(spec.nodeName ?? ''))
  if (endless) return REASONS.NoContainers(endless)
  const [running] = active
  if (running) return REASONS.PodsRunning(running)
  if (delayMs > 0) return REASONS.BackingOff(Math.ceil(delayMs / 1000))
  const leaving = members.find((pod) => isLeaving(pod) && isUnfinished(pod))
  if (leaving) return REASONS.PodsLeaving(leaving)
  return job.spec.suspend ? REASONS.Suspended : REASONS.ParallelismZero
}
