import { deepEqual, equal } from 'node:assert/strict'
import { test } from 'node:test'
import type { PersistentVolumeClaim } from '../../api/kinds/persistent-volume-claim.ts'
import type { PersistentVolume } from '../../api/kinds/persistent-volume.ts'
import { claimOf, reservedFor, volumeOf } from '../../testing/objects.ts'
import { nextVolumeStep } from './next-volume-step.ts'
import type { VolumeStep, VolumeView } from './next-volume-step.ts'

const claimRef = reservedFor('c1', 'uid-c1')
const ours = (more: Parameters<typeof volumeOf>[0] = {}): PersistentVolume =>
  volumeOf({ phase: 'Bound', ...more, spec: { claimRef, ...more.spec } })
const holding = (volumeName: string): PersistentVolumeClaim => claimOf({ spec: { volumeName } })
const annotated = (key: string, value = 'yes') => ({
  metadata: { annotations: { [`pv.kubernetes.io/${key}`]: value } },
})
const left = (spec: Partial<PersistentVolume['spec']>, more: Parameters<typeof volumeOf>[0] = {}): PersistentVolume =>
  ours({ phase: 'Released', ...more, spec })
const nfs = { nfs: { server: 's', path: '/' }, csi: undefined as never }

function short(step: VolumeStep): string {
  switch (step.kind) {
    case 'wait':
      return ['wait', step.reason.code, ...(step.notice ? [step.notice.event] : [])].join(' ')
    case 'set-phase':
      return [step.phase, ...(step.notice ? [step.notice.event] : [])].join(' ')
    case 'unbind':
      return `unbind, keeps ${step.keeps}`
    default:
      return step.kind
  }
}

const cases: [behaviour: string, seen: VolumeView['seen'], step: string][] = [
  ['becomes available when it is new', { volume: volumeOf({ phase: 'Pending' }) }, 'Available'],
  ['stays available', { volume: volumeOf() }, 'wait Available'],
  ['becomes available again when somebody frees it', { volume: volumeOf({ phase: 'Released' }) }, 'Available'],
  [
    'is available while it is only reserved',
    { volume: volumeOf({ phase: 'Pending', spec: { claimRef: reservedFor('c1') } }), claim: claimOf() },
    'Available',
  ],
  ['waits for its claim to bind it', { volume: ours({ phase: 'Pending' }), claim: claimOf() }, 'wait BindingUnderWay'],
  [
    'tells when it does not fit its claim',
    { volume: ours({ phase: 'Pending', spec: { volumeMode: 'Block' } }), claim: claimOf() },
    'wait VolumeMismatch VolumeMismatch',
  ],
  [
    'does not mind another class than that of its claim',
    { volume: ours({ spec: { storageClassName: 'slow' } }), claim: claimOf() },
    'wait BindingUnderWay',
  ],
  ['is bound when its claim names it', { volume: ours({ phase: 'Pending' }), claim: holding('v1') }, 'Bound'],
  ['stays bound', { volume: ours(), claim: holding('v1') }, 'wait Bound'],
  ['is released when its claim is gone', { volume: ours() }, 'Released'],
  [
    'is released when there is only another claim of that name',
    { volume: ours(), claim: claimOf({ uid: 'another' }) },
    'Released',
  ],
  [
    'is kept as it is when it is to be retained',
    { volume: left({ persistentVolumeReclaimPolicy: 'Retain' }) },
    'wait Retained',
  ],
  ['is kept when nothing is said', { volume: left({}) }, 'wait Retained'],
  [
    'is left to its driver when it is to be deleted',
    { volume: left({ persistentVolumeReclaimPolicy: 'Delete' }) },
    'wait DeletionUnderWay',
  ],
  [
    'is left to its provisioner when it is to be deleted',
    {
      volume: left({ persistentVolumeReclaimPolicy: 'Delete', ...nfs }, annotated('provisioned-by', 'nfs.example.com')),
    },
    'wait DeletionUnderWay',
  ],
  [
    'fails when nobody can delete it',
    { volume: left({ persistentVolumeReclaimPolicy: 'Delete', ...nfs }) },
    'Failed VolumeFailedDelete',
  ],
  ['is not recycled', { volume: left({ persistentVolumeReclaimPolicy: 'Recycle' }) }, 'Failed VolumeFailedRecycle'],
  [
    'stays failed',
    { volume: left({ persistentVolumeReclaimPolicy: 'Recycle' }, { phase: 'Failed' }) },
    'wait RecycleRefused',
  ],
  [
    'fails with a policy that nobody knows',
    { volume: left({ persistentVolumeReclaimPolicy: 'Bury' as never }) },
    'Failed VolumeUnknownReclaimPolicy',
  ],
  [
    'is left alone when another driver has taken it over',
    { volume: left({ persistentVolumeReclaimPolicy: 'Recycle' }, annotated('migrated-to', 'new.example.com')) },
    'wait Migrated',
  ],
  [
    'that was made for a claim which has another goes',
    {
      volume: ours({
        ...annotated('provisioned-by', 'test.holdfast.dev'),
        spec: { persistentVolumeReclaimPolicy: 'Delete' },
      }),
      claim: holding('v2'),
    },
    'Released',
  ],
  [
    'that was made for a claim which has another stays gone',
    {
      volume: left({ persistentVolumeReclaimPolicy: 'Delete' }, annotated('provisioned-by', 'test.holdfast.dev')),
      claim: holding('v2'),
    },
    'wait DeletionUnderWay',
  ],
  [
    'that we chose for a claim which has another is free again',
    { volume: ours(annotated('bound-by-controller')), claim: holding('v2') },
    'unbind, keeps nothing',
  ],
  [
    'that a person reserved for a claim which has another stays reserved',
    { volume: ours(), claim: holding('v2') },
    'unbind, keeps the name',
  ],
]
for (const [behaviour, seen, step] of cases)
  test(`S3-61, H53: a volume ${behaviour}`, () => equal(short(nextVolumeStep({ seen })), step))

test('a volume asks the server before it is released', () => {
  equal(nextVolumeStep({ seen: { volume: ours() }, held: { isClaimConfirmed: false } }).kind, 'look-at-claim')
  equal(short(nextVolumeStep({ seen: { volume: ours() }, held: { isClaimConfirmed: true } })), 'Released')
  equal(
    short(nextVolumeStep({ seen: { volume: ours(), claim: holding('v1') }, held: { isClaimConfirmed: false } })),
    'wait Bound',
  )
})

const moreCases: [behaviour: string, seen: VolumeView['seen'], step: string][] = [
  [
    'that a person made for a claim which has another is not deleted',
    { volume: ours({ spec: { persistentVolumeReclaimPolicy: 'Delete' } }), claim: holding('v2') },
    'unbind, keeps the name',
  ],
  [
    'that was made for a claim which has another and is to be retained is only let go',
    {
      volume: ours({
        ...annotated('provisioned-by', 'test.holdfast.dev'),
        spec: { persistentVolumeReclaimPolicy: 'Retain' },
      }),
      claim: holding('v2'),
    },
    'unbind, keeps the name',
  ],
  [
    'that was made for a claim without a name in it waits for that claim',
    {
      volume: ours({
        ...annotated('provisioned-by', 'test.holdfast.dev'),
        spec: { persistentVolumeReclaimPolicy: 'Delete' },
      }),
      claim: claimOf(),
    },
    'wait BindingUnderWay',
  ],
  [
    'of an in-tree provisioner without a driver fails to be deleted',
    {
      volume: left(
        { persistentVolumeReclaimPolicy: 'Delete', ...nfs },
        annotated('provisioned-by', 'kubernetes.io/aws-ebs'),
      ),
    },
    'Failed VolumeFailedDelete',
  ],
]
for (const [behaviour, seen, step] of moreCases)
  test(`a volume ${behaviour}`, () => equal(short(nextVolumeStep({ seen })), step))

test('the claim that a volume does not fit is told, too', () => {
  const step = nextVolumeStep({ seen: { volume: ours({ spec: { volumeMode: 'Block' } }), claim: claimOf() } })
  deepEqual(step.kind === 'wait' && [step.notice, step.tellClaim], [
    { type: 'Warning', event: 'VolumeMismatch' },
    claimOf(),
  ])
})
