import { deepEqual, equal } from 'node:assert/strict'
import { test } from 'node:test'
import type { TestContext } from 'node:test'
import type { Api } from '../../../api/api.ts'
import { JOBS } from '../../../api/kinds/job.ts'
import type { Job, JobSpec } from '../../../api/kinds/job.ts'
import { NODES } from '../../../api/kinds/node.ts'
import { PODS } from '../../../api/kinds/pod.ts'
import type { Pod } from '../../../api/kinds/pod.ts'
import { formatTimestamp } from '../../../api/timestamps.ts'
import { defaultsOf } from '../../../base/options/index.ts'
import { startControllersUnderTest } from '../../testing/describe-controller.ts'
import type { ControllerTestOptions } from '../../testing/describe-controller.ts'
import { endPod, makeReady, removePod } from '../testing/play-kubelet.ts'
import { jobOptions, startJob, startTtlAfterFinished, ttlAfterFinishedOptions } from './index.ts'

const start = (context: TestContext, options?: ControllerTestOptions) =>
  startControllersUnderTest(
    context,
    [
      (world, signal) => startJob(defaultsOf(jobOptions), world, signal),
      (world, signal) => startTtlAfterFinished(defaultsOf(ttlAfterFinishedOptions), world, signal),
    ],
    options,
  )

const ref = { namespace: 'default', name: 'sum' }
const jobOf = (spec: Partial<JobSpec> = {}): Job => ({
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: ref,
  spec: {
    template: { spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'one' }] } },
    ...spec,
  },
})
const podsOf = async (api: Api): Promise<readonly Pod[]> => (await api.list(PODS)).items
const namesOf = async (api: Api): Promise<string[]> => (await podsOf(api)).map(({ metadata }) => metadata.name ?? '')
const statusOf = async (api: Api) => (await api.get(JOBS, ref)).status ?? {}
const conditionsOf = async (api: Api): Promise<string[]> =>
  ((await statusOf(api)).conditions ?? []).map(({ type, status, reason }) => `${type}=${status} ${reason}`)
const change = (api: Api, spec: Partial<JobSpec>): Promise<unknown> =>
  api.patch(JOBS, ref, { type: 'merge', value: { spec } })

test('a Job whose pods succeed is complete, and every pod counts once', async (context) => {
  const { api, settled, events, writes, clock } = await start(context)
  await api.create(JOBS, jobOf({ completions: 3, parallelism: 2 }))
  await settled()
  const [one = '', two = ''] = await namesOf(api)
  equal(one.startsWith('sum-'), true)
  equal((await podsOf(api)).length, 2)
  equal((await statusOf(api)).active, 2)
  equal(writes.filter((write) => write.includes('jobs/status')).length, 1)
  await makeReady(api, one)
  await settled()
  equal((await statusOf(api)).ready, 1)
  await endPod(api, one, 'Succeeded')
  await settled()
  const { active, succeeded, uncountedTerminatedPods } = await statusOf(api)
  deepEqual([active, succeeded, uncountedTerminatedPods?.succeeded ?? []], [2, 1, []])
  equal((await api.get(PODS, { ...ref, name: one })).metadata.finalizers, undefined)
  await endPod(api, two, 'Succeeded')
  await settled()
  const [third = ''] = (await namesOf(api)).filter((name) => name !== one && name !== two)
  equal((await statusOf(api)).active, 1)
  await endPod(api, third, 'Succeeded')
  await settled()
  const done = await statusOf(api)
  deepEqual([done.active ?? 0, done.succeeded, done.failed ?? 0], [0, 3, 0])
  deepEqual(await conditionsOf(api), ['SuccessCriteriaMet=True CompletionsReached', 'Complete=True CompletionsReached'])
  equal(done.completionTime, formatTimestamp(clock.nowMs()))
  equal(done.startTime !== undefined, true)
  deepEqual(new Set(await events()), new Set(['Normal Completed Job/sum', 'Normal SuccessfulCreate Job/sum']))
})

test('pods of an Indexed Job have an index in name, host name, label, annotation and environment', async (context) => {
  const { api, settled } = await start(context)
  await api.create(JOBS, jobOf({ completions: 3, parallelism: 2, completionMode: 'Indexed' }))
  await settled()
  const pods = (await podsOf(api)).toSorted((one, other) =>
    (one.metadata.name ?? '').localeCompare(other.metadata.name ?? ''),
  )
  const INDEX = 'batch.kubernetes.io/job-completion-index'
  deepEqual(
    pods.map(({ metadata, spec }) => [
      metadata.name?.slice(0, 6),
      spec.hostname,
      metadata.labels?.[INDEX],
      metadata.annotations?.[INDEX],
      spec.containers[0]?.env?.[0]?.name,
    ]),
    [
      ['sum-0-', 'sum-0', '0', '0', 'JOB_COMPLETION_INDEX'],
      ['sum-1-', 'sum-1', '1', '1', 'JOB_COMPLETION_INDEX'],
    ],
  )
  await endPod(api, pods[1]?.metadata.name ?? '', 'Succeeded')
  await settled()
  const { completedIndexes, succeeded, active } = await statusOf(api)
  deepEqual([completedIndexes, succeeded, active], ['1', 1, 2])
  equal((await namesOf(api)).filter((name) => name.startsWith('sum-2-')).length, 1)
})

test('a failed pod is replaced after a while, and the Job fails at the backoff limit', async (context) => {
  const { api, settled, advance, events } = await start(context)
  await api.create(JOBS, jobOf({ backoffLimit: 1 }))
  await settled()
  const [first = ''] = await namesOf(api)
  await endPod(api, first, 'Failed')
  await settled()
  equal((await podsOf(api)).length, 1)
  await advance(10_000)
  const [second = ''] = (await namesOf(api)).filter((name) => name !== first)
  await endPod(api, second, 'Failed')
  await settled()
  deepEqual(await conditionsOf(api), ['FailureTarget=True BackoffLimitExceeded', 'Failed=True BackoffLimitExceeded'])
  const { failed, completionTime } = await statusOf(api)
  deepEqual([failed, completionTime], [2, undefined])
  equal((await events()).includes('Warning BackoffLimitExceeded Job/sum'), true)
})

test('with a limit for each index, an index that keeps failing does not end the others', async (context) => {
  const { api, settled, advance, events } = await start(context)
  const spec = { completions: 2, parallelism: 2, completionMode: 'Indexed', backoffLimitPerIndex: 1 } as const
  await api.create(JOBS, jobOf(spec))
  await settled()
  const FAILURES = 'batch.kubernetes.io/job-index-failure-count'
  const podOfIndex = async (index: number, failures: number): Promise<string> => {
    const found = (await podsOf(api)).find(
      ({ metadata }) =>
        metadata.name?.startsWith(`sum-${index}-`) && metadata.annotations?.[FAILURES] === `${failures}`,
    )
    return found?.metadata.name ?? ''
  }
  await endPod(api, await podOfIndex(0, 0), 'Failed')
  await settled()
  deepEqual([(await podsOf(api)).length, (await statusOf(api)).failed ?? 0], [2, 0])
  await advance(10_000)
  deepEqual([(await podsOf(api)).length, (await statusOf(api)).failed], [3, 1])
  await endPod(api, await podOfIndex(0, 1), 'Failed')
  await settled()
  const half = await statusOf(api)
  deepEqual([half.failedIndexes, half.failed, half.active, half.conditions ?? []], ['0', 2, 1, []])
  await endPod(api, await podOfIndex(1, 0), 'Succeeded')
  await settled()
  deepEqual(await conditionsOf(api), ['FailureTarget=True FailedIndexes', 'Failed=True FailedIndexes'])
  const done = await statusOf(api)
  deepEqual([done.completedIndexes, done.failedIndexes, done.succeeded, done.failed], ['1', '0', 1, 2])
  equal((await events()).includes('Warning FailedIndexes Job/sum'), true)
  equal(
    (await podsOf(api)).every(({ metadata }) => metadata.finalizers === undefined),
    true,
  )
})

test('a Job that is active for too long fails, once its pods are gone', async (context) => {
  const { api, settled, advance } = await start(context)
  await api.create(JOBS, jobOf({ activeDeadlineSeconds: 60 }))
  await settled()
  const [pod = ''] = await namesOf(api)
  await makeReady(api, pod)
  await advance(59_000)
  deepEqual(await conditionsOf(api), [])
  await advance(1000)
  deepEqual(await conditionsOf(api), ['FailureTarget=True DeadlineExceeded'])
  equal((await statusOf(api)).terminating, 1)
  await removePod(api, pod)
  await settled()
  deepEqual(await conditionsOf(api), ['FailureTarget=True DeadlineExceeded', 'Failed=True DeadlineExceeded'])
  deepEqual([(await statusOf(api)).failed, await namesOf(api)], [1, []])
})

test('a suspended Job has no pods, and none of them counts as failed', async (context) => {
  const { api, settled, events } = await start(context)
  await api.create(JOBS, jobOf({ parallelism: 2, completions: 2 }))
  await settled()
  await change(api, { suspend: true })
  await settled()
  deepEqual(await namesOf(api), [])
  deepEqual(await conditionsOf(api), ['Suspended=True JobSuspended'])
  const suspended = await statusOf(api)
  deepEqual([suspended.startTime, suspended.active ?? 0, suspended.failed ?? 0], [undefined, 0, 0])
  await change(api, { suspend: false })
  await settled()
  equal((await podsOf(api)).length, 2)
  deepEqual(await conditionsOf(api), ['Suspended=False JobResumed'])
  equal((await events()).includes('Normal Resumed Job/sum'), true)
})

test('less parallelism deletes pods, more creates them', async (context) => {
  const { api, settled } = await start(context)
  await api.create(JOBS, jobOf({ parallelism: 3, completions: 9 }))
  await settled()
  await change(api, { parallelism: 1 })
  await settled()
  equal((await podsOf(api)).length, 1)
  await change(api, { parallelism: 4 })
  await settled()
  equal((await podsOf(api)).length, 4)
  equal((await statusOf(api)).failed ?? 0, 0)
})

test('the pods of a deleted Job lose their finalizers', async (context) => {
  const { api, settled } = await start(context)
  await api.create(JOBS, jobOf({ parallelism: 2, completions: 2 }))
  await settled()
  const names = await namesOf(api)
  await api.delete(JOBS, ref, { propagationPolicy: 'Orphan' })
  await settled()
  deepEqual(
    (await podsOf(api)).map(({ metadata }) => [names.includes(metadata.name ?? ''), metadata.finalizers]),
    [
      [true, undefined],
      [true, undefined],
    ],
  )
})

test('a finished Job is deleted after the time that it says', async (context) => {
  const { api, settled, advance } = await start(context)
  await api.create(JOBS, jobOf({ ttlSecondsAfterFinished: 30 }))
  await settled()
  await endPod(api, (await namesOf(api))[0] ?? '', 'Succeeded')
  await settled()
  await advance(29_000)
  equal((await api.list(JOBS)).items.length, 1)
  await advance(1000)
  equal((await api.list(JOBS)).items.length, 0)
})

test('a Job on nodes that run no containers says how its pods can end', async (context) => {
  const { api, settled, events } = await start(context)
  await api.create(NODES, { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n1' } })
  const nodeInfo = { kubeletVersion: 'holdfast-1.0.0' }
  await api.patch(NODES, { name: 'n1' }, { type: 'merge', value: { status: { nodeInfo } } }, { subresource: 'status' })
  await api.create(JOBS, jobOf())
  await settled()
  equal((await events()).includes('Warning NoContainers Job/sum'), false)
  await makeReady(api, (await namesOf(api))[0] ?? '')
  await settled()
  equal((await events()).includes('Warning NoContainers Job/sum'), true)
})

test('a controller that is killed after every write counts every pod once', async (context) => {
  let writesLeft = Number.POSITIVE_INFINITY
  const {
    api,
    settled,
    start: again,
    stop,
    advance,
  } = await start(context, {
    apiOf: ({ api: own }) => ({
      ...own,
      patch: (type, object, patch, options) =>
        writesLeft-- > 0 ? own.patch(type, object, patch, options) : Promise.reject(new Error('killed')),
    }),
  })
  await api.create(JOBS, jobOf({ completions: 4, parallelism: 4, backoffLimit: 9 }))
  await settled()
  for (const name of (await namesOf(api)).slice(0, 3)) await endPod(api, name, 'Succeeded')
  await stop()
  await endPod(api, (await namesOf(api))[3] ?? '', 'Failed')
  for (let turn = 0; turn < 12; turn++) {
    writesLeft = 1
    await again()
    await stop()
  }
  writesLeft = Number.POSITIVE_INFINITY
  await again()
  await advance(20_000)
  const { succeeded, failed, active } = await statusOf(api)
  deepEqual([succeeded, failed, active], [3, 1, 1])
})
