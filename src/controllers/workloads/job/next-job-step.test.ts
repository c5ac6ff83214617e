import { deepEqual, equal } from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Job, JobCondition, JobSpec, JobStatus } from '../../../api/kinds/job.ts'
import type { ContainerStatus, Pod, PodStatus } from '../../../api/kinds/pod.ts'
import { formatTimestamp } from '../../../api/timestamps.ts'
import { formatIndexes, parseIndexes } from './completion-indexes.ts'
import { jobPodFor } from './job-pod.ts'
import { nextJobStep } from './next-job-step.ts'
import type { JobStep } from './next-job-step.ts'
import { nextOrphanStep, REASONS as ORPHAN_REASONS } from './next-orphan-step.ts'
import { nextTtlStep, REASONS as TTL_REASONS } from './next-ttl-step.ts'
import { REASONS } from './reasons.ts'

const NOW = 1_000_000_000_000
const now = formatTimestamp(NOW)
const labels = { job: 'sum' }
const owner = { apiVersion: 'batch/v1', kind: 'Job', name: 'sum', uid: 'u', controller: true, blockOwnerDeletion: true }
const TRACKING = 'batch.kubernetes.io/job-tracking'
const INDEX = 'batch.kubernetes.io/job-completion-index'

const jobOf = (spec: Partial<JobSpec> = {}, status: JobStatus = {}, metadata: object = {}): Job => ({
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { namespace: 'default', name: 'sum', uid: 'u', ...metadata },
  spec: {
    parallelism: 1,
    completions: 1,
    backoffLimit: 6,
    selector: { matchLabels: labels },
    template: { metadata: { labels }, spec: { containers: [{ name: 'main' }], restartPolicy: 'Never' } },
    ...spec,
  },
  status: { startTime: now, ...status },
})
type PodParts = {
  status?: PodStatus
  leaving?: boolean
  index?: number
  tracked?: boolean
  node?: string
  owned?: boolean
}
const podOf = (name: string, parts: PodParts = {}): Pod => {
  const { status, leaving, index, tracked = true, node, owned = true } = parts
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      namespace: 'default',
      name,
      uid: name,
      labels,
      ...(owned ? { ownerReferences: [owner] } : {}),
      ...(tracked ? { finalizers: [TRACKING] } : {}),
      ...(leaving ? { deletionTimestamp: now, deletionGracePeriodSeconds: 0 } : {}),
      ...(index === undefined ? {} : { annotations: { [INDEX]: `${index}` } }),
    },
    spec: { containers: [], ...(node ? { nodeName: node } : {}) },
    ...(status ? { status } : {}),
  }
}
const running = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] } as const
const SUCCEEDED: PodStatus = { phase: 'Succeeded' }
const FAILED: PodStatus = { phase: 'Failed' }
type Held = { failures: number; lastFailureMs: number }
const step = (job: Job, pods: readonly Pod[] = [], backoff?: Held, idle: readonly string[] = []): JobStep =>
  nextJobStep({ seen: { set: job, pods, idleNodes: new Set(idle), nowMs: NOW }, held: { backoff } })
const statusIn = (given: JobStep): JobStatus => (given.kind === 'write-status' ? given.status : {})
const conditionsIn = (given: JobStep): string[] =>
  (statusIn(given).conditions ?? []).map(({ type, status, reason }) => `${type}=${status} ${reason}`)
const namesIn = (given: JobStep): unknown[] =>
  'pods' in given ? [given.kind, ...given.pods.map(({ metadata }) => metadata.name)] : [given.kind]
const condition = (type: string, reason = 'R'): JobCondition => ({ type, status: 'True', reason, message: 'M' })

describe('pods of a Job', () => {
  test('are created up to the parallelism, and not more than are still needed', () => {
    deepEqual(step(jobOf({ parallelism: 3, completions: 5 })), {
      kind: 'create-pods',
      indexes: [undefined, undefined, undefined],
    })
    deepEqual(step(jobOf({ parallelism: 3, completions: 5 }, { succeeded: 4, active: 0 })), {
      kind: 'create-pods',
      indexes: [undefined],
    })
    equal(step(jobOf({ parallelism: 3, completions: 5 }, { succeeded: 4, active: 1 }), [podOf('a')]).kind, 'wait')
  })
  test('of a work queue are not replaced after the first success', () => {
    const { completions: _none, ...spec } = jobOf({ parallelism: 2 }).spec
    const queue = (status: JobStatus): Job => ({ ...jobOf({}, status), spec })
    equal(step(queue({}), [podOf('a')]).kind, 'create-pods')
    equal(step(queue({ succeeded: 1, active: 1 }), [podOf('a')]).kind, 'wait')
    deepEqual(conditionsIn(step(queue({ succeeded: 1 }))), ['SuccessCriteriaMet=True CompletionsReached'])
  })
  test('beyond the wanted number are deleted without being counted, those that do not run first', () => {
    const given = step(jobOf({ parallelism: 1, completions: 9 }), [
      podOf('a', { status: running, node: 'n' }),
      podOf('b'),
    ])
    deepEqual(namesIn(given), ['delete-pods', 'b'])
    equal(given.kind === 'delete-pods' && given.counts, false)
  })
  test('of a suspended Job are deleted once that is written', () => {
    const suspend = jobOf({ suspend: true })
    const written = step(suspend, [podOf('a')])
    deepEqual(conditionsIn(written), ['Suspended=True JobSuspended'])
    equal(statusIn(written).startTime, undefined)
    deepEqual(written.kind === 'write-status' && written.events, [
      { type: 'Normal', reason: 'Suspended', message: 'Job suspended' },
    ])
    const { startTime: _none, ...status } = { ...suspend.status, conditions: [condition('Suspended')] }
    deepEqual(namesIn(step({ ...suspend, status }, [podOf('a')])), ['delete-pods', 'a'])
    deepEqual(step({ ...suspend, status }), { kind: 'wait', reason: REASONS.Suspended })
  })
  test('of a Job that goes on are created again, and its time starts anew', () => {
    const status = { startTime: '2001-01-01T00:00:00Z', conditions: [condition('Suspended')] }
    const resumed = step(jobOf({}, status))
    deepEqual(conditionsIn(resumed), ['Suspended=False JobResumed'])
    equal(statusIn(resumed).startTime, now)
  })
  test('are adopted and released by the selector', () => {
    deepEqual(namesIn(step(jobOf(), [podOf('a', { owned: false })])), ['adopt-pods', 'a'])
    const other = podOf('a')
    deepEqual(namesIn(step(jobOf(), [{ ...other, metadata: { ...other.metadata, labels: {} } }])), [
      'release-pods',
      'a',
    ])
  })
  test('are not created while the Job is deleted, and lose their finalizers', () => {
    const leaving = jobOf({ parallelism: 2, completions: 2 }, { active: 1 }, { deletionTimestamp: now })
    deepEqual(namesIn(step(leaving, [podOf('a')])), ['remove-finalizers', 'a'])
    deepEqual(step(leaving, [podOf('a', { tracked: false })]), { kind: 'wait', reason: REASONS.JobLeaving })
  })
})

describe('a pod that has ended', () => {
  test('is recorded, loses its finalizer, and is counted', () => {
    const spec = { completions: 3 }
    const ended = podOf('a', { status: SUCCEEDED })
    const first = step(jobOf(spec), [ended])
    deepEqual(statusIn(first).uncountedTerminatedPods, { succeeded: ['a'], failed: [] })
    equal(statusIn(first).succeeded, 0)
    const recorded = jobOf(spec, { uncountedTerminatedPods: { succeeded: ['a'] } })
    deepEqual(namesIn(step(recorded, [ended])), ['remove-finalizers', 'a'])
    const counted = step(recorded, [podOf('a', { status: SUCCEEDED, tracked: false })])
    deepEqual(
      [statusIn(counted).succeeded, statusIn(counted).uncountedTerminatedPods],
      [1, { succeeded: [], failed: [] }],
    )
    deepEqual(statusIn(step(recorded, [])).succeeded, 1)
  })
  test('is counted as failed, also if it is deleted before it ends', () => {
    const spec = { completions: 3 }
    for (const pod of [podOf('a', { status: FAILED }), podOf('a', { status: running, leaving: true })]) {
      deepEqual(statusIn(step(jobOf(spec), [pod])).uncountedTerminatedPods, { succeeded: [], failed: ['a'] })
      const recorded = jobOf(spec, { uncountedTerminatedPods: { failed: ['a'] } })
      deepEqual(namesIn(step(recorded, [pod])), ['remove-finalizers', 'a'])
      equal(statusIn(step(recorded, [])).failed, 1)
    }
  })
  test('is waited for before it is replaced, if the policy says so', () => {
    const leaving = podOf('a', { status: running, leaving: true })
    const status = { terminating: 1 }
    deepEqual(step(jobOf({ podReplacementPolicy: 'Failed' }, status), [leaving]), {
      kind: 'wait',
      reason: REASONS.PodsLeaving(leaving),
    })
    const pending = podOf('a', { status: { phase: 'Pending' }, leaving: true })
    deepEqual(statusIn(step(jobOf({ podReplacementPolicy: 'Failed' }, status), [pending])).uncountedTerminatedPods, {
      succeeded: [],
      failed: ['a'],
    })
  })
  test('is recorded with at most 499 others at a time', () => {
    const pods = Array.from({ length: 501 }, (_, index) => podOf(`p${index}`, { status: SUCCEEDED }))
    const { succeeded = [] } = statusIn(step(jobOf({ completions: 900 }), pods)).uncountedTerminatedPods ?? {}
    equal(succeeded.length, 500)
    const full = jobOf({ completions: 900 }, { uncountedTerminatedPods: { succeeded } })
    equal(namesIn(step(full, pods)).length, 501)
  })
})

describe('the next pod after a failure', () => {
  const job = jobOf({}, { failed: 1 })
  test('waits for ten seconds, and twice as long after each further one', () => {
    const after = (failures: number, ago: number): JobStep => step(job, [], { failures, lastFailureMs: NOW - ago })
    deepEqual(after(1, 4000), { kind: 'wait', reason: REASONS.BackingOff(6), retryInMs: 6000 })
    equal(after(1, 10_000).kind, 'create-pods')
    deepEqual(after(3, 0), { kind: 'wait', reason: REASONS.BackingOff(40), retryInMs: 40_000 })
    deepEqual(after(30, 0), { kind: 'wait', reason: REASONS.BackingOff(600), retryInMs: 600_000 })
  })
  const at = (seconds: number): string => formatTimestamp(NOW + seconds * 1000)
  const endedAt = (name: string, phase: 'Failed' | 'Succeeded', finishedAt: string): Pod => {
    const containerStatuses = [{ name: 'main', state: { terminated: { exitCode: 1, finishedAt } } }]
    return podOf(name, { status: { phase, containerStatuses: containerStatuses as unknown as ContainerStatus[] } })
  }
  const backoffIn = (given: JobStep): unknown => given.kind === 'write-status' && given.backoff
  test('counts failures since the last success', () => {
    const spec = jobOf({ completions: 9 })
    const pods = [endedAt('c', 'Failed', at(3)), endedAt('b', 'Succeeded', at(2)), endedAt('a', 'Failed', at(1))]
    deepEqual(backoffIn(step(spec, pods, { failures: 5, lastFailureMs: 0 })), {
      failures: 1,
      lastFailureMs: NOW + 3000,
    })
    deepEqual(backoffIn(step(spec, pods.slice(0, 1), { failures: 5, lastFailureMs: 0 })), {
      failures: 6,
      lastFailureMs: NOW + 3000,
    })
    deepEqual(backoffIn(step(spec, pods.slice(1, 2), { failures: 5, lastFailureMs: 0 })), undefined)
  })
  test('is counted from when the pod was last ready, or its deletion was requested', () => {
    const unready = podOf('a', {
      status: { phase: 'Failed', conditions: [{ type: 'Ready', status: 'False', lastTransitionTime: at(-5) }] },
    })
    deepEqual(backoffIn(step(jobOf({ completions: 9 }), [unready])), { failures: 1, lastFailureMs: NOW - 5000 })
    deepEqual(backoffIn(step(jobOf({ completions: 9 }), [podOf('a', { leaving: true })])), {
      failures: 1,
      lastFailureMs: NOW,
    })
  })
})

describe('a Job ends', () => {
  const failedPods = (count: number): Pod[] =>
    Array.from({ length: count }, (_, place) => podOf(`f${place}`, { status: FAILED }))
  test('when more pods have failed than the backoff limit allows', () => {
    deepEqual(conditionsIn(step(jobOf({ backoffLimit: 1 }), failedPods(1))), [])
    deepEqual(conditionsIn(step(jobOf({ backoffLimit: 1 }), failedPods(2))), [
      'FailureTarget=True BackoffLimitExceeded',
    ])
    deepEqual(conditionsIn(step(jobOf({ backoffLimit: 1 }, { failed: 2 }))), [
      'FailureTarget=True BackoffLimitExceeded',
    ])
  })
  test('when containers were restarted too often', () => {
    const template = { metadata: { labels }, spec: { containers: [], restartPolicy: 'OnFailure' as const } }
    const restarted = (restartCount: number, phase: 'Running' | 'Failed' = 'Running'): Pod => {
      const containerStatuses = [{ name: 'main', restartCount }] as unknown as ContainerStatus[]
      return podOf('a', { status: { phase, containerStatuses, initContainerStatuses: containerStatuses } })
    }
    const ends = (backoffLimit: number, restarts: number): boolean =>
      conditionsIn(step(jobOf({ backoffLimit, template }), [restarted(restarts)])).length > 0
    deepEqual([ends(4, 1), ends(4, 2), ends(0, 0), ends(0, 1)], [false, true, false, true])
    equal(conditionsIn(step(jobOf({ backoffLimit: 2 }), [restarted(9)])).length, 0)
  })
  test('at its deadline', () => {
    const late = (seconds: number): Job =>
      jobOf({ activeDeadlineSeconds: 60 }, { startTime: formatTimestamp(NOW - seconds * 1000), active: 1 })
    deepEqual(step(late(59), [podOf('a')]), {
      kind: 'wait',
      reason: REASONS.PodsRunning(podOf('a')),
      retryInMs: 1000,
    })
    deepEqual(conditionsIn(step(late(60), [podOf('a')])), ['FailureTarget=True DeadlineExceeded'])
  })
  const failing = { conditions: [condition('FailureTarget', 'DeadlineExceeded')] }
  test('with the deletion of its pods, which count as failed', () => {
    const recorded = { ...failing, uncountedTerminatedPods: { failed: ['a'] } }
    deepEqual(statusIn(step(jobOf({}, failing), [podOf('a')])).uncountedTerminatedPods, {
      succeeded: [],
      failed: ['a'],
    })
    const removal = step(jobOf({}, recorded), [podOf('a')])
    deepEqual(namesIn(removal), ['delete-pods', 'a'])
    equal(removal.kind === 'delete-pods' && removal.counts, true)
    deepEqual(namesIn(step(jobOf({}, recorded), [podOf('a', { leaving: true })])), ['remove-finalizers', 'a'])
  })
  test('and says so when its pods are gone', () => {
    const leaving = podOf('a', { leaving: true, tracked: false })
    deepEqual(step(jobOf({}, { ...failing, terminating: 1 }), [leaving]), {
      kind: 'wait',
      reason: REASONS.PodsLeaving(leaving),
    })
    const failed = step(jobOf({}, failing))
    deepEqual(conditionsIn(failed), ['FailureTarget=True DeadlineExceeded', 'Failed=True DeadlineExceeded'])
    deepEqual(failed.kind === 'write-status' && failed.events, [
      { type: 'Warning', reason: 'DeadlineExceeded', message: 'M' },
    ])
    equal(statusIn(failed).completionTime, undefined)
  })
  const succeeding = { conditions: [condition('SuccessCriteriaMet', 'CompletionsReached')], succeeded: 1 }
  test('with success once enough pods have succeeded and none is active', () => {
    deepEqual(conditionsIn(step(jobOf({}, { succeeded: 1 }))), ['SuccessCriteriaMet=True CompletionsReached'])
    deepEqual(namesIn(step(jobOf({}, { succeeded: 1 }), [podOf('a')])), ['delete-pods', 'a'])
    const complete = step(jobOf({}, succeeding))
    deepEqual(conditionsIn(complete).at(-1), 'Complete=True CompletionsReached')
    equal(statusIn(complete).completionTime, now)
    deepEqual(complete.kind === 'write-status' && complete.events, [
      { type: 'Normal', reason: 'Completed', message: 'Job completed' },
    ])
    const many = step(jobOf({}, { ...succeeding, succeeded: 2 }))
    equal(many.kind === 'write-status' && many.events[0]?.reason, 'TooManySucceededPods')
  })
  test('and is left alone then, except for finalizers', () => {
    const done = jobOf({}, { conditions: [condition('Complete')] })
    deepEqual(step(done), { kind: 'wait', reason: REASONS.Finished })
    deepEqual(namesIn(step(done, [podOf('a')])), ['remove-finalizers', 'a'])
  })
})

describe('the pod failure policy', () => {
  const exit = (exitCode: number, name = 'main'): Pod => {
    const containerStatuses = [{ name, state: { terminated: { exitCode } } }] as unknown as ContainerStatus[]
    return podOf('a', { status: { phase: 'Failed', containerStatuses } })
  }
  const onExit = (action: string, more: object = {}): Partial<JobSpec> => ({
    podFailurePolicy: { rules: [{ action, onExitCodes: { operator: 'In', values: [42], ...more } }] },
  })
  const failures = (given: JobStep): unknown => statusIn(given).uncountedTerminatedPods?.failed
  test('ends the Job with a message', () => {
    const given = step(jobOf(onExit('FailJob')), [exit(42)])
    deepEqual(conditionsIn(given), ['FailureTarget=True PodFailurePolicy'])
    equal(
      statusIn(given).conditions?.[0]?.message,
      'Container main for pod default/a failed with exit code 42 matching FailJob rule at index 0',
    )
    deepEqual(conditionsIn(step(jobOf(onExit('FailJob')), [exit(1)])), [])
    deepEqual(conditionsIn(step(jobOf(onExit('FailJob', { containerName: 'other' })), [exit(42)])), [])
    deepEqual(conditionsIn(step(jobOf(onExit('FailJob', { operator: 'NotIn' })), [exit(1)])).length, 1)
  })
  test('ignores failures, or counts them', () => {
    deepEqual(namesIn(step(jobOf(onExit('Ignore')), [exit(42)])), ['remove-finalizers', 'a'])
    deepEqual(failures(step(jobOf(onExit('Count')), [exit(42)])), ['a'])
    deepEqual(failures(step(jobOf(onExit('Ignore')), [exit(1)])), ['a'])
  })
  test('looks at conditions, the first rule that matches counts', () => {
    const rules = [
      { action: 'FailJob', onPodConditions: [{ type: 'DisruptionTarget', status: 'False' }] },
      { action: 'FailJob', onPodConditions: [{ type: 'DisruptionTarget' }] },
      { action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget' }] },
    ]
    const pod = podOf('a', { status: { phase: 'Failed', conditions: [{ type: 'DisruptionTarget', status: 'True' }] } })
    equal(
      statusIn(step(jobOf({ podFailurePolicy: { rules } }), [pod])).conditions?.[0]?.message,
      'Pod default/a has condition DisruptionTarget matching FailJob rule at index 1',
    )
  })
})

describe('an Indexed Job', () => {
  const indexed = (spec: Partial<JobSpec> = {}, status: JobStatus = {}): Job =>
    jobOf({ completionMode: 'Indexed', completions: 4, parallelism: 2, ...spec }, status)
  test('creates pods for the first indexes that are missing', () => {
    deepEqual(step(indexed()), { kind: 'create-pods', indexes: [0, 1] })
    deepEqual(
      step(indexed({ parallelism: 3 }, { completedIndexes: '0,2', succeeded: 2, active: 1 }), [
        podOf('a', { index: 1 }),
      ]),
      {
        kind: 'create-pods',
        indexes: [3],
      },
    )
  })
  test('records indexes instead of uids', () => {
    const given = step(indexed({}, { completedIndexes: '3', succeeded: 1 }), [
      podOf('a', { index: 1, status: SUCCEEDED }),
    ])
    deepEqual(
      [statusIn(given).completedIndexes, statusIn(given).succeeded, statusIn(given).uncountedTerminatedPods],
      ['1,3', 2, { succeeded: [], failed: [] }],
    )
    const done = indexed({}, { completedIndexes: '1', succeeded: 1 })
    deepEqual(namesIn(step(done, [podOf('a', { index: 1, status: SUCCEEDED })])), ['remove-finalizers', 'a'])
  })
  test('deletes pods without an index of their own, and the second of an index', () => {
    const pods = [
      podOf('a', { index: 0, status: running, node: 'n' }),
      podOf('b', { index: 0 }),
      podOf('c', { index: 9 }),
      podOf('d'),
    ]
    deepEqual(namesIn(step(indexed({ parallelism: 4 }, { active: 4 }), pods)), ['delete-pods', 'b', 'c', 'd'])
  })
  test('ends when its success policy is met', () => {
    const met = (rule: object, completedIndexes: string, succeeded: number): string | undefined =>
      statusIn(step(indexed({ successPolicy: { rules: [rule] } }, { completedIndexes, succeeded }))).conditions?.[0]
        ?.message
    equal(met({ succeededIndexes: '0-1' }, '0,1', 2), 'Matched rules at index 0')
    equal(met({ succeededIndexes: '0-1' }, '1', 1), undefined)
    equal(met({ succeededIndexes: '0-2', succeededCount: 2 }, '0,2', 2), 'Matched rules at index 0')
    equal(met({ succeededCount: 2 }, '1,3', 2), 'Matched rules at index 0')
    equal(met({ succeededCount: 3 }, '1,3', 2), undefined)
  })
  test('writes its indexes as ranges of at least three, as Kubernetes does', () => {
    equal(formatIndexes([5, 1, 3, 4, 8]), '1,3-5,8')
    equal(formatIndexes([0, 1, 3, 4]), '0,1,3,4')
    deepEqual([...parseIndexes('1,3-5,8', 5)], [1, 3, 4])
    deepEqual([...parseIndexes('1,x', 5)], [])
    deepEqual([...parseIndexes(undefined, 5)], [])
  })
  test('has pods with the index in name, label, annotation, host name and environment', () => {
    const template = {
      metadata: { labels, finalizers: ['own'] },
      spec: {
        containers: [{ name: 'main' }, { name: 'own', env: [{ name: 'JOB_COMPLETION_INDEX', value: 'x' }] }],
        initContainers: [{ name: 'init' }],
      },
    }
    const pod = jobPodFor(indexed({ template }), 3)
    const variable = {
      name: 'JOB_COMPLETION_INDEX',
      valueFrom: { fieldRef: { fieldPath: `metadata.labels['${INDEX}']` } },
    }
    deepEqual(
      [pod.metadata.generateName, pod.metadata.labels?.[INDEX], pod.metadata.annotations, pod.metadata.finalizers],
      ['sum-3-', '3', { [INDEX]: '3' }, ['own', TRACKING]],
    )
    deepEqual(
      [pod.spec.hostname, pod.spec.containers[0]?.env, pod.spec.containers[1]?.env, pod.spec.initContainers?.[0]?.env],
      ['sum-3', [variable], [{ name: 'JOB_COMPLETION_INDEX', value: 'x' }], [variable]],
    )
    const plain = jobPodFor(jobOf(), undefined)
    deepEqual(
      [plain.metadata.generateName, plain.spec.hostname, plain.metadata.finalizers],
      ['sum-', undefined, [TRACKING]],
    )
  })
})

describe('a Job waits', () => {
  test('for another controller that manages it', () => {
    const other = jobOf({ managedBy: 'example.com/queue' })
    deepEqual(step(other), { kind: 'wait', reason: REASONS.ManagedByOther(other) })
    equal(step(jobOf({ managedBy: 'kubernetes.io/job-controller' })).kind, 'create-pods')
  })
  test('for pods that never end on nodes without containers', () => {
    const pod = podOf('a', { status: running, node: 'n1' })
    const status = { active: 1, ready: 1 }
    deepEqual(step(jobOf({}, status), [pod], undefined, ['n1']), { kind: 'wait', reason: REASONS.NoContainers(pod) })
    deepEqual(step(jobOf({}, status), [pod]), { kind: 'wait', reason: REASONS.PodsRunning(pod) })
  })
  test('for more parallelism', () =>
    deepEqual(step(jobOf({ parallelism: 0 })), { kind: 'wait', reason: REASONS.ParallelismZero }))
  test('after it has written how many pods are active, ready and terminating', () => {
    const written = step(jobOf({ parallelism: 2, completions: 2 }), [podOf('a', { status: running }), podOf('b')])
    const { active, ready, terminating, startTime } = statusIn(written)
    deepEqual([active, ready, terminating, startTime], [2, 1, 0, now])
  })
})

describe('a pod keeps the finalizer of Jobs', () => {
  const pod = podOf('a')
  const orphan = (controller: typeof owner | undefined, job: Job | undefined) =>
    nextOrphanStep({ seen: { pod, controller, job } })
  const done = jobOf({}, { conditions: [condition('Failed')] })
  test('while its Job counts it', () => {
    deepEqual(orphan(owner, jobOf()), { kind: 'wait', reason: ORPHAN_REASONS.Tracked })
    deepEqual(orphan(owner, { ...done, spec: { ...done.spec, managedBy: 'x' } }), {
      kind: 'wait',
      reason: ORPHAN_REASONS.Tracked,
    })
    deepEqual(orphan({ ...owner, kind: 'Other' }, undefined), { kind: 'wait', reason: ORPHAN_REASONS.NotOfJob })
    deepEqual(orphan({ ...owner, apiVersion: 'x/v1' }, undefined), { kind: 'wait', reason: ORPHAN_REASONS.NotOfJob })
  })
  test('not if its Job is gone, has finished, or is another of the same name', () => {
    for (const [controller, job] of [
      [owner, undefined],
      [undefined, undefined],
      [owner, done],
      [{ ...owner, uid: 'old' }, jobOf()],
    ] as const)
      deepEqual(orphan(controller, job), { kind: 'release', pod })
  })
})

describe('a finished Job', () => {
  const finished = (seconds: number | undefined, metadata: object = {}): Job => ({
    ...jobOf(seconds === undefined ? {} : { ttlSecondsAfterFinished: seconds }, {}, metadata),
    status: { conditions: [{ ...condition('Complete'), lastTransitionTime: formatTimestamp(NOW - 10_000) }] },
  })
  const ttl = (job: Job) => nextTtlStep({ job, nowMs: NOW })
  test('is deleted after its time', () => {
    deepEqual(ttl(finished(10)), { kind: 'delete', job: finished(10) })
    deepEqual(ttl(finished(11)), { kind: 'wait', reason: TTL_REASONS.NotExpired(1), retryInMs: 1000 })
    deepEqual(ttl(finished(0)), { kind: 'delete', job: finished(0) })
  })
  test('is kept without a time, before it has finished, and while it is being deleted', () => {
    deepEqual(ttl(finished(undefined)), { kind: 'wait', reason: TTL_REASONS.Kept })
    deepEqual(ttl(jobOf({ ttlSecondsAfterFinished: 0 })), { kind: 'wait', reason: TTL_REASONS.NotFinished })
    deepEqual(ttl(finished(0, { deletionTimestamp: now })), { kind: 'wait', reason: TTL_REASONS.JobLeaving })
  })
})

test('every reason of the end of a Job says what happens', () =>
  deepEqual(
    [
      TTL_REASONS.Kept,
      TTL_REASONS.NotFinished,
      TTL_REASONS.JobLeaving,
      TTL_REASONS.NotExpired(3),
      ORPHAN_REASONS.Tracked,
      ORPHAN_REASONS.NotOfJob,
    ],
    [
      { code: 'Kept', message: 'the Job is not deleted automatically' },
      { code: 'NotFinished', message: 'the Job has not finished' },
      { code: 'JobLeaving', message: 'the Job is being deleted' },
      { code: 'NotExpired', message: 'the Job is deleted in 3s' },
      { code: 'Tracked', message: 'the Job of the pod counts it' },
      { code: 'NotOfJob', message: 'the controller of the pod is no Job' },
    ],
  ))

describe('the limits of one step', () => {
  const many = (count: number, parts: PodParts = {}): Pod[] =>
    Array.from({ length: count }, (_, index) => podOf(`p${index}`, { status: running, ...parts }))
  test('are 500 pods, whether they are created or deleted', () => {
    const created = step(jobOf({ parallelism: 600, completions: 600 }))
    equal(created.kind === 'create-pods' && created.indexes.length, 500)
    const surplus = step(jobOf({ parallelism: 0, completions: 900 }, { active: 501, ready: 501 }), many(501))
    equal(namesIn(surplus).length, 501)
    const conditions = [condition('FailureTarget')]
    const failed = jobOf({ completions: 900 }, { active: 501, ready: 501, conditions })
    const uncounted = many(501)
      .slice(0, 500)
      .map(({ metadata }) => metadata.uid ?? '')
    const ended = step(
      { ...failed, status: { ...failed.status, uncountedTerminatedPods: { failed: uncounted } } },
      many(501),
    )
    equal(ended.kind === 'delete-pods' && ended.pods.length, 500)
  })
})

describe('the order of decisions', () => {
  const done = { conditions: [condition('Complete')] }
  test('a finished Job releases only pods that are tracked, whatever else it asks for', () => {
    const pods = [podOf('a', { tracked: false, status: SUCCEEDED }), podOf('b', { status: SUCCEEDED })]
    deepEqual(namesIn(step(jobOf({}, done), pods)), ['remove-finalizers', 'b'])
    deepEqual(step(jobOf({ parallelism: 2, completions: 2 }, done)), { kind: 'wait', reason: REASONS.Finished })
  })
  test('pods are adopted before they are released', () => {
    const free = podOf('free', { owned: false })
    const other = { ...podOf('other'), metadata: { ...podOf('other').metadata, labels: {} } }
    deepEqual(namesIn(step(jobOf(), [free, other])), ['adopt-pods', 'free'])
    deepEqual(namesIn(step(jobOf(), [other])), ['release-pods', 'other'])
  })
})

describe('a Job that replaces only pods that have ended', () => {
  const job = (status: JobStatus): Job =>
    jobOf({ podReplacementPolicy: 'Failed', parallelism: 2, completions: 3 }, status)
  test('counts leaving pods that still run against its parallelism', () => {
    const leaving = podOf('a', { status: running, leaving: true })
    deepEqual(step(job({ terminating: 1 }), [leaving]), { kind: 'create-pods', indexes: [undefined] })
    const gone = podOf('b', { status: SUCCEEDED, leaving: true, tracked: false })
    deepEqual(step(job({ succeeded: 1 }), [gone]), { kind: 'create-pods', indexes: [undefined, undefined] })
    const plain = jobOf({ parallelism: 2, completions: 3 }, { terminating: 1 })
    const untracked = podOf('a', { status: running, leaving: true, tracked: false })
    deepEqual(step(plain, [untracked]), { kind: 'create-pods', indexes: [undefined, undefined] })
  })
})

describe('what a Job waits for', () => {
  test('is the earlier of its deadline and its backoff', () => {
    const limited = jobOf({ activeDeadlineSeconds: 3 }, { failed: 1 })
    const waiting = step(limited, [], { failures: 1, lastFailureMs: NOW })
    deepEqual(waiting, { kind: 'wait', reason: REASONS.BackingOff(10), retryInMs: 3000 })
    const almost = step(jobOf({}, { failed: 1 }), [], { failures: 1, lastFailureMs: NOW - 9_999 })
    deepEqual(almost, { kind: 'wait', reason: REASONS.BackingOff(1), retryInMs: 1 })
  })
  test('is a running pod before a backoff, and the first pod that never ends before any other', () => {
    const job = jobOf({ parallelism: 2, completions: 2 }, { active: 1, ready: 1, failed: 1 })
    const pod = podOf('a', { status: running, node: 'n1' })
    const backoff = { failures: 1, lastFailureMs: NOW }
    deepEqual(step(job, [pod], backoff), { kind: 'wait', reason: REASONS.PodsRunning(pod), retryInMs: 10_000 })
    const both = jobOf({ parallelism: 2, completions: 2 }, { active: 2, ready: 2 })
    const second = podOf('b', { status: running, node: 'n2' })
    deepEqual(step(both, [pod, second], undefined, ['n2']), { kind: 'wait', reason: REASONS.NoContainers(second) })
    deepEqual(step(both, [pod, second], undefined, ['n1', 'n2']), { kind: 'wait', reason: REASONS.NoContainers(pod) })
    const pending = podOf('a', { status: { phase: 'Pending' }, node: 'n1' })
    deepEqual(step(jobOf({}, { active: 1 }), [pending], undefined, ['n1']), {
      kind: 'wait',
      reason: REASONS.PodsRunning(pending),
    })
  })
})
