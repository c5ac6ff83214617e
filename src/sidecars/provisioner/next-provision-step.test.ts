import { deepEqual, equal } from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { PersistentVolumeClaim } from '../../api/kinds/persistent-volume-claim.ts'
import type { ObjectMeta } from '../../api/object.ts'
import { ControllerServiceCapability_RPC_Type as Capability } from '../../csi/generated/csi/v1/csi.ts'
import { MIGRATED_TO, SELECTED_NODE, STORAGE_PROVISIONER } from '../../storage/names.ts'
import { nextProvisionStep, rescheduleClaim } from './next-provision-step.ts'
import type { ProvisionStep } from './next-provision-step.ts'
import type { Attempt, ProvisionHeld, ProvisionPlan, ProvisionView } from './provision-view.ts'
import { planVolume } from './plan-volume.ts'
import { REASONS } from './reasons.ts'
import { DEFAULT_PROVISION_SETTINGS } from './provisioner-options.ts'
import { testCaches } from './testing/caches.ts'
import { testFacts } from './testing/driver-facts.ts'
import { DRIVER, testClaim, testClass, testVolume, VOLUME_NAME } from './testing/objects.ts'

const LEAVING = '2026-01-01T00:00:00Z'
const PROTECTION = 'kubernetes.io/pvc-protection'
const claimWith = (metadata: Partial<ObjectMeta>): PersistentVolumeClaim => testClaim({}, metadata)
const leaving = (...finalizers: string[]) => claimWith({ deletionTimestamp: LEAVING, finalizers })

type Change = { seen?: Partial<ProvisionView['seen']>; held?: Partial<ProvisionHeld>; outside?: boolean }
function viewOf({ seen = {}, held = {}, outside = false }: Change = {}): ProvisionView {
  return {
    driverName: DRIVER,
    seen: { claim: testClaim(), class: testClass(), volume: undefined, caches: testCaches(), read: {}, ...seen },
    held: outside ? undefined : { facts: testFacts(), settings: DEFAULT_PROVISION_SETTINGS, nowMs: 1000, ...held },
  }
}
const short = (step: ProvisionStep): string =>
  step.kind === 'read' ? `read ${step.wanted.kind}` : 'reason' in step ? `${step.kind} ${step.reason.code}` : step.kind
const ask = (change: Change = {}): string => short(nextProvisionStep(viewOf(change)))

const planned = planVolume({
  driverName: DRIVER,
  claim: testClaim(),
  class: testClass(),
  caches: testCaches(),
  read: {},
  settings: DEFAULT_PROVISION_SETTINGS,
})
if (planned.kind !== 'planned') throw new Error(planned.kind)
const plan: ProvisionPlan = { ...planned.plan, request: { ...planned.plan.request, secrets: { user: 'ann' } } }
const made = (change: Partial<Extract<Attempt, { kind: 'made' }>> = {}): { attempt: Attempt } => ({
  attempt: {
    kind: 'made',
    plan,
    volume: { id: 'handle-1', capacityBytes: 1073741824n, context: {}, accessibleTopology: [] },
    wasSent: false,
    ...change,
  },
})
const inDoubt = { attempt: { kind: 'in-doubt', plan } } as const
const settings = (change: Partial<ProvisionHeld['settings']>) => ({
  settings: { ...DEFAULT_PROVISION_SETTINGS, ...change },
})

describe('a claim for which nothing was begun', () => {
  const cases: [behaviour: string, change: Change, step: string][] = [
    ['S3-38 S3-40: is planned and recorded before the driver is asked', {}, 'record'],
    ['is to be made in the eyes of others too', { outside: true }, 'record'],
    ['is forgotten when it is gone', { seen: { claim: undefined } }, 'forget ClaimGone'],
    [
      'waits when it is not ours',
      { seen: { claim: claimWith({ annotations: { [STORAGE_PROVISIONER]: 'other' } }) } },
      'wait OtherProvisioner',
    ],
    ['waits for the binder when its volume is stored', { seen: { volume: testVolume() } }, 'wait NotBoundYet'],
    [
      'is told when its name is taken by another volume',
      { seen: { volume: testVolume({ claimRef: { uid: 'other' } }) } },
      'refuse VolumeNameTaken',
    ],
    [
      'waits while an older volume of its name is leaving',
      { seen: { volume: testVolume({}, { deletionTimestamp: LEAVING }) } },
      'wait VolumeLeaving',
    ],
    [
      'is told what is wrong',
      { seen: { class: testClass({ parameters: { 'csi.storage.k8s.io/x': '' } }) } },
      'refuse ParameterUnknown',
    ],
    ['that is about to be gone is left alone', { seen: { claim: leaving() } }, 'wait ClaimLeaving'],
    ['that is leaving but still used gets its volume', { seen: { claim: leaving(PROTECTION) } }, 'record'],
    [
      'waits while the request is infeasible',
      { held: { infeasible: { classUid: 'class-1', untilMs: 1001 } } },
      'wait RequestInfeasible',
    ],
    [
      'is tried again once that time is over',
      { held: { infeasible: { classUid: 'class-1', untilMs: 1000 } } },
      'record',
    ],
    [
      'is tried again at once with a new class',
      { held: { infeasible: { classUid: 'class-0', untilMs: 9999 } } },
      'record',
    ],
    [
      'is contended for on each node',
      { held: settings({ ownNode: { name: 'n1', segments: {}, immediateBinding: true } }) },
      'draw-turn',
    ],
  ]
  for (const [behaviour, change, step] of cases) test(behaviour, () => equal(ask(change), step))

  test('says until when it waits', () => {
    const step = nextProvisionStep(viewOf({ held: { infeasible: { classUid: 'class-1', untilMs: 1001 } } }))
    equal(step.kind === 'wait' && step.retryInMs, 1)
  })
})

describe('a stale copy of a claim whose volume was stored makes no second volume', () => {
  const held = { isProvisioned: true }
  const cases: [behaviour: string, change: Change, step: string][] = [
    ['the claim is read anew', { held }, 'read claim'],
    ['it is gone', { held, seen: { read: { claim: null } } }, 'forget ClaimGone'],
    ['another claim has its name', { held, seen: { read: { claim: claimWith({ uid: 'new' }) } } }, 'forget ClaimGone'],
    ['it is bound', { held, seen: { read: { claim: testClaim({ volumeName: 'v' }) } } }, 'wait ClaimHasVolume'],
    ['it is not bound, so the volume is read anew', { held, seen: { read: { claim: testClaim() } } }, 'read volume'],
    ['the volume is there', { held, seen: { read: { claim: testClaim(), volume: testVolume() } } }, 'wait NotBoundYet'],
    [
      'somebody deleted the volume before it was bound: a new one is made',
      { held, seen: { read: { claim: testClaim(), volume: null } } },
      'record',
    ],
  ]
  for (const [behaviour, change, step] of cases) test(behaviour, () => equal(ask(change), step))
})

describe('a call that was sent', () => {
  const secretive = {
    ...plan,
    secrets: { provisioner: { namespace: 'n', name: 's' } },
    request: { ...plan.request, secrets: {} },
  }
  const restored = { attempt: { kind: 'restored', plan: secretive } } as const
  const secret = { kind: 'read', values: { user: 'ann' } } as const
  const cases: [behaviour: string, change: Change, step: string][] = [
    ['is sent once it is recorded', { held: { attempt: { kind: 'recorded', plan } } }, 'create'],
    [
      'is not sent when the claim went before',
      { seen: { claim: undefined }, held: { attempt: { kind: 'recorded', plan } } },
      'forget ClaimGone',
    ],
    [
      'is not sent when the claim was bound by hand before',
      { seen: { claim: testClaim({ volumeName: 'v' }) }, held: { attempt: { kind: 'recorded', plan } } },
      'forget ClaimHasVolume',
    ],
    ['is waited for', { held: { attempt: { kind: 'calling', plan } } }, 'wait CallInFlight'],
    ['in doubt: it is repeated', { held: inDoubt }, 'create'],
    ['in doubt: it is repeated even when the claim is gone', { seen: { claim: undefined }, held: inDoubt }, 'create'],
    [
      'in doubt: it is repeated when the claim is leaving',
      { seen: { claim: leaving(PROTECTION) }, held: inDoubt },
      'create',
    ],
    ['in doubt: it is repeated when the class has gone wrong', { seen: { class: undefined }, held: inDoubt }, 'create'],
    [
      'in doubt: it is repeated when the claim no longer qualifies',
      { seen: { claim: testClaim({ volumeName: 'v' }) }, held: inDoubt },
      'create',
    ],
    [
      'in doubt: a volume of the name that is leaving is waited for',
      { seen: { volume: testVolume({}, { deletionTimestamp: LEAVING }) }, held: inDoubt },
      'wait VolumeLeaving',
    ],
    [
      'in doubt: a volume that somebody stored for the claim is the one',
      { seen: { volume: testVolume() }, held: inDoubt },
      'complete',
    ],
    ['of an earlier life: its secret is read again', { seen: { claim: undefined }, held: restored }, 'read secret'],
    ['of an earlier life: it is repeated', { seen: { claim: undefined, read: { secret } }, held: restored }, 'create'],
    [
      'of an earlier life: without its secret what was made can not be found',
      { seen: { claim: undefined, read: { secret: { kind: 'missing' } } }, held: restored },
      'refuse SecretMissing',
    ],
    ['of an earlier life: its volume was stored', { seen: { volume: testVolume() }, held: restored }, 'complete'],
    [
      'of an earlier life: its volume is being deleted',
      { seen: { volume: testVolume({}, { deletionTimestamp: LEAVING }) }, held: restored },
      'wait VolumeLeaving',
    ],
    ['made: S3-59 it is stored', { held: made() }, 'store'],
    [
      'made: it is done once it is stored',
      { held: made({ wasSent: true }), seen: { volume: testVolume() } },
      'complete',
    ],
    [
      'made: what was read counts more than the cache',
      { held: made({ wasSent: true }), seen: { read: { volume: testVolume() } } },
      'complete',
    ],
    [
      'made: an older volume of the name that is leaving puts it in doubt',
      { held: made({ wasSent: true }), seen: { read: { volume: testVolume({}, { deletionTimestamp: LEAVING }) } } },
      'doubt VolumeLeaving',
    ],
    [
      'made: another volume of the name is told',
      {
        held: made({ wasSent: true }),
        seen: { read: { volume: testVolume({ csi: { driver: DRIVER, volumeHandle: 'x' } }) } },
      },
      'refuse VolumeNameTaken',
    ],
    [
      'made: it is stored even when the claim no longer qualifies',
      { held: made(), seen: { claim: claimWith({ annotations: {} }), class: undefined } },
      'store',
    ],
    [
      'made for a claim that is gone: whether it was stored is read anew',
      { held: made(), seen: { claim: undefined } },
      'read volume',
    ],
    [
      'made for a claim that is gone: it is deleted again',
      { held: made(), seen: { claim: undefined, read: { volume: null } } },
      'undo ClaimGone',
    ],
    [
      'made for a claim that is gone: what somebody kept under another name is not deleted',
      {
        held: made(),
        seen: {
          claim: undefined,
          read: { volume: null },
          caches: testCaches({ volumes: [testVolume({}, { name: 'kept' })] }),
        },
      },
      'forget VolumeOfAnother',
    ],
    [
      'made for a claim that is gone: one that was stored stays for the binder to release',
      { held: made(), seen: { claim: undefined, read: { volume: testVolume() } } },
      'complete',
    ],
    [
      'made for a claim that is gone: what was sent to be stored is stored',
      { held: made({ wasSent: true }), seen: { claim: undefined } },
      'store',
    ],
    [
      'made for a claim that is gone: S3-161 what is to be retained is stored',
      { held: made({ plan: { ...plan, class: testClass({ reclaimPolicy: 'Retain' }) } }), seen: { claim: undefined } },
      'store',
    ],
    [
      'spoiled: it is deleted again',
      { held: { attempt: { kind: 'spoiled', plan, volumeId: 'v', reason: REASONS.ContentSourceIgnored } } },
      'undo ContentSourceIgnored',
    ],
    [
      'spoiled: the volume of another is not deleted',
      {
        held: { attempt: { kind: 'spoiled', plan, volumeId: 'handle-1', reason: REASONS.ContentSourceIgnored } },
        seen: { caches: testCaches({ volumes: [testVolume({}, { name: 'kept' })] }) },
      },
      'refuse VolumeOfAnother',
    ],
  ]
  for (const [behaviour, change, step] of cases) test(behaviour, () => equal(ask(change), step))

  test('in doubt: the very same request is repeated, whatever has changed', () => {
    const step = nextProvisionStep(
      viewOf({ seen: { claim: undefined, class: testClass({ parameters: { new: '1' } }) }, held: inDoubt }),
    )
    equal(step.kind === 'create' && step.plan, plan)
  })
  test('of an earlier life: the request is the same, with the secret as it is now', () => {
    const step = nextProvisionStep(viewOf({ seen: { claim: undefined, read: { secret } }, held: restored }))
    deepEqual(step.kind === 'create' && step.plan, { ...secretive, request: plan.request })
  })
  test('a volume is born with the finalizer of the attacher where one runs and the driver attaches', () => {
    const finalizersOf = (facts: ReturnType<typeof testFacts>) => {
      const step = nextProvisionStep(viewOf({ held: { ...made(), ...settings({ attacherFinalizer: true }), facts } }))
      return step.kind === 'store' && step.volume.metadata.finalizers
    }
    deepEqual(finalizersOf(testFacts({ controller: [Capability.PUBLISH_UNPUBLISH_VOLUME] })), [
      'external-provisioner.volume.kubernetes.io/finalizer',
      `external-attacher/disk-example-com`,
    ])
    deepEqual(finalizersOf(testFacts()), ['external-provisioner.volume.kubernetes.io/finalizer'])
  })
  test('S3-174: what is deleted again is deleted with the secrets of its making', () => {
    const step = nextProvisionStep(viewOf({ held: made(), seen: { claim: undefined, read: { volume: null } } }))
    deepEqual(step.kind === 'undo' && step.request, { volumeId: 'handle-1', secrets: { user: 'ann' } })
  })
  test('S3-59 S3-61: what is stored has the name of the request and the handle of the answer', () => {
    const step = nextProvisionStep(viewOf({ held: made() }))
    if (step.kind !== 'store') throw new Error(step.kind)
    equal(step.volume.metadata.name, VOLUME_NAME)
    equal(step.volume.spec.csi?.volumeHandle, 'handle-1')
  })
})

test('S3-155: a claim whose node is gone is sent elsewhere: only its node is taken away', () => {
  const claim = claimWith({ annotations: { [STORAGE_PROVISIONER]: DRIVER, [SELECTED_NODE]: 'n9' } })
  const step = nextProvisionStep(viewOf({ seen: { claim }, held: { facts: testFacts({ topology: true }) } }))
  deepEqual(step, {
    kind: 'reschedule',
    object: claimWith({ annotations: { [STORAGE_PROVISIONER]: DRIVER } }),
    reason: REASONS.SelectedNodeGone('n9', 'CSINode'),
  })
})
const FULL = REASONS.CreateVolumeFailed('ResourceExhausted', 'full')
test('a claim that names no node can not be sent elsewhere', () =>
  equal(rescheduleClaim(testClaim(), FULL).kind, 'refuse'))

describe('all of a decision', () => {
  const settled = (kind: string, reason: object): object => ({ kind, reason })
  const taken = settled('refuse', REASONS.VolumeNameTaken(VOLUME_NAME))
  const leavingVolume = testVolume({}, { deletionTimestamp: LEAVING })
  const foreign = testVolume({ claimRef: { uid: 'other' } })
  const kept = testCaches({ volumes: [testVolume({}, { name: 'kept' })] })
  const migrated = claimWith({ annotations: { [STORAGE_PROVISIONER]: 'kubernetes.io/x', [MIGRATED_TO]: DRIVER } })
  const spoiled = {
    attempt: { kind: 'spoiled', plan, volumeId: 'handle-1', reason: REASONS.ContentSourceIgnored },
  } as const
  const cases: [behaviour: string, change: Change, step: object][] = [
    ['a stored volume', { seen: { volume: testVolume() } }, settled('wait', REASONS.NotBoundYet)],
    [
      'a volume of another claim counts as taken though it is leaving',
      { seen: { volume: { ...foreign, metadata: leavingVolume.metadata } } },
      taken,
    ],
    [
      'a volume that is leaving',
      { seen: { volume: leavingVolume } },
      settled('wait', REASONS.VolumeLeaving(VOLUME_NAME)),
    ],
    [
      'a claim of an in-tree plugin is refused, though its volume is there',
      { seen: { volume: testVolume(), claim: migrated } },
      nextProvisionStep(viewOf({ seen: { claim: migrated } })),
    ],
    [
      'a call under way',
      { held: { attempt: { kind: 'calling', plan } } },
      settled('wait', REASONS.CallInFlight(DRIVER)),
    ],
    [
      'a claim that was bound by hand',
      { seen: { claim: testClaim({ volumeName: 'v' }) }, held: { attempt: { kind: 'recorded', plan } } },
      settled('forget', REASONS.ClaimHasVolume('v')),
    ],
    [
      'a stale claim that is bound',
      { held: { isProvisioned: true }, seen: { read: { claim: testClaim({ volumeName: 'v' }) } } },
      settled('wait', REASONS.ClaimHasVolume('v')),
    ],
    ['in doubt with a volume of another claim', { held: inDoubt, seen: { volume: foreign } }, taken],
    [
      'of an earlier life without a secret',
      { held: { attempt: { kind: 'restored', plan: { ...plan, secrets: {} } } } },
      { kind: 'create', plan: { ...plan, secrets: {} } },
    ],
    [
      'made, and the very volume is stored and leaving',
      { held: made({ wasSent: true }), seen: { volume: leavingVolume } },
      { kind: 'doubt', plan, reason: REASONS.VolumeLeaving(VOLUME_NAME) },
    ],
    [
      'made for a claim that is gone, with a namesake',
      { held: made(), seen: { claim: undefined, volume: foreign } },
      taken,
    ],
    [
      'made for a claim that is gone, kept under another name',
      { held: made(), seen: { claim: undefined, read: { volume: null }, caches: kept } },
      settled('forget', REASONS.VolumeOfAnother('kept', 'handle-1')),
    ],
    [
      'what was read to be gone counts more than the cache',
      { held: made(), seen: { claim: undefined, volume: foreign, read: { volume: null } } },
      { kind: 'undo', request: { volumeId: 'handle-1', secrets: { user: 'ann' } }, reason: REASONS.ClaimGone },
    ],
    [
      'spoiled, and the volume is of another',
      { held: spoiled, seen: { caches: kept } },
      settled('refuse', REASONS.VolumeOfAnother('kept', 'handle-1')),
    ],
    [
      'spoiled, and the volume is the one of the claim',
      { held: spoiled, seen: { caches: testCaches({ volumes: [testVolume()] }) } },
      {
        kind: 'undo',
        request: { volumeId: 'handle-1', secrets: { user: 'ann' } },
        reason: REASONS.ContentSourceIgnored,
      },
    ],
  ]
  for (const [behaviour, change, step] of cases)
    test(behaviour, () => deepEqual(nextProvisionStep(viewOf(change)), step))

  test('a claim of an in-tree plugin is refused', () =>
    equal(ask({ seen: { claim: migrated } }), 'refuse MigrationNotSupported'))
  test('an infeasible request is told with what to do', () => {
    const step = nextProvisionStep(viewOf({ held: { infeasible: { classUid: 'class-1', untilMs: 1001 } } }))
    equal(step.kind === 'wait' && Boolean(step.reason.cure), true)
  })
  test('a claim that is leaving without any finalizer is left alone', () => {
    const { finalizers: _none, ...metadata } = leaving().metadata
    equal(ask({ seen: { claim: { ...testClaim(), metadata } } }), 'wait ClaimLeaving')
  })
  test('a claim whose node has the old name is sent elsewhere', () => {
    const claim = claimWith({ annotations: { 'volume.alpha.kubernetes.io/selected-node': 'n1', a: 'b' } })
    deepEqual(rescheduleClaim(claim, FULL), {
      kind: 'reschedule',
      object: claimWith({ annotations: { a: 'b' } }),
      reason: FULL,
    })
  })
  test('a volume is not held for an attacher where none runs', () => {
    const step = nextProvisionStep(
      viewOf({
        held: {
          ...made(),
          ...settings({ attacherFinalizer: false }),
          facts: testFacts({ controller: [Capability.PUBLISH_UNPUBLISH_VOLUME] }),
        },
      }),
    )
    deepEqual(step.kind === 'store' && step.volume.metadata.finalizers, [
      'external-provisioner.volume.kubernetes.io/finalizer',
    ])
  })
})
