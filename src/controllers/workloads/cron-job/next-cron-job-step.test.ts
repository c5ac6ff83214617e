import { deepEqual, equal } from 'node:assert/strict'
import { test } from 'node:test'
import type { CronJob, CronJobSpec, CronJobStatus } from '../../../api/kinds/cron-job.ts'
import type { Job, JobStatus } from '../../../api/kinds/job.ts'
import { parseTimestamp } from '../../../api/timestamps.ts'
import { nextCronJobStep, REASONS } from './next-cron-job-step.ts'
import type { CronJobStep } from './next-cron-job-step.ts'

const NOW = '2030-01-01T01:00:30Z'
const DUE = '2030-01-01T01:00:00Z'
const DUE_NAME = `tick-${parseTimestamp(DUE) / 60_000}`
const template = { template: { spec: { containers: [] } } }
const cronJobOf = (spec: Partial<CronJobSpec> = {}, status?: CronJobStatus, metadata: object = {}): CronJob => ({
  apiVersion: 'batch/v1',
  kind: 'CronJob',
  metadata: { namespace: 'default', name: 'tick', uid: 'u', creationTimestamp: '2030-01-01T00:30:00Z', ...metadata },
  spec: { schedule: '0 * * * *', jobTemplate: { metadata: { labels: { a: 'b' } }, spec: template }, ...spec },
  ...(status ? { status } : {}),
})
const jobOf = (name: string, status: JobStatus = {}): Job => ({
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { namespace: 'default', name, uid: `uid-${name}`, resourceVersion: '7' },
  spec: template,
  status,
})
const ended = (name: string, type: string, time: string): Job =>
  jobOf(name, {
    startTime: time,
    ...(type === 'Complete' ? { completionTime: time } : {}),
    conditions: [{ type, status: 'True' }],
  })
const refTo = (name: string) => ({
  apiVersion: 'batch/v1',
  kind: 'Job',
  namespace: 'default',
  name,
  uid: `uid-${name}`,
  resourceVersion: '7',
})
const step = (cronJob: CronJob, jobs: readonly Job[] = [], now = NOW): CronJobStep =>
  nextCronJobStep({ seen: { cronJob, jobs, nowMs: parseTimestamp(now) } })
const NEXT_MS = parseTimestamp('2030-01-01T02:00:00Z')
const RETRY = { retryInMs: NEXT_MS + 100 - parseTimestamp(NOW) }

test('a Job is created when it is due, under a name that contains the minute', () => {
  const created = step(cronJobOf({ timeZone: 'Europe/Berlin', schedule: '0 2 * * *' }))
  equal(created.kind, 'create-job')
  if (created.kind !== 'create-job') return
  deepEqual(created.job.metadata, {
    namespace: 'default',
    name: DUE_NAME,
    labels: { a: 'b' },
    annotations: { 'batch.kubernetes.io/cronjob-scheduled-timestamp': '2030-01-01T02:00:00+01:00' },
    ownerReferences: [
      { apiVersion: 'batch/v1', kind: 'CronJob', name: 'tick', uid: 'u', controller: true, blockOwnerDeletion: true },
    ],
  })
  deepEqual(created.job.spec, template)
  equal(created.event, undefined)
})
test('nothing is created before it is due, and the controller looks again just after that', () => {
  deepEqual(step(cronJobOf(), [], '2030-01-01T00:59:59Z'), {
    kind: 'wait',
    reason: REASONS.NotDue(parseTimestamp(DUE)),
    retryInMs: 1100,
  })
})
test('a Job that was created is listed, and nothing is created twice', () => {
  const written = step(cronJobOf(), [jobOf(DUE_NAME)])
  deepEqual(written, {
    kind: 'write-status',
    status: { active: [refTo(DUE_NAME)], lastScheduleTime: DUE },
    events: [],
  })
  const status = { active: [refTo(DUE_NAME)], lastScheduleTime: DUE }
  deepEqual(step(cronJobOf({}, status), [jobOf(DUE_NAME)]), { kind: 'wait', reason: REASONS.NotDue(NEXT_MS), ...RETRY })
})
test('a Job that has finished leaves the list with an event, and its time is kept', () => {
  const status = { active: [refTo('old')], lastScheduleTime: DUE }
  deepEqual(step(cronJobOf({}, status), [ended('old', 'Complete', '2030-01-01T00:45:00Z')]), {
    kind: 'write-status',
    status: { active: [], lastScheduleTime: DUE, lastSuccessfulTime: '2030-01-01T00:45:00Z' },
    events: [{ type: 'Normal', reason: 'SawCompletedJob', message: 'Saw completed job: old, condition: Complete' }],
  })
})
test('the last success is the latest', () => {
  const status = { lastScheduleTime: DUE, lastSuccessfulTime: '2030-01-01T00:50:00Z' }
  equal(step(cronJobOf({}, status), [ended('old', 'Complete', '2030-01-01T00:45:00Z')]).kind, 'wait')
})
test('a Job that is gone leaves the list with an event', () => {
  const status = { active: [refTo('old')], lastScheduleTime: DUE }
  deepEqual(step(cronJobOf({}, status)), {
    kind: 'write-status',
    status: { active: [], lastScheduleTime: DUE },
    events: [{ type: 'Normal', reason: 'MissingJob', message: 'Active job went missing: old' }],
  })
})

const running = { active: [refTo('old')], lastScheduleTime: '2030-01-01T00:00:00Z' }
test('with Forbid, the next Job waits for the one that is running', () => {
  const { reason, message, type } = {
    type: 'Normal',
    reason: 'JobAlreadyActive',
    message: 'Not starting job because prior execution is running and concurrency policy is Forbid',
  } as const
  deepEqual(step(cronJobOf({ concurrencyPolicy: 'Forbid' }, running), [jobOf('old')]), {
    kind: 'wait',
    reason: REASONS.JobAlreadyActive(refTo('old')),
    event: { type, reason, message },
    ...RETRY,
  })
})
test('with Replace, the one that is running is deleted first', () => {
  deepEqual(step(cronJobOf({ concurrencyPolicy: 'Replace' }, running), [jobOf('old')]), {
    kind: 'delete-jobs',
    jobs: [jobOf('old')],
  })
})
test('with Allow, both run', () => equal(step(cronJobOf({}, running), [jobOf('old')]).kind, 'create-job'))

test('a run whose deadline is over is missed; within the deadline it starts late', () => {
  const late = { kind: 'wait', reason: REASONS.NotDue(NEXT_MS), ...RETRY }
  deepEqual(step(cronJobOf({ startingDeadlineSeconds: 29 })), late)
  equal(step(cronJobOf({ startingDeadlineSeconds: 31 })).kind, 'create-job')
})
test('of many missed runs only the last starts, with a warning', () => {
  const few = step(cronJobOf({ schedule: '* * * * *' }))
  equal(few.kind === 'create-job' && few.job.metadata.name, DUE_NAME)
  equal(few.kind === 'create-job' && few.event, undefined)
  const many = step(cronJobOf({ schedule: '* * * * *' }, undefined, { creationTimestamp: '2020-01-01T00:00:00Z' }))
  equal(many.kind === 'create-job' && many.job.metadata.name, DUE_NAME)
  equal(many.kind === 'create-job' && many.event?.reason, 'TooManyMissedTimes')
})
test('the oldest finished Jobs beyond the limits are deleted', () => {
  const jobs = [
    ended('c', 'Complete', '2030-01-01T00:03:00Z'),
    ended('a', 'Complete', '2030-01-01T00:01:00Z'),
    ended('b', 'Complete', '2030-01-01T00:02:00Z'),
    ended('f', 'Failed', '2030-01-01T00:02:00Z'),
    ended('e', 'Failed', '2030-01-01T00:02:00Z'),
  ]
  const limits = { successfulJobsHistoryLimit: 1, failedJobsHistoryLimit: 1 }
  const status = { lastScheduleTime: DUE, lastSuccessfulTime: '2030-01-01T00:03:00Z' }
  const names = (given: CronJobStep): unknown =>
    given.kind === 'delete-jobs' && given.jobs.map(({ metadata }) => metadata.name)
  deepEqual(names(step(cronJobOf(limits, status), jobs)), ['a', 'b', 'e'])
  deepEqual(names(step(cronJobOf({}, status), jobs)), false)
})
test('a CronJob that is suspended or being deleted starts nothing', () => {
  deepEqual(step(cronJobOf({ suspend: true })), { kind: 'wait', reason: REASONS.Suspended })
  deepEqual(step(cronJobOf({}, undefined, { deletionTimestamp: DUE })), {
    kind: 'wait',
    reason: REASONS.CronJobLeaving,
  })
})
test('a schedule or time zone that cannot be used is reported', () => {
  deepEqual(step(cronJobOf({ timeZone: 'Nowhere/Land' })), {
    kind: 'wait',
    reason: REASONS.UnknownTimeZone('Nowhere/Land'),
    event: {
      type: 'Warning',
      reason: 'UnknownTimeZone',
      message: 'invalid timeZone: "Nowhere/Land": unknown time zone Nowhere/Land',
    },
  })
  const wrong = step(cronJobOf({ schedule: 'soon' }))
  deepEqual(wrong.kind === 'wait' && wrong.event, {
    type: 'Warning',
    reason: 'UnparseableSchedule',
    message: 'unparseable schedule: "soon" : expected exactly 5 fields, found 1: [soon]',
  })
  equal(step(cronJobOf({ schedule: '0 0 31 2 *' })).kind, 'wait')
  equal(step(cronJobOf({ schedule: 'CRON_TZ=Europe/Berlin 0 2 * * *' })).kind, 'create-job')
})

test('a status with news is written even if its numbers stay the same', () => {
  const status = { active: [refTo('old')], lastScheduleTime: DUE }
  const gone = step(cronJobOf({}, status), [jobOf(DUE_NAME)])
  equal(gone.kind === 'write-status' && gone.events[0]?.reason, 'MissingJob')
})

test('a single old Job is deleted, and one that is leaving does not count', () => {
  const limit = { successfulJobsHistoryLimit: 1, suspend: true }
  const one = ended('one', 'Complete', '2030-01-01T00:10:00Z')
  const two = ended('two', 'Complete', '2030-01-01T00:20:00Z')
  const status = { lastSuccessfulTime: '2030-01-01T00:20:00Z' }
  deepEqual(step(cronJobOf(limit, status), [two, one]), { kind: 'delete-jobs', jobs: [one] })
  const leaving = { ...one, metadata: { ...one.metadata, deletionTimestamp: NOW } }
  deepEqual(step(cronJobOf(limit, status), [two, leaving]), { kind: 'wait', reason: REASONS.Suspended })
  deepEqual(step(cronJobOf({ suspend: true }, status), [two, one]), { kind: 'wait', reason: REASONS.Suspended })
  deepEqual(step(cronJobOf({ ...limit, successfulJobsHistoryLimit: 3 }, status), [two, one]).kind, 'wait')
  const [b, a] = [ended('b', 'Complete', '2030-01-01T00:20:00Z'), ended('a', 'Complete', '2030-01-01T00:20:00Z')]
  deepEqual(step(cronJobOf(limit, status), [b, a]), { kind: 'delete-jobs', jobs: [a] })
  const { startTime: _none, ...unstarted } = one.status ?? {}
  deepEqual(step(cronJobOf(limit, status), [{ ...one, status: unstarted }, two]), { kind: 'delete-jobs', jobs: [two] })
})

test('a CronJob that is leaving says so before anything else, and a bad schedule before a suspension', () => {
  const leaving = { deletionTimestamp: NOW }
  const bad = { schedule: 'never', suspend: true }
  deepEqual(step(cronJobOf(bad, undefined, leaving)), { kind: 'wait', reason: REASONS.CronJobLeaving })
  const wrong = step(cronJobOf(bad))
  equal(wrong.kind === 'wait' && wrong.reason.code, 'UnparseableSchedule')
  const limit = { failedJobsHistoryLimit: 0 }
  const failed = ended('f', 'Failed', '2030-01-01T00:10:00Z')
  deepEqual(step(cronJobOf(limit, undefined, leaving), [failed]), { kind: 'delete-jobs', jobs: [failed] })
})

test('a schedule that never matches is not looked at again', () =>
  deepEqual(step(cronJobOf({ schedule: '0 0 30 2 *' })), { kind: 'wait', reason: REASONS.NeverDue }))

test('Forbid and Replace matter only while a Job is running, and Replace ends only running Jobs', () => {
  equal(step(cronJobOf({ concurrencyPolicy: 'Forbid' })).kind, 'create-job')
  equal(step(cronJobOf({ concurrencyPolicy: 'Replace' })).kind, 'create-job')
  const status = { active: [refTo('old')], lastSuccessfulTime: '2030-01-01T00:40:00Z' }
  const done = ended('done', 'Complete', '2030-01-01T00:40:00Z')
  deepEqual(step(cronJobOf({ concurrencyPolicy: 'Replace' }, status), [done, jobOf('old')]), {
    kind: 'delete-jobs',
    jobs: [jobOf('old')],
  })
})

test('a run that is due this very second starts, and the last of several is the one that starts', () => {
  equal(step(cronJobOf(), [], DUE).kind, 'create-job')
  const minutely = step(cronJobOf({ schedule: '* * * * *' }), [], DUE)
  equal(minutely.kind === 'create-job' && minutely.job.metadata.name, DUE_NAME)
})

const missedBy = (minutes: number, now = NOW): CronJobStep => {
  const sinceMs = parseTimestamp(DUE) - minutes * 60_000
  const status = { lastScheduleTime: new Date(sinceMs).toISOString().replace('.000', '') }
  return step(cronJobOf({ schedule: '* * * * *' }, status), [], now)
}
test('more than a hundred missed runs are told, and only the last one starts', () => {
  const eventOf = (found: CronJobStep): string | undefined =>
    found.kind === 'create-job' ? found.event?.message : found.kind
  equal(eventOf(missedBy(101)), undefined)
  equal(
    eventOf(missedBy(102)),
    'too many missed start times. Set or decrease .spec.startingDeadlineSeconds or check clock skew',
  )
  for (const minutes of [1, 50, 102, 103, 5_000, 500_000]) {
    const found = missedBy(minutes)
    equal(found.kind === 'create-job' && found.job.metadata.name, DUE_NAME, `${minutes} minutes`)
  }
})

test('a deadline of seconds decides to the second', () => {
  equal(step(cronJobOf({ startingDeadlineSeconds: 31 }), [], NOW).kind, 'create-job')
  equal(step(cronJobOf({ startingDeadlineSeconds: 30 }), [], NOW).kind, 'wait')
})

test('annotations of the template are kept, and times have the offset of the zone', () => {
  const jobTemplate = { metadata: { annotations: { note: 'x' } }, spec: template }
  const at = (timeZone: string, schedule = '0 * * * *'): object | undefined => {
    const created = step(cronJobOf({ timeZone, schedule, jobTemplate }))
    return created.kind === 'create-job' ? created.job.metadata.annotations : undefined
  }
  const stamp = 'batch.kubernetes.io/cronjob-scheduled-timestamp'
  deepEqual(at('UTC'), { note: 'x', [stamp]: '2030-01-01T01:00:00Z' })
  deepEqual(at('America/New_York'), { note: 'x', [stamp]: '2029-12-31T20:00:00-05:00' })
  deepEqual(at('Asia/Kolkata', '30 * * * *'), { note: 'x', [stamp]: '2030-01-01T06:30:00+05:30' })
})

test('a Job of the due time joins the list once, and not after it has finished', () => {
  const finished = ended(DUE_NAME, 'Failed', DUE)
  const written = step(cronJobOf(), [finished])
  deepEqual(written.kind === 'write-status' && written.status, { active: [], lastScheduleTime: DUE })
  const listed = step(cronJobOf({}, { active: [refTo(DUE_NAME)] }), [jobOf(DUE_NAME)])
  deepEqual(listed.kind === 'write-status' && listed.status, { active: [refTo(DUE_NAME)], lastScheduleTime: DUE })
})

test('only a completed Job counts as a success', () => {
  const failed = jobOf('f', { completionTime: DUE, conditions: [{ type: 'Failed', status: 'True' }] })
  const untimed = jobOf('c', { conditions: [{ type: 'Complete', status: 'True' }] })
  equal(step(cronJobOf({ suspend: true }), [failed, untimed]).kind, 'wait')
})

test('every reason says what happens', () =>
  deepEqual(
    [
      REASONS.CronJobLeaving,
      REASONS.Suspended,
      REASONS.UnknownTimeZone('Mars'),
      REASONS.UnparseableSchedule('why'),
      REASONS.NeverDue,
      REASONS.NotDue(parseTimestamp(DUE)),
      REASONS.JobAlreadyActive({ namespace: 'n', name: 'j' }),
    ],
    [
      { code: 'CronJobLeaving', message: 'the CronJob is being deleted' },
      { code: 'Suspended', message: 'the CronJob is suspended', cure: 'Set spec.suspend to false.' },
      { code: 'UnknownTimeZone', message: 'invalid timeZone: "Mars"' },
      { code: 'UnparseableSchedule', message: 'the schedule cannot be parsed: why', cure: 'Correct spec.schedule.' },
      { code: 'NeverDue', message: 'the schedule never matches', cure: 'Correct spec.schedule.' },
      { code: 'NotDue', message: `the next Job is due at ${DUE}` },
      {
        code: 'JobAlreadyActive',
        message: 'Job j has not finished, and the concurrency policy is Forbid',
        waitsFor: { kind: 'object', apiVersion: 'batch/v1', kindName: 'Job', namespace: 'n', name: 'j' },
      },
    ],
  ))
