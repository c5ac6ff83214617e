import { deepEqual, equal } from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Job, JobSpec, JobStatus } from '../../../api/kinds/job.ts'
import type { ContainerStatus, Pod, PodStatus } from '../../../api/kinds/pod.ts'
import { formatTimestamp } from '../../../api/timestamps.ts'
import { nextIndexFailures } from './index-failures.ts'
import { jobPodFor } from './job-pod.ts'
import { nextJobStep } from './next-job-step.ts'
import type { JobStep } from './next-job-step.ts'
import { REASONS } from './reasons.ts'

const NOW = 1_000_000_000_000
const at = (seconds: number): string => formatTimestamp(NOW + seconds * 1000)
const INDEX = 'batch.kubernetes.io/job-completion-index'
const TRACKING = 'batch.kubernetes.io/job-tracking'
const FAILURES = 'batch.kubernetes.io/job-index-failure-count'
const IGNORED = 'batch.kubernetes.io/job-index-ignored-failure-count'
const labels = { job: 'sum' }
const owner = { apiVersion: 'batch/v1', kind: 'Job', name: 'sum', uid: 'u', controller: true, blockOwnerDeletion: true }

/** A Job of three indexes that run at the same time, each of which may fail once. */
const jobOf = (spec: Partial<JobSpec> = {}, status: JobStatus = {}, metadata: object = {}): Job => ({
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { namespace: 'default', name: 'sum', uid: 'u', ...metadata },
  spec: {
    completionMode: 'Indexed',
    completions: 3,
    parallelism: 3,
    backoffLimit: 2 ** 31 - 1,
    backoffLimitPerIndex: 1,
    selector: { matchLabels: labels },
    template: { metadata: { labels }, spec: { containers: [{ name: 'main' }], restartPolicy: 'Never' } },
    ...spec,
  },
  status: { startTime: at(-60), ...status },
})

type PodParts = { failures?: number; ignored?: number; endedAt?: string; exitCode?: number; tracked?: boolean }
const podOf = (name: string, index: number, phase: NonNullable<PodStatus['phase']>, parts: PodParts = {}): Pod => {
  const { failures = 0, ignored = 0, endedAt = at(-3600), exitCode = 1, tracked = true } = parts
  const terminated = { exitCode, finishedAt: endedAt }
  const hasEnded = phase === 'Failed' || phase === 'Succeeded'
  const containerStatuses = [{ name: 'main', state: { terminated } }] as unknown as ContainerStatus[]
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      namespace: 'default',
      name,
      uid: name,
      labels,
      ownerReferences: [owner],
      annotations: { [INDEX]: `${index}`, [FAILURES]: `${failures}`, ...(ignored ? { [IGNORED]: `${ignored}` } : {}) },
      ...(tracked ? { finalizers: [TRACKING] } : {}),
    },
    spec: { containers: [] },
    status: { phase, ...(hasEnded ? { containerStatuses } : {}) },
  }
}
const step = (job: Job, pods: readonly Pod[] = []): JobStep =>
  nextJobStep({ seen: { set: job, pods, idleNodes: new Set(), nowMs: NOW }, held: { backoff: undefined } })
const statusIn = (given: JobStep): JobStatus => (given.kind === 'write-status' ? given.status : {})
const conditionsIn = (given: JobStep): string[] =>
  (statusIn(given).conditions ?? []).map(({ type, reason, message }) => `${type} ${reason}: ${message}`)
const createdIn = (given: JobStep): unknown =>
  given.kind === 'create-pods' ? Object.fromEntries(given.failures ?? []) : given.kind
const namesIn = (given: JobStep): unknown[] =>
  'pods' in given ? [given.kind, ...given.pods.map(({ metadata }) => metadata.name)] : [given.kind]

const running = [podOf('b', 1, 'Running'), podOf('c', 2, 'Running')]

describe('a pod of an index with a limit', () => {
  test('says that nothing has failed at first', () => {
    const fresh = { [FAILURES]: '0' }
    deepEqual(createdIn(step(jobOf({}, { failedIndexes: '' }))), { 0: fresh, 1: fresh, 2: fresh })
    deepEqual(jobPodFor(jobOf(), 2, fresh).metadata.annotations, { [INDEX]: '2', [FAILURES]: '0' })
  })
  test('is replaced before it is counted, and the next one says how often the index has failed', () => {
    const failed = podOf('a', 0, 'Failed')
    const job = jobOf({}, { active: 2 })
    deepEqual(createdIn(step(job, [failed, ...running])), { 0: { [FAILURES]: '1' } })
    const next = podOf('d', 0, 'Running', { failures: 1 })
    const counted = statusIn(step(job, [failed, next, ...running]))
    deepEqual([counted.uncountedTerminatedPods, counted.failedIndexes], [{ succeeded: [], failed: ['a'] }, ''])
  })
  test('is replaced after the backoff of its index, while others run', () => {
    const recent = (ago: number, parts: PodParts = {}): Pod => podOf('a', 0, 'Failed', { endedAt: at(-ago), ...parts })
    const limit = { backoffLimitPerIndex: 9 }
    const waiting = step(jobOf(limit, { active: 2 }), [recent(4), ...running])
    deepEqual(waiting, { kind: 'wait', reason: REASONS.PodsRunning(running[0] as Pod), retryInMs: 6000 })
    equal(step(jobOf(limit, { active: 2 }), [recent(10), ...running]).kind, 'create-pods')
    const third = step(jobOf(limit, { active: 2 }), [recent(4, { failures: 1, ignored: 1 }), ...running])
    equal(third.kind === 'wait' && third.retryInMs, 36_000)
  })
  test('does not wait for the failures of another index', () => {
    const pods = [podOf('a', 0, 'Failed', { endedAt: at(0) }), podOf('b', 1, 'Failed')]
    deepEqual(createdIn(step(jobOf({ completions: 2 }), pods)), { 1: { [FAILURES]: '1' } })
    const both = [podOf('a', 0, 'Failed', { endedAt: at(-2) }), podOf('b', 1, 'Failed', { endedAt: at(-5) })]
    deepEqual(step(jobOf({ completions: 2 }), both), {
      kind: 'wait',
      reason: REASONS.BackingOff(5),
      retryInMs: 5000,
    })
  })
  test('takes its turn: an index that is backing off is not overtaken beyond the parallelism', () => {
    const first = podOf('a', 0, 'Failed', { endedAt: at(0) })
    equal(step(jobOf({ parallelism: 1 }), [first]).kind, 'wait')
    deepEqual(createdIn(step(jobOf({ parallelism: 2 }), [first])), { 1: { [FAILURES]: '0' } })
  })
  test('of several failed pods, the last one is replaced, and the others are counted', () => {
    const pods = [
      podOf('old', 0, 'Failed', { endedAt: at(-90) }),
      podOf('new', 0, 'Failed', { endedAt: at(-60), failures: 1 }),
      ...running,
    ]
    const job = jobOf({ backoffLimitPerIndex: 5 }, { active: 2 })
    deepEqual(statusIn(step(job, pods)).uncountedTerminatedPods, { succeeded: [], failed: ['old'] })
    deepEqual(createdIn(step(job, pods.slice(1))), { 0: { [FAILURES]: '2' } })
    deepEqual(statusIn(step(job, pods.toReversed())).uncountedTerminatedPods?.failed, ['old'])
    const [early, late] = [podOf('early', 0, 'Failed', { endedAt: at(-90) }), podOf('late', 0, 'Failed')]
    const counted = (...failed: Pod[]): unknown =>
      statusIn(step(job, [...failed, ...running])).uncountedTerminatedPods?.failed
    const lateEnd = podOf('late', 0, 'Failed', { endedAt: at(-60) })
    deepEqual([counted(early, lateEnd), counted(lateEnd, early)], [['early'], ['early']])
    // Neither is later than the other: the first one that is seen is kept.
    const more = podOf('more', 0, 'Failed', { endedAt: at(-90), failures: 1 })
    deepEqual([counted(more, lateEnd), counted(lateEnd, more)], [['late'], ['more']])
    deepEqual([counted(late, { ...late, metadata: { ...late.metadata, uid: 'twin' } })], [['late']])
  })
  test('counts ignored failures separately, and they do not fail the index', () => {
    const rules = [{ action: 'Ignore', onExitCodes: { operator: 'In', values: [42] } }]
    const ignored = podOf('a', 0, 'Failed', { exitCode: 42, failures: 1, ignored: 3 })
    deepEqual(createdIn(step(jobOf({ podFailurePolicy: { rules } }, { active: 2 }), [ignored, ...running])), {
      0: { [FAILURES]: '1', [IGNORED]: '4' },
    })
    deepEqual(nextIndexFailures(jobOf({ podFailurePolicy: { rules } }), podOf('a', 0, 'Failed', { exitCode: 42 })), {
      [FAILURES]: '0',
      [IGNORED]: '1',
    })
    deepEqual(nextIndexFailures(jobOf(), podOf('a', 0, 'Failed', { ignored: 2 })), { [FAILURES]: '1', [IGNORED]: '2' })
  })
  test('without an index of the Job is never replaced', () => {
    const strange = podOf('z', 7, 'Failed')
    for (const backoffLimitPerIndex of [0, 1])
      deepEqual(namesIn(step(jobOf({ backoffLimitPerIndex }, { active: 2 }), [strange, ...running])), [
        'remove-finalizers',
        'z',
      ])
  })
  test('with a changed annotation has had no failures', () => {
    const changed = podOf('a', 0, 'Failed')
    const annotations = { [INDEX]: '0', [FAILURES]: 'x' }
    const pod = { ...changed, metadata: { ...changed.metadata, annotations } }
    deepEqual(createdIn(step(jobOf({}, { active: 2 }), [pod, ...running])), { 0: { [FAILURES]: '1' } })
  })
  test('is released with its Job, or when the Job ends', () => {
    const failed = podOf('a', 0, 'Failed', { endedAt: at(0) })
    const leaving = jobOf({}, { uncountedTerminatedPods: { failed: ['a'] } }, { deletionTimestamp: at(0) })
    deepEqual(namesIn(step(leaving, [failed])), ['remove-finalizers', 'a'])
    const conditions = [{ type: 'FailureTarget', status: 'True', reason: 'R', message: 'M' } as const]
    deepEqual(statusIn(step(jobOf({}, { conditions }), [failed])).uncountedTerminatedPods?.failed, ['a'])
  })
})

describe('an index', () => {
  const last = podOf('a', 0, 'Failed', { failures: 1 })
  test('fails with one failure more than its limit, and gets no more pods', () => {
    const given = step(jobOf({}, { active: 2 }), [last, ...running])
    deepEqual([statusIn(given).failedIndexes, statusIn(given).uncountedTerminatedPods?.failed], ['0', ['a']])
    deepEqual(conditionsIn(given), [])
    const recorded = jobOf({}, { active: 2, failedIndexes: '0', uncountedTerminatedPods: { failed: ['a'] } })
    deepEqual(namesIn(step(recorded, [last, ...running])), ['remove-finalizers', 'a'])
    const counted = jobOf({}, { active: 2, failed: 1, failedIndexes: '0' })
    equal(step(counted, running).kind, 'wait')
    equal(statusIn(step(jobOf({ backoffLimitPerIndex: 0 }), [podOf('a', 0, 'Failed')])).failedIndexes, '0')
  })
  test('fails at once if the pod failure policy says so', () => {
    const rules = [{ action: 'FailIndex', onExitCodes: { operator: 'In', values: [42] } }]
    const spec = { backoffLimitPerIndex: 9, podFailurePolicy: { rules } }
    equal(
      statusIn(step(jobOf(spec, { active: 2 }), [podOf('a', 0, 'Failed', { exitCode: 42 }), ...running])).failedIndexes,
      '0',
    )
    deepEqual(createdIn(step(jobOf(spec, { active: 2 }), [podOf('a', 0, 'Failed'), ...running])), {
      0: { [FAILURES]: '1' },
    })
  })
  test('that has succeeded is not replaced because of an earlier failure', () => {
    const pods = [podOf('a', 0, 'Failed'), podOf('d', 0, 'Succeeded', { failures: 1 }), ...running]
    const { completedIndexes, uncountedTerminatedPods } = statusIn(step(jobOf({}, { active: 2 }), pods))
    deepEqual([completedIndexes, uncountedTerminatedPods?.failed], ['0', ['a']])
  })
})

describe('a Job with a limit for each index', () => {
  const last = podOf('a', 0, 'Failed', { failures: 1 })
  test('fails when every index has ended and one has failed', () => {
    deepEqual(conditionsIn(step(jobOf({}, { completedIndexes: '1,2', succeeded: 2 }), [last])), [
      'FailureTarget FailedIndexes: Job has failed indexes',
    ])
    deepEqual(
      conditionsIn(
        step(jobOf({}, { completedIndexes: '1', succeeded: 1, active: 1 }), [last, podOf('c', 2, 'Running')]),
      ),
      [],
    )
    deepEqual(conditionsIn(step(jobOf({}, { completedIndexes: '0-2', succeeded: 3, failedIndexes: '' }))), [
      'SuccessCriteriaMet CompletionsReached: Reached expected number of succeeded pods',
    ])
  })
  test('fails when more indexes have failed than it allows', () => {
    const exceeded =
      'FailureTarget MaxFailedIndexesExceeded: Job has exceeded the specified maximal number of failed indexes'
    const failing = (maxFailedIndexes: number): string[] =>
      conditionsIn(step(jobOf({ completions: 9, maxFailedIndexes }, { failedIndexes: '5', failed: 2 }), [last]))
    deepEqual([failing(1), failing(2)], [[exceeded], []])
  })
  test('fails at the backoff limit of the whole Job, which counts pods that wait for their replacement', () => {
    const pods = [podOf('a', 0, 'Failed'), podOf('b', 1, 'Failed')]
    const failing = (backoffLimit: number): string[] => conditionsIn(step(jobOf({ backoffLimit }), pods))
    deepEqual(failing(2), [])
    deepEqual(failing(1), ['FailureTarget BackoffLimitExceeded: Job has reached the specified backoff limit'])
  })
  test('has its failed indexes in its status, also if there are none', () => {
    equal(statusIn(step(jobOf({ parallelism: 2 }), running)).failedIndexes, '')
    const { backoffLimitPerIndex: _none, ...spec } = jobOf({ parallelism: 2 }).spec
    equal(statusIn(step({ ...jobOf(), spec }, running)).failedIndexes, undefined)
  })
})
