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
    reason: REASONS.notDue(parseTimestamp(DUE)),
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
  deepEqual(step(cronJobOf({}, status), [jobOf(DUE_NAME)]), { kind: 'wait', reason: REASONS.notDue(NEXT_MS), ...RETRY })
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
    reason: REASONS.alreadyActive(refTo('old')),
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
  const late = { kind: 'wait', reason: REASONS.notDue(NEXT_MS), ...RETRY }
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
  deepEqual(step(cronJobOf({ suspend: true })), { kind: 'wait', reason: REASONS.suspended })
  deepEqual(step(cronJobOf({}, undefined, { deletionTimestamp: DUE })), { kind: 'wait', reason: REASONS.leaving })
})
test('a schedule or time zone that cannot be used is reported', () => {
  deepEqual(step(cronJobOf({ timeZone: 'Nowhere/Land' })), {
    kind: 'wait',
    reason: REASONS.unknownZone('Nowhere/Land'),
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
