import { hasCondition } from '../../../api/conditions.ts'
import { isEqualJson } from '../../../api/equal-json.ts'
import { CRON_JOBS } from '../../../api/kinds/cron-job.ts'
import type { CronJob, CronJobStatus } from '../../../api/kinds/cron-job.ts'
import type { Job } from '../../../api/kinds/job.ts'
import { ownerReferenceTo } from '../../../api/owner-references.ts'
import { because, defineReasons, objectAwaited } from '../../../api/reason.ts'
import type { ReasonIn } from '../../../api/reason.ts'
import { findTimestamp, formatTimestamp } from '../../../api/timestamps.ts'
import { finishedCondition, isFinishedJob } from '../job/job-outcome.ts'
import { parseCronSchedule } from './cron-schedule.ts'
import type { CronSchedule } from './cron-schedule.ts'
import { isTimeZone, offsetMs } from './zone-time.ts'

export type CronJobView = {
  readonly seen: {
    readonly cronJob: CronJob
    /** Jobs that the CronJob controls. */
    readonly jobs: readonly Job[]
    readonly nowMs: number
  }
}

export type CronJobEvent = { readonly type: 'Normal' | 'Warning'; readonly reason: string; readonly message: string }

export type CronJobStep =
  | {
      readonly kind: 'wait'
      readonly reason: CronJobReason
      readonly retryInMs?: number
      readonly event?: CronJobEvent
    }
  | { readonly kind: 'write-status'; readonly status: CronJobStatus; readonly events: readonly CronJobEvent[] }
  | { readonly kind: 'delete-jobs'; readonly jobs: readonly Job[] }
  | { readonly kind: 'create-job'; readonly job: Job; readonly event?: CronJobEvent }

export type CronJobReason = ReasonIn<typeof REASONS>

/** Why a CronJob starts nothing now. */
export const REASONS = defineReasons({
  CronJobLeaving: 'the CronJob is being deleted',
  Suspended: because('the CronJob is suspended', { cure: 'Set spec.suspend to false.' }),
  UnknownTimeZone: (zone: string) => `invalid timeZone: ${JSON.stringify(zone)}`,
  UnparseableSchedule: (error: string) =>
    because(`the schedule cannot be parsed: ${error}`, { cure: 'Correct spec.schedule.' }),
  NeverDue: because('the schedule never matches', { cure: 'Correct spec.schedule.' }),
  NotDue: (dueMs: number) => `the next Job is due at ${formatTimestamp(dueMs)}`,
  JobAlreadyActive: ({ namespace = '', name = '' }: { readonly namespace?: string; readonly name?: string }) =>
    because(`Job ${name} has not finished, and the concurrency policy is Forbid`, {
      waitsFor: objectAwaited(JOB_KIND, { namespace, name }),
    }),
})

const JOB_KIND = { ...CRON_JOBS, kind: 'Job', plural: 'jobs' }
const SCHEDULED_AT = 'batch.kubernetes.io/cronjob-scheduled-timestamp'
/** Clocks differ a little: a run must not be looked for just before it is due. */
const DELTA_MS = 100
const MANY_MISSED = 100

/** The next step for a CronJob: what its Jobs have become, old Jobs, then the Job that is due. */
export function nextCronJobStep({ seen: { cronJob, jobs, nowMs } }: CronJobView): CronJobStep {
  const { spec } = cronJob
  const schedule = scheduleOf(cronJob)
  const isUsable = !('problem' in schedule)
  const due = isUsable ? findDue(cronJob, schedule, nowMs) : undefined
  const dueName = due && jobName(cronJob, due.atMs)
  const { status, events } = nextStatus(cronJob, jobs, due && dueName ? { name: dueName, atMs: due.atMs } : undefined)
  if (events.length > 0 || !isEqualJson(normalized(status), normalized(cronJob.status)))
    return { kind: 'write-status', status, events }
  const old = oldJobs(cronJob, jobs)
  if (old.length > 0) return { kind: 'delete-jobs', jobs: old }
  if (cronJob.metadata.deletionTimestamp !== undefined) return { kind: 'wait', reason: REASONS.CronJobLeaving }
  if (!isUsable) return schedule.problem
  if (spec.suspend) return { kind: 'wait', reason: REASONS.Suspended }
  const nextMs = schedule.next(nowMs)
  const retry = nextMs === undefined ? {} : { retryInMs: nextMs + DELTA_MS - nowMs }
  if (!due || status.lastScheduleTime === formatTimestamp(due.atMs))
    return { kind: 'wait', reason: nextMs === undefined ? REASONS.NeverDue : REASONS.NotDue(nextMs), ...retry }
  const [running] = status.active ?? []
  if (running && spec.concurrencyPolicy === 'Forbid')
    return { kind: 'wait', reason: REASONS.JobAlreadyActive(running), event: ALREADY_ACTIVE, ...retry }
  if (running && spec.concurrencyPolicy === 'Replace')
    return { kind: 'delete-jobs', jobs: jobs.filter((job) => !isFinishedJob(job)) }
  return {
    kind: 'create-job',
    job: jobFor(cronJob, due.atMs),
    ...(due.missed > MANY_MISSED ? { event: TOO_MANY } : {}),
  }
}

const ALREADY_ACTIVE: CronJobEvent = {
  type: 'Normal',
  reason: 'JobAlreadyActive',
  message: 'Not starting job because prior execution is running and concurrency policy is Forbid',
}
const TOO_MANY: CronJobEvent = {
  type: 'Warning',
  reason: 'TooManyMissedTimes',
  message: 'too many missed start times. Set or decrease .spec.startingDeadlineSeconds or check clock skew',
}
type Unusable = { readonly problem: CronJobStep }

function scheduleOf({ spec }: CronJob): CronSchedule | Unusable {
  // The older way to set a time zone.
  const [, zoneInText, text = spec.schedule] = /^(?:CRON_)?TZ=(\S+)\s+(.*)$/.exec(spec.schedule) ?? []
  const zone = spec.timeZone ?? zoneInText ?? 'UTC'
  const warn = (event: string, message: string): CronJobEvent => ({ type: 'Warning', reason: event, message })
  if (!isTimeZone(zone)) {
    const event = warn('UnknownTimeZone', `invalid timeZone: ${JSON.stringify(zone)}: unknown time zone ${zone}`)
    return { problem: { kind: 'wait', reason: REASONS.UnknownTimeZone(zone), event } }
  }
  try {
    return parseCronSchedule(text, zone)
  } catch (error) {
    const { message } = error as Error
    const event = warn('UnparseableSchedule', `unparseable schedule: ${JSON.stringify(spec.schedule)} : ${message}`)
    return { problem: { kind: 'wait', reason: REASONS.UnparseableSchedule(message), event } }
  }
}

/** The last time at which a Job should have started and still may, and how many times before it were missed, counted up to a limit. */
function findDue(
  { metadata, spec, status }: CronJob,
  schedule: CronSchedule,
  nowMs: number,
): { readonly atMs: number; readonly missed: number } | undefined {
  const sinceMs = findTimestamp(status?.lastScheduleTime) ?? findTimestamp(metadata.creationTimestamp) ?? nowMs
  const deadlineMs = (spec.startingDeadlineSeconds ?? Number.POSITIVE_INFINITY) * 1000
  let atMs = schedule.next(Math.max(sinceMs, nowMs - deadlineMs))
  if (atMs === undefined || atMs > nowMs) return undefined
  let missed = 0
  for (let next = schedule.next(atMs); next !== undefined && next <= nowMs; next = schedule.next(atMs)) {
    atMs = next
    // Long ago: continue shortly before now instead of counting every run.
    if (++missed === MANY_MISSED + 1) atMs = Math.max(atMs, lastBefore(schedule, atMs, nowMs))
  }
  return { atMs, missed }
}

/** A run shortly before now, found by going back from now in growing steps. */
function lastBefore(schedule: CronSchedule, fromMs: number, nowMs: number): number {
  for (let backMs = 60_000; nowMs - backMs > fromMs; backMs *= 2) {
    const found = schedule.next(nowMs - backMs)
    if (found !== undefined && found <= nowMs) return found
  }
  return fromMs
}

const jobName = ({ metadata }: CronJob, atMs: number): string => `${metadata.name}-${Math.floor(atMs / 60_000)}`

function jobFor(cronJob: CronJob, atMs: number): Job {
  const { metadata = {}, spec } = cronJob.spec.jobTemplate
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: {
      namespace: cronJob.metadata.namespace ?? '',
      name: jobName(cronJob, atMs),
      labels: { ...metadata.labels },
      annotations: { ...metadata.annotations, [SCHEDULED_AT]: formatLocal(cronJob.spec.timeZone ?? 'UTC', atMs) },
      ownerReferences: [ownerReferenceTo(cronJob, { controller: true, blockOwnerDeletion: true })],
    },
    // The server has required it.
    spec: spec as Job['spec'],
  }
}

/** RFC 3339 with the offset of the time zone. */
function formatLocal(zone: string, ms: number): string {
  const offset = offsetMs(zone, ms)
  if (offset === 0) return formatTimestamp(ms)
  const minutes = Math.abs(offset) / 60_000
  const two = (value: number): string => String(Math.floor(value)).padStart(2, '0')
  return `${formatTimestamp(ms + offset).slice(0, -1)}${offset < 0 ? '-' : '+'}${two(minutes / 60)}:${two(minutes % 60)}`
}

/** Jobs that have finished or are gone leave the list; the one for the time that is due joins it. */
function nextStatus(
  { status = {} }: CronJob,
  jobs: readonly Job[],
  due: { readonly name: string; readonly atMs: number } | undefined,
): { readonly status: CronJobStatus; readonly events: readonly CronJobEvent[] } {
  const events: CronJobEvent[] = []
  const tell = (reason: string, message: string): void => void events.push({ type: 'Normal', reason, message })
  const byUid = new Map(jobs.map((job) => [job.metadata.uid, job]))
  const active = (status.active ?? []).filter(({ uid, name }) => {
    const job = byUid.get(uid)
    if (!job) tell('MissingJob', `Active job went missing: ${name}`)
    else if (isFinishedJob(job))
      tell('SawCompletedJob', `Saw completed job: ${name}, condition: ${finishedCondition(job)?.type}`)
    return job && !isFinishedJob(job)
  })
  const started = due && jobs.find(({ metadata }) => metadata.name === due.name)
  const isNew = started && !(status.active ?? []).some(({ uid }) => uid === started.metadata.uid)
  const times = jobs.flatMap((job) =>
    hasCondition(job.status?.conditions, 'Complete') ? (job.status?.completionTime ?? []) : [],
  )
  const lastSuccessfulTime = [status.lastSuccessfulTime ?? '', ...times].toSorted().at(-1)
  return {
    status: {
      active: isNew && !isFinishedJob(started) ? [...active, referenceTo(started)] : active,
      ...(started && due ? { lastScheduleTime: formatTimestamp(due.atMs) } : pick(status.lastScheduleTime)),
      ...(lastSuccessfulTime ? { lastSuccessfulTime } : {}),
    },
    events,
  }
}

const pick = (lastScheduleTime: string | undefined) => (lastScheduleTime === undefined ? {} : { lastScheduleTime })

const referenceTo = ({ apiVersion, kind, metadata }: Job) => ({
  apiVersion,
  kind,
  namespace: metadata.namespace ?? '',
  name: metadata.name ?? '',
  uid: metadata.uid ?? '',
  resourceVersion: metadata.resourceVersion ?? '',
})

const normalized = ({ active, lastScheduleTime = '', lastSuccessfulTime = '' }: CronJobStatus = {}): unknown => [
  (active ?? []).map(({ uid }) => uid),
  lastScheduleTime,
  lastSuccessfulTime,
]

/** The oldest finished Jobs beyond the limits. */
function oldJobs({ spec }: CronJob, jobs: readonly Job[]): readonly Job[] {
  const beyond = (type: 'Complete' | 'Failed', limit: number | undefined): readonly Job[] => {
    if (limit === undefined) return []
    const finished = jobs.filter(
      ({ metadata, status }) => hasCondition(status?.conditions, type) && metadata.deletionTimestamp === undefined,
    )
    return finished.toSorted(byStart).slice(0, Math.max(0, finished.length - limit))
  }
  return [...beyond('Complete', spec.successfulJobsHistoryLimit), ...beyond('Failed', spec.failedJobsHistoryLimit)]
}

// One that has not started is the newest.
const byStart = (one: Job, other: Job): number =>
  startMs(one) - startMs(other) || (one.metadata.name ?? '').localeCompare(other.metadata.name ?? '')

const startMs = ({ status }: Job): number => findTimestamp(status?.startTime) ?? Number.MAX_SAFE_INTEGER
