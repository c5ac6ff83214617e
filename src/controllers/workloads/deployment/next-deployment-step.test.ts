import { deepEqual, equal } from 'node:assert/strict'
import { test } from 'node:test'
import type { Deployment, DeploymentSpec } from '../../../api/kinds/deployment.ts'
import type { Pod } from '../../../api/kinds/pod.ts'
import type { ReplicaSet } from '../../../api/kinds/replica-set.ts'
import { podOf } from '../../../testing/objects.ts'
import { deploymentStatus } from './deployment-status.ts'
import { nextDeploymentStep } from './next-deployment-step.ts'
import type { DeploymentStep } from './next-deployment-step.ts'
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
