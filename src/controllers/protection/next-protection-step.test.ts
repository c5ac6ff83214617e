import { deepEqual, equal } from 'node:assert/strict'
import { test } from 'node:test'
import type { Pod, Volume } from '../../api/kinds/pod.ts'
import { ownerReferenceTo } from '../../api/owner-references.ts'
import { claimOf, podOf as plainPodOf, reservedFor, volumeOf, volumeOfClaim } from '../../testing/objects.ts'
import type { PodParts } from '../../testing/objects.ts'
import {
  isShutDown,
  nextClaimProtectionStep,
  nextVolumeProtectionStep,
  REASONS,
  usesClaim,
} from './next-protection-step.ts'
import type { ClaimProtectionStep, ClaimProtectionView, ProtectionStep } from './next-protection-step.ts'

const deletionTimestamp = '2030-01-01T00:00:00Z'
const podOf = (name: string, volumes: Volume[], parts: PodParts = {}): Pod =>
  plainPodOf(name, { volumes, nodeName: 'n1', ...parts })
const naming = (...claimNames: string[]): Volume[] => claimNames.map((claimName) => volumeOfClaim(claimName))
const own: Volume[] = [{ name: 'tmp', ephemeral: { volumeClaimTemplate: { spec: claimOf().spec } } }]

const claimFinalizers = ['kubernetes.io/pvc-protection']
const leavingClaim = claimOf({ metadata: { deletionTimestamp, finalizers: claimFinalizers } })
const claims: [behaviour: string, view: ClaimProtectionView, step: ClaimProtectionStep][] = [
  ['a new claim is protected', { seen: { claim: claimOf(), pods: [] } }, { kind: 'add-finalizer' }],
  [
    'a protected claim stays so',
    { seen: { claim: claimOf({ metadata: { finalizers: claimFinalizers } }), pods: [] } },
    { kind: 'wait', reason: REASONS.Protected },
  ],
  [
    'a claim that is leaving is not protected any more',
    {
      seen: {
        claim: claimOf({ metadata: { deletionTimestamp, finalizers: ['other'] } }),
        pods: [podOf('a', naming('c1'))],
      },
    },
    { kind: 'wait', reason: REASONS.NotHeld },
  ],
  [
    'the first pod that uses the claim is named',
    {
      seen: {
        claim: leavingClaim,
        pods: [podOf('x', naming('c2')), podOf('a', naming('c1')), podOf('b', naming('c1'))],
      },
    },
    { kind: 'wait', reason: REASONS.UsedByPod(podOf('a', [])) },
  ],
  [
    'the server is asked before the protection ends',
    { seen: { claim: leavingClaim, pods: [] }, held: { arePodsConfirmed: false } },
    { kind: 'look-at-pods' },
  ],
  [
    'the protection ends when no pod uses the claim',
    { seen: { claim: leavingClaim, pods: [] }, held: { arePodsConfirmed: true } },
    { kind: 'remove-finalizer' },
  ],
  [
    'a pod that only the server shows is looked for again in a second',
    { seen: { claim: leavingClaim, pods: [podOf('a', naming('c1'))] }, held: { arePodsConfirmed: true } },
    { kind: 'wait', reason: REASONS.UsedByPod(podOf('a', [])), retryInMs: 1000 },
  ],
  [
    'a claim that another finalizer keeps is not looked at again',
    {
      seen: { claim: claimOf({ metadata: { deletionTimestamp, finalizers: ['other'] } }), pods: [] },
      held: { arePodsConfirmed: true },
    },
    { kind: 'wait', reason: REASONS.NotHeld },
  ],
  [
    'asked from outside, the protection ends',
    { seen: { claim: leavingClaim, pods: [] } },
    { kind: 'remove-finalizer' },
  ],
]
for (const [behaviour, view, step] of claims) test(behaviour, () => deepEqual(nextClaimProtectionStep(view), step))

const ofPod = (pod: Pod) =>
  claimOf({
    name: 'a-tmp',
    metadata: { ownerReferences: [ownerReferenceTo(pod, { controller: true, blockOwnerDeletion: true })] },
  })
const withOwn = podOf('a', own)
const users: [behaviour: string, pod: Pod, claim: ReturnType<typeof claimOf>, uses: boolean][] = [
  ['a pod with a node that names it', podOf('a', naming('c1')), claimOf(), true],
  ['a pod that names it among others', podOf('a', naming('c0', 'c1', 'c2')), claimOf(), true],
  ['a pod that names others', podOf('a', naming('c0', 'c2')), claimOf(), false],
  ['a pod without a node', podOf('a', naming('c1'), { nodeName: '' }), claimOf(), false],
  ['a pod of another namespace', podOf('a', naming('c1'), { metadata: { namespace: 'team' } }), claimOf(), false],
  ['a pod whose own it is', withOwn, ofPod(withOwn), true],
  ['a pod whose own has that name but belongs to another', withOwn, claimOf({ name: 'a-tmp' }), false],
  [
    'a pod whose own it is, shut down',
    podOf('a', own, { metadata: { deletionTimestamp, deletionGracePeriodSeconds: 0 } }),
    ofPod(withOwn),
    false,
  ],
  [
    'a pod whose own it is, shutting down',
    podOf('a', own, { metadata: { deletionTimestamp, deletionGracePeriodSeconds: 1 } }),
    ofPod(withOwn),
    true,
  ],
]
for (const [behaviour, pod, claim, uses] of users)
  test(`uses the claim: ${behaviour}: ${uses ? 'yes' : 'no'}`, () => equal(usesClaim(pod, claim), uses))

test('a pod is shut down when it is leaving without any grace', () => {
  const state = (metadata: Pod['metadata']): boolean => isShutDown(podOf('a', [], { metadata }))
  deepEqual(
    [
      state({ deletionTimestamp, deletionGracePeriodSeconds: 0 }),
      state({ deletionTimestamp, deletionGracePeriodSeconds: 1 }),
      state({ deletionGracePeriodSeconds: 0 }),
    ],
    [true, false, false],
  )
})

const volumeFinalizers = ['kubernetes.io/pv-protection']
const leavingVolume = { metadata: { deletionTimestamp, finalizers: volumeFinalizers } }
const volumes: [behaviour: string, volume: ReturnType<typeof volumeOf>, step: ProtectionStep][] = [
  ['a new volume is protected', volumeOf(), { kind: 'add-finalizer' }],
  [
    'a protected volume stays so',
    volumeOf({ metadata: { finalizers: volumeFinalizers } }),
    { kind: 'wait', reason: REASONS.Protected },
  ],
  [
    'a volume that is leaving is not protected any more',
    volumeOf({ phase: 'Bound', metadata: { deletionTimestamp, finalizers: ['other'] } }),
    { kind: 'wait', reason: REASONS.NotHeld },
  ],
  [
    'a bound volume waits for its claim',
    volumeOf({ ...leavingVolume, phase: 'Bound', spec: { claimRef: reservedFor('c1') } }),
    { kind: 'wait', reason: REASONS.VolumeBound({ namespace: 'default', name: 'c1' }) },
  ],
  ['the protection of a free volume ends', volumeOf(leavingVolume), { kind: 'remove-finalizer' }],
]
for (const [behaviour, volume, step] of volumes)
  test(behaviour, () => deepEqual(nextVolumeProtectionStep({ seen: { volume } }), step))

test('a volume without a status is not bound', () => {
  const { status: _none, ...volume } = volumeOf(leavingVolume)
  deepEqual(nextVolumeProtectionStep({ seen: { volume } }), { kind: 'remove-finalizer' })
})
