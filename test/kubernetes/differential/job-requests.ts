import type { ComparedRequest } from './compared-request.ts'
import { JSON_BODY } from './compared-request.ts'

const podSpec = { restartPolicy: 'Never', containers: [{ name: 'main', image: 'one' }] }
const indexed = { completionMode: 'Indexed', completions: 4, parallelism: 2 }
const onExit = (rule: object, action = 'FailJob') => ({
  podFailurePolicy: { rules: [{ action, onExitCodes: { operator: 'In', values: [42], ...rule } }] },
})
const onConditions = (...onPodConditions: object[]) => ({
  podFailurePolicy: { rules: [{ action: 'Ignore', onPodConditions }] },
})
const succeeds = (rule: object) => ({ ...indexed, successPolicy: { rules: [rule] } })
const withPod = (more: object) => ({ template: { spec: { ...podSpec, ...more } } })

/** Specs of Jobs around each of their rules. */
const JOB_SPECS: Readonly<Record<string, object>> = {
  'that is plain': {},
  'that is Indexed': indexed,
  'with negative numbers': { parallelism: -1, completions: -1, backoffLimit: -1, activeDeadlineSeconds: -1 },
  'with another completion mode': { completionMode: 'Other' },
  'without completions': { completionMode: 'Indexed', parallelism: 1 },
  'with too much parallelism': { ...indexed, parallelism: 100_001 },
  'with a limit for each index': { ...indexed, backoffLimitPerIndex: 1, maxFailedIndexes: 2 },
  'with a limit for each index it does not have': { backoffLimitPerIndex: 1, maxFailedIndexes: 1 },
  'with failed indexes and no limit': { ...indexed, maxFailedIndexes: 1 },
  'with more failed indexes than indexes': { ...indexed, backoffLimitPerIndex: 1, maxFailedIndexes: 5 },
  'with many indexes': { ...indexed, completions: 100_001, parallelism: 10_001, backoffLimitPerIndex: 1 },
  'with many failed indexes': {
    ...indexed,
    completions: 200_000,
    backoffLimitPerIndex: 1,
    maxFailedIndexes: 100_001,
  },
  'with a manager': { managedBy: 'example.com/queue' },
  'with a manager without a domain': { managedBy: 'queue' },
  'with a manager without a name': { managedBy: 'example.com/' },
  'with an invalid and long manager': { managedBy: `Example.com/${'a'.repeat(60)}` },
  'with an empty manager': { managedBy: '' },
  'with a replacement policy': { podReplacementPolicy: 'Failed' },
  'with another replacement policy': { podReplacementPolicy: 'Never' },
  'with a replacement policy that its failure policy excludes': {
    ...onExit({}),
    podReplacementPolicy: 'TerminatingOrFailed',
  },
  'with a failure policy': onExit({}),
  'with an unknown action': onExit({}, 'Other'),
  'without an action': onExit({}, ''),
  'that fails an index it does not have': onExit({}, 'FailIndex'),
  'that fails an index': { ...indexed, backoffLimitPerIndex: 1, ...onExit({}, 'FailIndex') },
  'with an unknown operator': onExit({ operator: 'Is' }),
  'without an operator': onExit({ operator: '' }),
  'with an unknown container': onExit({ containerName: 'other' }),
  'with a known container': onExit({ containerName: 'main' }),
  'without exit codes': onExit({ values: [] }),
  'with the exit code 0': onExit({ values: [0, 1] }),
  'with exit codes in another order, and twice': onExit({ values: [3, 1, 1] }),
  'with too many exit codes': onExit({ values: Array.from({ length: 256 }, (_, index) => index + 1) }),
  'with conditions': onConditions({ type: 'DisruptionTarget' }, { type: 'Ready', status: 'False' }),
  'with invalid conditions': onConditions({ type: 'no name', status: 'Maybe' }, { type: '', status: 'True' }),
  'with a rule about nothing': { podFailurePolicy: { rules: [{ action: 'Count' }] } },
  'with a rule about both': {
    podFailurePolicy: {
      rules: [
        {
          action: 'Count',
          onExitCodes: { operator: 'In', values: [1] },
          onPodConditions: [{ type: 'Ready', status: 'True' }],
        },
      ],
    },
  },
  'with too many rules': {
    podFailurePolicy: { rules: Array(21).fill(onConditions({ type: 'A' }).podFailurePolicy.rules[0]) },
  },
  'with a failure policy and restarts': { ...onExit({}), ...withPod({ restartPolicy: 'OnFailure' }) },
  'with pods that are always restarted': withPod({ restartPolicy: 'Always' }),
  'with pods without a restart policy': withPod({ restartPolicy: null }),
  'with a success policy': succeeds({ succeededIndexes: '0,2-3', succeededCount: 2 }),
  'with a success policy without indexes': { successPolicy: { rules: [{ succeededCount: 1 }] } },
  'with a success policy without rules': { ...indexed, successPolicy: { rules: [] } },
  'with an empty rule of success': succeeds({}),
  'that wants more successes than it has': succeeds({ succeededCount: 5 }),
  'that wants more successes than indexes': succeeds({ succeededIndexes: '0-1', succeededCount: 3 }),
  'that wants negative successes': succeeds({ succeededCount: -1 }),
  ...Object.fromEntries(
    ['', '4', '0-4', '2-1', '1,1', '1-2-3', 'a', '0-b', '3,1', '1-1'].map((succeededIndexes) => [
      `that wants the indexes "${succeededIndexes}"`,
      succeeds({ succeededIndexes }),
    ]),
  ),
  'with a selector': { selector: { matchLabels: { app: 'web' } } },
  'with an invalid selector': { manualSelector: true, selector: { matchLabels: { 'a b': '' } } },
}

/** Creates Jobs and CronJobs that are not stored. */
export const jobRequests = (): ComparedRequest[] =>
  Object.entries(JOB_SPECS).flatMap(([what, more]) => {
    const spec = { template: { spec: podSpec }, ...more }
    const create = (kind: string, object: object): ComparedRequest => ({
      title: `create ${kind} ${what}`,
      method: 'POST',
      path: `/apis/batch/v1/namespaces/default/${kind.toLowerCase()}s?dryRun=All`,
      headers: JSON_BODY,
      body: JSON.stringify({ apiVersion: 'batch/v1', kind, metadata: { name: 'sum' }, ...object }),
    })
    return [create('Job', { spec }), create('CronJob', { spec: { schedule: '* * * * *', jobTemplate: { spec } } })]
  })
