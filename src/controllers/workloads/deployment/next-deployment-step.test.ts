import { deepEqual, equal } from 'node:assert/strict'
import { test } from 'node:test'
import type { Deployment, DeploymentSpec } from '../../../api/kinds/deployment.ts'
import type { Pod } from '../../../api/kinds/pod.ts'
import type { ReplicaSet } from '../../../api/kinds/replica-set.ts'
import { podOf } from '../../../testing/objects.ts'
import { deploymentStatus } from './deployment-status.ts'
import { nextDeploymentStep, REASONS } from './next-deployment-step.ts'
import type { DeploymentStep, DeploymentView } from './next-deployment-step.ts'
import { limitsOf, newReplicaSet, rolloutOf } from './rollout.ts'

const NOW_MS = Date.UTC(2030, 0, 1)
const labels = { app: 'web' }
const webOf = (spec: Partial<DeploymentSpec> = {}, image = 'new'): Deployment => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { namespace: 'default', name: 'web', uid: 'uid-web', generation: 1 },
  spec: {
    replicas: 10,
    selector: { matchLabels: labels },
    template: { metadata: { labels }, spec: { containers: [{ name: 'main', image }] } },
    strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 3, maxUnavailable: 2 } },
    progressDeadlineSeconds: 600,
    ...spec,
  },
})
type Parts = { size: number; available?: number; image?: string; revision?: number; desired?: number; maximum?: number }
function setOf({ size, available = size, image = 'new', revision = 2, desired = 10, maximum = 13 }: Parts): ReplicaSet {
  const set = newReplicaSet({ deployment: webOf({}, image), newSet: undefined, oldSets: [] })
  return {
    ...set,
    metadata: {
      ...set.metadata,
      uid: `uid-${image}`,
      generation: 1,
      creationTimestamp: `2029-01-0${revision}T00:00:00Z`,
      annotations: {
        'deployment.kubernetes.io/revision': String(revision),
        'deployment.kubernetes.io/desired-replicas': String(desired),
        'deployment.kubernetes.io/max-replicas': String(maximum),
      },
    },
    spec: { ...set.spec, replicas: size },
    status: { replicas: size, readyReplicas: available, availableReplicas: available, observedGeneration: 1 },
  }
}
const old = (size: number, more: Partial<Parts> = {}): ReplicaSet => setOf({ size, image: 'old', revision: 1, ...more })

/** With a status that is up to date. */
function stepFor(deployment: Deployment, sets: readonly ReplicaSet[], pods: readonly Pod[] = []): DeploymentStep {
  const status = deploymentStatus(rolloutOf(deployment, sets), NOW_MS, { isRollout: !deployment.spec.paused })
  const annotations = { 'deployment.kubernetes.io/revision': '2' }
  const set = { ...deployment, metadata: { ...deployment.metadata, annotations }, status }
  return nextDeploymentStep({ seen: { set, sets, podsOf: () => pods, nowMs: NOW_MS } })
}
/** `scale-sets old=7 new=5`. */
function textOf(step: DeploymentStep): string {
  if (step.kind === 'wait') return `wait ${step.reason.code}`
  const imageOf = ({ spec }: ReplicaSet): string => spec.template.spec.containers[0]?.image ?? ''
  if (step.kind === 'scale-sets')
    return [step.kind, ...step.scales.map(({ set, replicas }) => `${imageOf(set)}=${replicas}`)].join(' ')
  if (step.kind === 'create-set') return `create-set ${step.set.spec.replicas}`
  return 'sets' in step ? `${step.kind} ${step.sets.map(imageOf).join(' ')}` : step.kind
}
const recreate = { strategy: { type: 'Recreate' } } as const

const cases: [behaviour: string, deployment: Deployment, sets: ReplicaSet[], step: string][] = [
  ['the first set has all pods at once', webOf(), [], 'create-set 10'],
  ['the next set has only what the surge allows', webOf(), [old(10)], 'create-set 3'],
  ['a set that cannot grow yet starts with nothing', webOf(), [old(13)], 'create-set 0'],
  [
    'old pods go as far as maxUnavailable allows',
    webOf(),
    [old(10), setOf({ size: 3, available: 0 })],
    'scale-sets old=8',
  ],
  ['the new set grows into the room', webOf(), [old(8), setOf({ size: 3, available: 0 })], 'scale-sets new=5'],
  [
    'nothing moves while new pods are not available',
    webOf(),
    [old(8), setOf({ size: 5, available: 0 })],
    'wait ReplicaSetNotAvailable',
  ],
  ['available new pods replace old ones', webOf(), [old(8), setOf({ size: 5, available: 4 })], 'scale-sets old=4'],
  [
    'old pods that are not available go first',
    webOf(),
    [old(8, { available: 2 }), setOf({ size: 5, available: 5 })],
    'scale-sets old=3',
  ],
  ['a new set that is too large shrinks', webOf(), [setOf({ size: 12 })], 'scale-sets new=10'],
  ['a complete Deployment waits', webOf(), [setOf({ size: 10 })], 'wait Complete'],
  [
    'a set with the old template gets a higher revision when it is used again',
    webOf(),
    [old(0, { revision: 3 }), setOf({ size: 10 })],
    'update-set',
  ],
  ['Recreate ends old pods first', webOf(recreate), [old(10)], 'scale-sets old=0'],
  ['Recreate creates all new pods then', webOf(recreate), [old(0)], 'create-set 10'],
  ['a paused Deployment does nothing', webOf({ paused: true }), [old(10)], 'wait DeploymentPaused'],
  ['growth is shared in proportion', webOf({ replicas: 15 }), [old(8), setOf({ size: 5 })], 'scale-sets old=11 new=7'],
  ['so is shrinking', webOf({ replicas: 5 }), [old(8), setOf({ size: 5 })], 'scale-sets old=5 new=3'],
  [
    'a Deployment that is scaled to 0 has no pods',
    webOf({ replicas: 0 }),
    [old(8), setOf({ size: 5 })],
    'scale-sets old=0 new=0',
  ],
  ['surplus history is deleted', webOf({ revisionHistoryLimit: 0 }), [old(0), setOf({ size: 10 })], 'delete-sets old'],
]
for (const [behaviour, deployment, sets, step] of cases)
  test(behaviour, () => equal(textOf(stepFor(deployment, sets)), step))

test('Recreate waits until the last old pod is gone, also one that is being deleted', () => {
  const pod = podOf('p1', { metadata: { deletionTimestamp: '2030-01-01T00:00:00Z' }, status: { phase: 'Running' } })
  equal(textOf(stepFor(webOf(recreate), [old(0)], [pod])), 'wait OldPodsRunning')
  equal(textOf(stepFor(webOf(recreate), [old(0)], [{ ...pod, status: { phase: 'Failed' } }])), 'create-set 10')
})

test('percentages are rounded so that a rollout can always move', () => {
  const limits = (replicas: number, maxSurge: string | number, maxUnavailable: string | number) =>
    limitsOf(webOf({ replicas, strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge, maxUnavailable } } }))
  deepEqual(limits(1, '25%', '25%'), { maxSurge: 1, maxUnavailable: 0 })
  deepEqual(limits(10, '25%', '25%'), { maxSurge: 3, maxUnavailable: 2 })
  deepEqual(limits(3, 0, '10%'), { maxSurge: 0, maxUnavailable: 1 })
  deepEqual(limits(2, 0, 5), { maxSurge: 0, maxUnavailable: 2 })
})

const REVISION = 'deployment.kubernetes.io/revision'
/** Without a status, unless the Deployment has one. */
const stepOf = (
  set: Deployment,
  sets: readonly ReplicaSet[],
  more: Partial<DeploymentView['seen']> = {},
): DeploymentStep => nextDeploymentStep({ seen: { set, sets, podsOf: () => [], nowMs: NOW_MS, ...more } })
const withMeta = <T extends Deployment | ReplicaSet>(object: T, metadata: object): T => ({
  ...object,
  metadata: { ...object.metadata, ...metadata },
})
const leaving = { deletionTimestamp: '2030-01-01T00:00:00Z' }
const current = (deployment: Deployment, sets: readonly ReplicaSet[], isRollout = true): Deployment =>
  withMeta(
    { ...deployment, status: deploymentStatus(rolloutOf(deployment, sets), NOW_MS, { isRollout }) },
    { annotations: { [REVISION]: '2' } },
  )

test('sets are adopted, then released, before anything else', () => {
  const free = withMeta(setOf({ size: 1 }), { ownerReferences: [] })
  const strange = withMeta(old(1), { labels: {} })
  deepEqual(stepOf(webOf(), [free, strange]), { kind: 'adopt-sets', sets: [free] })
  deepEqual(stepOf(webOf(), [strange]), { kind: 'release-sets', sets: [strange] })
})

test('a Deployment that is leaving only writes its status', () => {
  const sets = [old(10)]
  const ending = withMeta(webOf(), leaving)
  const step = stepOf(ending, sets)
  equal(step.kind, 'write-status')
  // It makes no progress: nothing is rolled out.
  equal(step.kind === 'write-status' && step.status.conditions?.some(({ type }) => type === 'Progressing'), false)
  deepEqual(stepOf(withMeta(current(ending, sets, false), leaving), sets), {
    kind: 'wait',
    reason: REASONS.DeploymentLeaving,
  })
})

test('a single set is scaled when the Deployment is', () =>
  equal(textOf(stepFor(webOf({ replicas: 12 }), [setOf({ size: 10 })])), 'scale-sets new=12'))

test('a paused Deployment removes surplus history and writes its status, and does not roll', () => {
  const paused = webOf({ paused: true, revisionHistoryLimit: 0 })
  equal(textOf(stepFor(paused, [old(0), setOf({ size: 10 })])), 'delete-sets old')
  equal(textOf(stepOf(webOf({ paused: true }), [old(10)])), 'write-status')
  equal(textOf(stepOf(webOf({ paused: true }), [setOf({ size: 10 })])), 'write-status')
})

test('the new set follows minReadySeconds', () => {
  const set = setOf({ size: 10 })
  const step = stepOf(webOf({ minReadySeconds: 5 }), [set])
  deepEqual(step, { kind: 'update-set', set, annotations: {}, minReadySeconds: 5 })
  const slow = { ...set, spec: { ...set.spec, minReadySeconds: 5 } }
  deepEqual(stepOf(webOf(), [slow]), { kind: 'update-set', set: slow, annotations: {}, minReadySeconds: 0 })
  equal(textOf(stepOf(webOf({ minReadySeconds: 5 }), [slow])), 'write-status')
})

test('Recreate ends every old set, also one with a single pod, and waits for the first that still has pods', () => {
  const older = withMeta(setOf({ size: 0, image: 'older', revision: 1 }), { creationTimestamp: '2028-01-01T00:00:00Z' })
  equal(textOf(stepFor(webOf(recreate), [old(1)])), 'scale-sets old=0')
  const shrinking = (set: ReplicaSet, replicas?: number): ReplicaSet =>
    ({
      ...set,
      status: replicas === undefined ? undefined : { replicas },
    }) as ReplicaSet
  const waiting = stepFor(webOf(recreate), [shrinking(older, 1), shrinking(old(0), 1)])
  deepEqual(waiting.kind === 'wait' && waiting.reason, REASONS.OldPodsRunning(shrinking(older, 1)))
  equal(textOf(stepFor(webOf(recreate), [shrinking(old(0))])), 'create-set 10')
  const plain = { desired: 10, maximum: 10 }
  equal(textOf(stepFor(webOf(recreate), [old(0, plain), setOf({ size: 4, ...plain })])), 'scale-sets new=10')
  equal(textOf(stepFor(webOf(recreate), [old(0, plain), setOf({ size: 10, ...plain })])), 'wait Complete')
})

test('only old sets that are empty and observed are deleted, the lowest revision first, beyond the limit', () => {
  const history = Array.from({ length: 12 }, (_, index) =>
    withMeta(setOf({ size: 0, image: `i${index}` }), {
      annotations: { [REVISION]: String(20 - index) },
      creationTimestamp: `2028-01-${10 + index}T00:00:00Z`,
    }),
  )
  const newest = withMeta(setOf({ size: 10 }), {
    annotations: { ...setOf({ size: 10 }).metadata.annotations, [REVISION]: '30' },
  })
  const cleanup = (sets: readonly ReplicaSet[], spec: Partial<DeploymentSpec> = {}): string => {
    const all = [...sets, newest]
    const deployment = withMeta(current(webOf(spec), all), { annotations: { [REVISION]: '30' } })
    return textOf(stepOf(deployment, all))
  }
  equal(cleanup(history), 'delete-sets i11 i10')
  equal(cleanup(history.slice(0, 11)), 'delete-sets i10')
  equal(cleanup(history.slice(0, 10)), 'wait Complete')
  equal(cleanup(history, { revisionHistoryLimit: 11 }), 'delete-sets i11')
  const [first] = history as [ReplicaSet]
  const only = (set: ReplicaSet): string => cleanup([set], { revisionHistoryLimit: 0 })
  equal(only(first), 'delete-sets i0')
  equal(only(withMeta(first, leaving)), 'wait Complete')
  equal(only({ ...first, status: { replicas: 1, observedGeneration: 1 } }), 'wait ReplicaSetNotAvailable')
  equal(only(withMeta(first, { generation: 2 })), 'wait Complete')
  equal(only({ ...first, status: { replicas: 0 } }), 'wait Complete')
  const { status: _status, ...unseen } = withMeta(first, { generation: 0 })
  equal(only(unseen as ReplicaSet), 'delete-sets i0')
})

test('history stays until the rollout is complete', () => {
  const sets = [old(0), setOf({ size: 10, available: 5 })]
  equal(textOf(stepFor(webOf({ revisionHistoryLimit: 0 }), sets)), 'wait ReplicaSetNotAvailable')
})

test('the status is written when a number, a condition or the revision differs', () => {
  const sets = [setOf({ size: 10 })]
  const done = current(webOf(), sets)
  equal(textOf(stepOf(done, sets)), 'wait Complete')
  const other = withMeta(done, { annotations: { [REVISION]: '1' } })
  const step = stepOf(other, sets)
  deepEqual(step.kind === 'write-status' && [step.revision, step.status], ['2', done.status])
  equal(textOf(stepOf({ ...done, status: { ...done.status, replicas: 9 } }, sets)), 'write-status')
  equal(textOf(stepOf({ ...done, status: { ...done.status, conditions: [] } }, sets)), 'write-status')
  const { conditions: _none, ...counts } = done.status ?? {}
  equal(textOf(stepOf({ ...done, status: counts }, sets)), 'write-status')
})

test('a rollout is looked at again when its deadline has passed', () => {
  const sets = [old(8), setOf({ size: 5, available: 0 })]
  const waiting = stepFor(webOf(), sets)
  deepEqual(waiting, {
    kind: 'wait',
    reason: REASONS.ReplicaSetNotAvailable(sets[1] as ReplicaSet),
    retryInMs: 601_000,
  })
  deepEqual(stepFor(webOf(), [setOf({ size: 10 })]), { kind: 'wait', reason: REASONS.Complete })
  const { progressDeadlineSeconds: _none, ...endless } = webOf().spec
  deepEqual(stepFor({ ...webOf(), spec: endless }, sets), {
    kind: 'wait',
    reason: REASONS.ReplicaSetNotAvailable(sets[1] as ReplicaSet),
  })
})

test('every reason says what happens', () => {
  const set = setOf({ size: 1 })
  const waitsFor = {
    kind: 'object',
    apiVersion: 'apps/v1',
    kindName: 'ReplicaSet',
    namespace: 'default',
    name: set.metadata.name,
  }
  deepEqual(
    [
      REASONS.Complete,
      REASONS.DeploymentLeaving,
      REASONS.DeploymentPaused,
      REASONS.ReplicaSetNotAvailable(set),
      REASONS.OldPodsRunning(set),
    ],
    [
      { code: 'Complete', message: 'all pods are available and up to date' },
      { code: 'DeploymentLeaving', message: 'the Deployment is being deleted' },
      { code: 'DeploymentPaused', message: 'the Deployment is paused', cure: 'Run kubectl rollout resume.' },
      {
        code: 'ReplicaSetNotAvailable',
        message: `ReplicaSet ${set.metadata.name} does not have all its pods available yet`,
        waitsFor,
      },
      {
        code: 'OldPodsRunning',
        message: `pods of ReplicaSet ${set.metadata.name} have to end before new ones are created`,
        waitsFor,
      },
    ],
  )
})
