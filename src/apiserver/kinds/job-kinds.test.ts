import { deepEqual, equal, rejects } from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { TestContext } from 'node:test'
import { CRON_JOBS } from '../../api/kinds/cron-job.ts'
import { JOBS } from '../../api/kinds/job.ts'
import type { Job, JobSpec } from '../../api/kinds/job.ts'
import { openTestCore } from '../testing/open-test-core.ts'

const ref = { namespace: 'default', name: 'sum' }
const podSpec = { restartPolicy: 'Never', containers: [{ name: 'main', image: 'one' }] } as const
const indexed = { completionMode: 'Indexed', completions: 4, parallelism: 2 } as const
const jobOf = (spec: Partial<JobSpec> = {}): Job => ({
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: ref,
  spec: { template: { spec: podSpec }, ...spec },
})
const open = async (context: TestContext) => (await openTestCore(context)).api
const onExit = (rule: object, action = 'FailJob'): Partial<JobSpec> => ({
  podFailurePolicy: { rules: [{ action, onExitCodes: { operator: 'In', values: [42], ...rule } }] },
})
const succeeds = (rule: object): Partial<JobSpec> => ({ ...indexed, successPolicy: { rules: [rule] } })

// In the words of Kubernetes: `test/kubernetes/differential.test.ts` compares these and others with kube-apiserver.
const REFUSED: readonly [behaviour: string, spec: Partial<JobSpec>, message: string][] = [
  [
    'a limit for each index without indexes',
    { backoffLimitPerIndex: 1 },
    'spec.backoffLimitPerIndex: Invalid value: 1: requires indexed completion mode',
  ],
  [
    'failed indexes without a limit',
    { ...indexed, maxFailedIndexes: 1 },
    'spec.backoffLimitPerIndex: Required value: when maxFailedIndexes is specified',
  ],
  [
    'more failed indexes than indexes',
    { ...indexed, backoffLimitPerIndex: 1, maxFailedIndexes: 5 },
    'spec.maxFailedIndexes: Invalid value: 5: must be less than or equal to completions',
  ],
  [
    'many indexes without a limit of failed ones',
    { ...indexed, completions: 100_001, backoffLimitPerIndex: 1 },
    'spec.maxFailedIndexes: Required value: must be specified when completions is above 100000',
  ],
  [
    'a manager without a domain',
    { managedBy: 'queue' },
    'spec.managedBy: Invalid value: "queue": must be a domain-prefixed path (such as "acme.io/foo")',
  ],
  [
    'the end of an index that has no limit',
    onExit({}, 'FailIndex'),
    'spec.podFailurePolicy.rules[0].action: Invalid value: "FailIndex": requires the backoffLimitPerIndex to be set',
  ],
  [
    'a failure policy of an unknown container',
    onExit({ containerName: 'other' }),
    'spec.podFailurePolicy.rules[0].onExitCodes.containerName: Invalid value: "other": must be one of the container or initContainer names in the pod template',
  ],
  [
    'a failure policy without exit codes',
    onExit({ values: [] }),
    'spec.podFailurePolicy.rules[0].onExitCodes.values: Invalid value: []: at least one value is required',
  ],
  [
    'exit codes in another order',
    onExit({ values: [2, 1] }),
    'spec.podFailurePolicy.rules[0].onExitCodes.values: Invalid value: [2,1]: must be ordered',
  ],
  [
    'a rule about nothing',
    { podFailurePolicy: { rules: [{ action: 'Count' }] } },
    'spec.podFailurePolicy.rules[0]: Invalid value: specifying one of OnExitCodes and OnPodConditions is required',
  ],
  [
    'a failure policy of pods that are restarted in place',
    { ...onExit({}), template: { spec: { ...podSpec, restartPolicy: 'OnFailure' } } },
    'spec.template.spec.restartPolicy: Invalid value: "OnFailure": only "Never" is supported when podFailurePolicy is specified',
  ],
  [
    'pods that are replaced while they end, if a failure policy has to look at them',
    { ...onExit({}), podReplacementPolicy: 'TerminatingOrFailed' },
    'spec.podReplacementPolicy: Unsupported value: "TerminatingOrFailed": supported values: "Failed"',
  ],
  [
    'a success policy without indexes',
    { successPolicy: { rules: [{ succeededCount: 1 }] } },
    'spec.successPolicy: Invalid value: {"rules":[{"succeededCount":1}]}: requires indexed completion mode',
  ],
  [
    'a success policy without rules',
    { ...indexed, successPolicy: { rules: [] } },
    'spec.successPolicy.rules: Required value: at least one rules must be specified when the successPolicy is specified',
  ],
  [
    'indexes that the Job does not have',
    succeeds({ succeededIndexes: '0-4' }),
    'spec.successPolicy.rules[0].succeededIndexes: Invalid value: "0-4": error parsing succeededIndexes: too large index: "4"',
  ],
  [
    'more successes than indexes',
    succeeds({ succeededIndexes: '0-1', succeededCount: 3 }),
    'spec.successPolicy.rules[0].succeededCount: Invalid value: 3: must be less than or equal to 2 (the number of indexes in the specified succeededIndexes field)',
  ],
]

describe('a Job', () => {
  for (const [behaviour, spec, message] of REFUSED)
    test(`is refused with ${behaviour}`, async (context) => {
      const api = await open(context)
      await rejects(api.create(JOBS, jobOf(spec)), { message: `Job.batch "sum" is invalid: ${message}` })
    })
  test('has the labels of its pods, and rules about conditions are about true ones', async (context) => {
    const api = await open(context)
    const rules = [{ action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget' }] }]
    const { metadata, spec } = await api.create(JOBS, jobOf({ podFailurePolicy: { rules } }))
    const { uid } = metadata
    const own = {
      'batch.kubernetes.io/controller-uid': uid,
      'batch.kubernetes.io/job-name': 'sum',
      'controller-uid': uid,
      'job-name': 'sum',
    }
    deepEqual([metadata.labels, spec.template.metadata?.labels], [own, own])
    deepEqual(spec.podFailurePolicy?.rules[0]?.onPodConditions, [{ type: 'DisruptionTarget', status: 'True' }])
    equal(spec.podReplacementPolicy, 'Failed')
  })
  test('with a limit for each index has no other limit', async (context) => {
    const { spec } = await (await open(context)).create(JOBS, jobOf({ ...indexed, backoffLimitPerIndex: 1 }))
    equal(spec.backoffLimit, 2 ** 31 - 1)
  })
  test('keeps its limit for each index and its policies, and grows only with its parallelism', async (context) => {
    const api = await open(context)
    await api.create(JOBS, jobOf({ ...indexed, backoffLimitPerIndex: 1 }))
    const change = (spec: Partial<JobSpec>) => api.patch(JOBS, ref, { type: 'merge', value: { spec } })
    await rejects(change({ backoffLimitPerIndex: 2 }), {
      message: /spec\.backoffLimitPerIndex: Invalid value: 2: field is immutable/,
    })
    await rejects(change(succeeds({ succeededCount: 1 })), { message: /spec\.successPolicy: .*field is immutable/ })
    await rejects(change({ completions: 5 }), {
      message: /spec\.completions: Invalid value: 5: can only be modified in tandem with spec\.parallelism/,
    })
    equal((await change({ completions: 5, parallelism: 5 })).spec.completions, 5)
  })
  test('with a long name and many indexes is refused, because its pods could not be created', async (context) => {
    const name = 'a'.repeat(62)
    const job = { ...jobOf(indexed), metadata: { ...ref, name } }
    await rejects((await open(context)).create(JOBS, job), {
      message: /metadata\.name: Invalid value: .*will not able to create pod with invalid DNS label: a+-3/,
    })
  })
})

test('a CronJob is refused with a template of which no Job could be created', async (context) => {
  const api = await open(context)
  const create = (spec: Partial<JobSpec>) =>
    api.create(CRON_JOBS, {
      apiVersion: 'batch/v1',
      kind: 'CronJob',
      metadata: ref,
      spec: { schedule: '* * * * *', jobTemplate: { spec: jobOf(spec).spec } },
    })
  await rejects(create({ template: { spec: { ...podSpec, restartPolicy: 'Always' } } }), {
    message:
      /spec\.jobTemplate\.spec\.template\.spec\.restartPolicy: Required value: valid values: "OnFailure", "Never"/,
  })
  await rejects(create({ selector: { matchLabels: { a: 'b' } } }), {
    message: /spec\.jobTemplate\.spec\.selector: Invalid value: .*: `selector` will be auto-generated/,
  })
  equal((await create({})).spec.schedule, '* * * * *')
})
