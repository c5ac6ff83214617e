import { deepEqual, equal } from 'node:assert/strict'
import { test } from 'node:test'
import type { PersistentVolumeClaim } from '../../api/kinds/persistent-volume-claim.ts'
import type { PersistentVolume } from '../../api/kinds/persistent-volume.ts'
import { pod } from '../../apiserver/testing/objects-under-test.ts'
import { claimOf, classOf, reservedFor, volumeOf } from '../../testing/objects.ts'
import type { ClaimView } from './claim-view.ts'
import { nextClaimStep } from './next-claim-step.ts'
import type { ClaimStep } from './next-claim-step.ts'
import { REASONS } from './reasons.ts'

const COMPLETED = { annotations: { 'pv.kubernetes.io/bind-completed': 'yes' } }
const BOUND = { phase: 'Bound', accessModes: ['ReadWriteOnce'], capacity: { storage: '1Gi' } } as const
const named = (more: Parameters<typeof claimOf>[0] = {}): PersistentVolumeClaim =>
  claimOf({ ...more, spec: { volumeName: 'v1', storageClassName: '', ...more.spec } })
const bound = (more: Parameters<typeof claimOf>[0] = {}): PersistentVolumeClaim =>
  named({ metadata: COMPLETED, status: BOUND, ...more })
const lostAt = (creationTimestamp: string): PersistentVolumeClaim =>
  bound({ metadata: { ...COMPLETED, creationTimestamp }, status: { phase: 'Lost' } })
const ours = (more: Parameters<typeof volumeOf>[0] = {}): PersistentVolume =>
  volumeOf({ phase: 'Bound', ...more, spec: { claimRef: reservedFor('c1', 'uid-c1'), ...more.spec } })
const classed = (more: Parameters<typeof claimOf>[0] = {}): PersistentVolumeClaim =>
  claimOf({ ...more, spec: { storageClassName: 'fast' } })
const late = classOf({ volumeBindingMode: 'WaitForFirstConsumer' })
const unclassed = (): PersistentVolumeClaim => {
  const { storageClassName: _none, ...spec } = claimOf().spec
  return { ...claimOf(), spec }
}

/** `wait VolumeMissing`, `wait VolumeMismatch Warning VolumeMismatch`, `set-class fast`. */
function short(step: ClaimStep): string {
  switch (step.kind) {
    case 'wait':
      return ['wait', step.reason.code, ...(step.notice ? [step.notice.type, step.notice.event] : [])].join(' ')
    case 'mark-lost':
      return `mark-lost ${step.notice.event}`
    case 'set-class':
      return `set-class ${step.className}`
    case 'mark-for-provisioner':
      return `mark-for-provisioner ${step.provisioner}`
    case 'reserve-volume':
    case 'complete-claim':
      return `${step.kind}${step.isChoice ? ' by choice' : ''}`
    default:
      return step.kind
  }
}

const cases: [behaviour: string, seen: ClaimView['seen'], step: string][] = [
  [
    'takes what fits, and says that it was its choice',
    { claim: claimOf(), match: volumeOf() },
    'reserve-volume by choice',
  ],
  [
    'takes what was reserved by name, which was not its choice',
    { claim: claimOf(), match: volumeOf({ spec: { claimRef: reservedFor('c1') } }) },
    'reserve-volume',
  ],
  ['has a reserved volume marked', { claim: claimOf(), match: ours({ phase: 'Pending' }) }, 'mark-volume-bound'],
  ['names its volume', { claim: claimOf(), match: ours() }, 'complete-claim by choice'],
  ['completes what a person named', { claim: named(), volume: ours() }, 'complete-claim'],
  ['says that it is bound', { claim: bound({ status: { phase: 'Pending' } }), volume: ours() }, 'mark-claim-bound'],
  ['corrects its access modes', { claim: bound(), volume: ours({ modes: ['ReadWriteMany'] }) }, 'mark-claim-bound'],
  ['leaves the size to the resizer once it is bound', { claim: bound(), volume: ours({ size: '5Gi' }) }, 'wait Bound'],
  ['rests when all is done', { claim: bound(), volume: ours() }, 'wait Bound'],
  ['waits for a volume that it names', { claim: named() }, 'wait VolumeMissing'],
  ['takes the volume that it names', { claim: named(), volume: volumeOf() }, 'reserve-volume by choice'],
  [
    'refuses a volume that it names and that does not fit',
    { claim: named({ size: '2Gi' }), volume: volumeOf() },
    'wait VolumeMismatch Warning VolumeMismatch',
  ],
  [
    'takes what people named in each other, as they wanted it',
    { claim: named({ size: '2Gi' }), volume: volumeOf({ spec: { claimRef: reservedFor('c1') } }) },
    'reserve-volume',
  ],
  [
    'does not take the volume of another',
    { claim: named(), volume: volumeOf({ spec: { claimRef: reservedFor('c2') } }) },
    'wait VolumeTaken Warning FailedBinding',
  ],
  [
    'does not take the volume of a former claim of its name',
    { claim: named(), volume: volumeOf({ spec: { claimRef: reservedFor('c1', 'former') } }) },
    'wait VolumeTaken Warning FailedBinding',
  ],
  ['gets the default class when nothing fits', { claim: unclassed(), defaultClass: classOf() }, 'set-class fast'],
  [
    'prefers a volume to the default class',
    { claim: unclassed(), defaultClass: classOf(), match: volumeOf() },
    'reserve-volume by choice',
  ],
  [
    'does not get the default class when it chose to have none',
    { claim: claimOf(), defaultClass: classOf() },
    'wait NothingFits Normal FailedBinding',
  ],
  ['says that nothing fits', { claim: unclassed() }, 'wait NothingFits Normal FailedBinding'],
  ['says that its class is missing', { claim: classed() }, 'wait StorageClassMissing Warning ProvisioningFailed'],
  [
    'says that nobody provisions',
    { claim: classed(), storageClass: classOf({ provisioner: 'kubernetes.io/no-provisioner' }) },
    'wait NobodyProvisions Warning ProvisioningFailed',
  ],
  [
    'is marked for its provisioner',
    { claim: classed(), storageClass: classOf() },
    'mark-for-provisioner test.holdfast.dev',
  ],
  [
    'is marked again when only the old name is there',
    {
      claim: classed({
        metadata: { annotations: { 'volume.beta.kubernetes.io/storage-provisioner': 'test.holdfast.dev' } },
      }),
      storageClass: classOf(),
    },
    'mark-for-provisioner test.holdfast.dev',
  ],
  [
    'waits for its provisioner in silence once it is marked',
    {
      claim: classed({
        metadata: {
          annotations: {
            'volume.kubernetes.io/storage-provisioner': 'test.holdfast.dev',
            'volume.beta.kubernetes.io/storage-provisioner': 'test.holdfast.dev',
          },
        },
      }),
      storageClass: classOf(),
    },
    'wait ExternalProvisioning',
  ],
  [
    'waits for its first pod',
    { claim: classed(), storageClass: late },
    'wait WaitForFirstConsumer Normal WaitForFirstConsumer',
  ],
  [
    'waits for the scheduler',
    { claim: classed(), storageClass: late, waitingPods: [pod('p1')] },
    'wait WaitForPodScheduled Normal WaitForPodScheduled',
  ],
  [
    'is marked once a node is selected',
    {
      claim: classed({ metadata: { annotations: { 'volume.kubernetes.io/selected-node': 'n1' } } }),
      storageClass: late,
    },
    'mark-for-provisioner test.holdfast.dev',
  ],
  [
    'does nothing more when it is being deleted',
    { claim: claimOf({ metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' } }), match: volumeOf() },
    'wait ClaimLeaving',
  ],
  [
    'is pending again when somebody undid the binding and nothing fits',
    { claim: claimOf({ status: { phase: 'Lost' } }) },
    'mark-pending',
  ],
  [
    'is lost when its volume was taken out of it',
    { claim: bound({ spec: { volumeName: '' } }) },
    'mark-lost ClaimLost',
  ],
  ['is lost when its volume is gone', { claim: bound() }, 'mark-lost ClaimLost'],
  [
    "is lost when its volume is another claim's",
    { claim: bound(), volume: volumeOf({ spec: { claimRef: reservedFor('c1', 'former') } }) },
    'mark-lost ClaimMisbound',
  ],
  ['says it once', { claim: bound({ status: { phase: 'Lost' } }) }, 'wait VolumeLost'],
  ['has its volume repaired when that forgot it', { claim: bound(), volume: volumeOf() }, 'reserve-volume by choice'],
  [
    'has its volume repaired when that forgot the uid',
    { claim: bound(), volume: volumeOf({ spec: { claimRef: reservedFor('c1') } }) },
    'reserve-volume',
  ],
  [
    'does not take a smaller volume of the name for its own',
    { claim: bound(), volume: volumeOf({ size: '1Mi' }) },
    'mark-lost ClaimLost',
  ],
  [
    'once lost takes no other volume of the name',
    { claim: bound({ status: { phase: 'Lost' } }), volume: volumeOf() },
    'wait VolumeLost',
  ],
  [
    'once lost takes a volume without claimRef that is older than the claim: it was misbound, and was released for it',
    {
      claim: lostAt('2026-01-01T00:00:01Z'),
      volume: volumeOf({ metadata: { creationTimestamp: '2026-01-01T00:00:00Z' } }),
    },
    'reserve-volume by choice',
  ],
  [
    'once lost takes no volume without claimRef that may be younger',
    {
      claim: lostAt('2026-01-01T00:00:00Z'),
      volume: volumeOf({ metadata: { creationTimestamp: '2026-01-01T00:00:00Z' } }),
    },
    'wait VolumeLost',
  ],
  [
    'once lost takes its volume when it is brought back',
    { claim: bound({ status: { phase: 'Lost' } }), volume: ours() },
    'mark-claim-bound',
  ],
]
for (const [behaviour, seen, step] of cases)
  test(`S3-61: a claim ${behaviour}`, () => equal(short(nextClaimStep({ seen })), step))

const held = (more: Partial<NonNullable<ClaimView['held']>> = {}): NonNullable<ClaimView['held']> => ({
  nowMs: 0,
  podPatienceMs: 15_000,
  isVolumeConfirmed: false,
  ...more,
})

test('a claim asks the server before it is lost', () => {
  deepEqual(nextClaimStep({ seen: { claim: bound() }, held: held() }), { kind: 'look-at-volume', volumeName: 'v1' })
  equal(nextClaimStep({ seen: { claim: bound() }, held: held({ isVolumeConfirmed: true }) }).kind, 'mark-lost')
  equal(nextClaimStep({ seen: { claim: bound({ spec: { volumeName: '' } }) }, held: held() }).kind, 'mark-lost')
})

test('a claim that the server does not show as lost waits for the cache to catch up', () => {
  const step = nextClaimStep({ seen: { claim: bound(), volume: ours() }, held: held({ isVolumeConfirmed: true }) })
  deepEqual(step, { kind: 'wait', reason: REASONS.VolumeUnconfirmed('v1'), retryInMs: 1000 })
})

test('S3-63: a claim says only after a while that a pod has no node', () => {
  const waitingPods = [
    pod('b', { creationTimestamp: '2026-01-01T00:00:10Z' }),
    pod('a', { creationTimestamp: '2026-01-01T00:00:00Z' }),
  ]
  const seen = { claim: classed(), storageClass: late, waitingPods }
  const atMs = Date.parse('2026-01-01T00:00:05Z')
  const early = nextClaimStep({ seen, held: held({ nowMs: atMs }) })
  equal(short(early), 'wait WaitForPodScheduled')
  equal(early.kind === 'wait' && early.retryInMs, 10_000)
  const step = nextClaimStep({ seen, held: held({ nowMs: atMs + 10_000 }) })
  equal(short(step), 'wait WaitForPodScheduled Normal WaitForPodScheduled')
  equal(step.kind === 'wait' && step.reason.detail?.['pods'], 'a, b')
})

test('size and attributes class come from the volume when the claim becomes bound', () => {
  const volume = ours({
    size: '3Gi',
    spec: { volumeAttributesClassName: 'gold' },
    metadata: { annotations: { 'volume.alpha.kubernetes.io/pre-resize-capacity': '2Gi' } },
  })
  const step = nextClaimStep({ seen: { claim: bound({ status: { phase: 'Pending' } }), volume } })
  deepEqual(step.kind === 'mark-claim-bound' && step.status, {
    phase: 'Bound',
    accessModes: ['ReadWriteOnce'],
    capacity: { storage: '2Gi' },
    currentVolumeAttributesClassName: 'gold',
  })
})

const LEAVING = { deletionTimestamp: '2026-01-01T00:00:00Z' }
const wholes: [behaviour: string, view: ClaimView, step: ClaimStep][] = [
  [
    'that is bound and leaving is still looked after',
    { seen: { claim: bound({ metadata: { ...COMPLETED, ...LEAVING } }), volume: ours() } },
    { kind: 'wait', reason: REASONS.Bound('v1') },
  ],
  [
    'that is leaving waits, even when it was lost',
    { seen: { claim: claimOf({ metadata: LEAVING, status: { phase: 'Pending' } }) } },
    { kind: 'wait', reason: REASONS.ClaimLeaving },
  ],
  [
    'without a phase is pending',
    { seen: { claim: claimOf({ status: {} }) } },
    { kind: 'wait', reason: REASONS.NothingFits, notice: { type: 'Normal', event: 'FailedBinding' } },
  ],
  [
    'that takes a volume is not marked pending first',
    { seen: { claim: claimOf({ status: { phase: 'Lost' } }), match: volumeOf() } },
    { kind: 'reserve-volume', volume: volumeOf(), isChoice: true },
  ],
  [
    'that lost the name of its volume says so',
    { seen: { claim: bound({ spec: { volumeName: '' } }) } },
    { kind: 'mark-lost', reason: REASONS.VolumeNameLost, notice: { type: 'Warning', event: 'ClaimLost' } },
  ],
  [
    'that lost its volume says which',
    { seen: { claim: bound() } },
    { kind: 'mark-lost', reason: REASONS.VolumeLost('v1'), notice: { type: 'Warning', event: 'ClaimLost' } },
  ],
  [
    'that is lost does not ask the server again',
    { seen: { claim: bound({ status: { phase: 'Lost' } }) }, held: held() },
    { kind: 'wait', reason: REASONS.VolumeLost('v1') },
  ],
  [
    'takes a volume of the size it has for its own, though it asks for more',
    { seen: { claim: bound({ size: '5Gi' }), volume: volumeOf() } },
    { kind: 'reserve-volume', volume: volumeOf(), isChoice: true },
  ],
  [
    'says that its class is missing, with or without a pod',
    { seen: { claim: classed(), waitingPods: [pod('p1')] } },
    {
      kind: 'wait',
      reason: REASONS.StorageClassMissing('fast'),
      notice: { type: 'Warning', event: 'ProvisioningFailed' },
    },
  ],
  [
    'that is marked for its provisioner says so',
    { seen: { claim: classed(), storageClass: classOf() } },
    {
      kind: 'mark-for-provisioner',
      provisioner: 'test.holdfast.dev',
      reason: REASONS.ExternalProvisioning('test.holdfast.dev'),
      notice: { type: 'Normal', event: 'ExternalProvisioning' },
    },
  ],
  [
    'is patient to the millisecond',
    {
      seen: {
        claim: classed(),
        storageClass: late,
        waitingPods: [pod('a', { creationTimestamp: '1970-01-01T00:00:00Z' })],
      },
      held: held({ nowMs: 14_999 }),
    },
    { kind: 'wait', reason: REASONS.WaitForPodScheduled(['a']), retryInMs: 1 },
  ],
]
for (const [behaviour, view, step] of wholes) test(`a claim ${behaviour}`, () => deepEqual(nextClaimStep(view), step))

const unnamed = (): PersistentVolumeClaim => {
  const { volumeName: _none, ...spec } = bound().spec
  return { ...bound(), spec }
}
const timeless = (() => {
  const { creationTimestamp: _none, ...metadata } = pod('a').metadata
  return { ...pod('a'), metadata }
})()
test('a claim that was bound and names no volume is lost', () => {
  deepEqual(nextClaimStep({ seen: { claim: unnamed() }, held: held() }), {
    kind: 'mark-lost',
    reason: REASONS.VolumeNameLost,
    notice: { type: 'Warning', event: 'ClaimLost' },
  })
})
test('a pod without a time has waited from the beginning', () => {
  deepEqual(
    nextClaimStep({
      seen: { claim: classed(), storageClass: late, waitingPods: [timeless] },
      held: held({ nowMs: 14_000 }),
    }),
    { kind: 'wait', reason: REASONS.WaitForPodScheduled(['a']), retryInMs: 1000 },
  )
})
