import { deepEqual, equal } from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { PersistentVolumeClaim } from '../../api/kinds/persistent-volume-claim.ts'
import type { ObjectMeta } from '../../api/object.ts'
import { INTENT_FINALIZER, SELECTED_NODE, STORAGE_PROVISIONER } from './names.ts'
import { nextProvisionStep, rescheduleClaim } from './next-provision-step.ts'
import type { Attempt, ProvisionHeld, ProvisionStep, ProvisionView } from './next-provision-step.ts'
import { planVolume } from './plan-volume.ts'
import type { ProvisionPlan } from './plan-volume.ts'
import { DEFAULT_PROVISION_SETTINGS } from './provision-settings.ts'
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
const short = (step: ProvisionStep): string => (step.kind === 'read' ? `read ${step.wanted.kind}` : 'reason' in step ? `${step.kind} ${step.reason.code}` : step.kind)
const ask = (change: Change = {}): string => short(nextProvisionStep(viewOf(change)))

const planned = planVolume({ driverName: DRIVER, claim: testClaim(), class: testClass(), caches: testCaches(), read: {}, settings: DEFAULT_PROVISION_SETTINGS })
if (planned.kind !== 'planned') throw new Error(planned.kind)
const plan: ProvisionPlan = { ...planned.plan, request: { ...planned.plan.request, secrets: { user: 'ann' } } }
const made = (change: Partial<Extract<Attempt, { kind: 'made' }>> = {}): { attempt: Attempt } => ({
  attempt: { kind: 'made', plan, volume: { id: 'handle-1', capacityBytes: 1073741824n, context: {}, accessibleTopology: [] }, wasSent: false, ...change },
})
const inDoubt = { attempt: { kind: 'in-doubt', plan } } as const
const settings = (change: Partial<ProvisionHeld['settings']>) => ({ settings: { ...DEFAULT_PROVISION_SETTINGS, ...change } })

describe('a claim for which nothing was begun', () => {
  const cases: [behaviour: string, change: Change, step: string][] = [
    ['S3-38 S3-40: is created', {}, 'create'],
    ['is created in the eyes of others too', { outside: true }, 'create'],
    ['is forgotten when it is gone', { seen: { claim: undefined } }, 'forget ClaimGone'],
    ['waits when it is not ours', { seen: { claim: claimWith({ annotations: { [STORAGE_PROVISIONER]: 'other' } }) } }, 'wait OtherProvisioner'],
    ['waits for the binder when its volume is stored', { seen: { volume: testVolume() } }, 'wait NotBoundYet'],
    ['is told when its name is taken by another volume', { seen: { volume: testVolume({ claimRef: { uid: 'other' } }) } }, 'refuse VolumeNameTaken'],
    ['waits while an older volume of its name is leaving', { seen: { volume: testVolume({}, { deletionTimestamp: LEAVING }) } }, 'wait VolumeLeaving'],
    ['is told what is wrong', { seen: { class: testClass({ parameters: { 'csi.storage.k8s.io/x': '' } }) } }, 'refuse ParameterUnknown'],
    ['that is about to be gone is left alone', { seen: { claim: leaving() } }, 'wait ClaimLeaving'],
    ['that is leaving but still used is created', { seen: { claim: leaving(PROTECTION) } }, 'create'],
    ['waits while the request is infeasible', { held: { infeasible: { classUid: 'class-1', untilMs: 1001 } } }, 'wait RequestInfeasible'],
    ['is tried again once that time is over', { held: { infeasible: { classUid: 'class-1', untilMs: 1000 } } }, 'create'],
    ['is tried again at once with a new class', { held: { infeasible: { classUid: 'class-0', untilMs: 9999 } } }, 'create'],
    ['saves its intent first when that is asked', { held: settings({ holdClaims: 'always' }) }, 'save-intent'],
    ['is created once the intent is saved', { seen: { claim: claimWith({ finalizers: [INTENT_FINALIZER] }) }, held: settings({ holdClaims: 'always' }) }, 'create'],
    ['is not begun when the intent can not be saved any more', { seen: { claim: leaving(PROTECTION) }, held: settings({ holdClaims: 'always' }) }, 'wait ClaimLeaving'],
    ['is contended for on each node', { held: settings({ ownNode: { name: 'n1', segments: {}, immediateBinding: true } }) }, 'contend'],
  ]
  for (const [behaviour, change, step] of cases) test(behaviour, () => equal(ask(change), step))

  test('says until when it waits', () => {
    const step = nextProvisionStep(viewOf({ held: { infeasible: { classUid: 'class-1', untilMs: 1001 } } }))
    equal(step.kind === 'wait' && step.untilMs, 1001)
  })
  test('the intent is one finalizer more, on the version that was seen', () => {
    const step = nextProvisionStep(viewOf({ seen: { claim: claimWith({ finalizers: [PROTECTION] }) }, held: settings({ holdClaims: 'always' }) }))
    deepEqual(step, { kind: 'save-intent', object: claimWith({ finalizers: [PROTECTION, INTENT_FINALIZER] }) })
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
    ['somebody deleted the volume before it was bound: a new one is made', { held, seen: { read: { claim: testClaim(), volume: null } } }, 'create'],
  ]
  for (const [behaviour, change, step] of cases) test(behaviour, () => equal(ask(change), step))
})

describe('a call that was sent', () => {
  const withIntent = claimWith({ finalizers: [INTENT_FINALIZER] })
  const cases: [behaviour: string, change: Change, step: string][] = [
    ['is waited for', { held: { attempt: { kind: 'calling', plan, takesLong: false } } }, 'wait CallInFlight'],
    ['that takes long has its intent saved meanwhile', { held: { attempt: { kind: 'calling', plan, takesLong: true } } }, 'save-intent'],
    ['that takes long is waited for once the intent is saved', { seen: { claim: withIntent }, held: { attempt: { kind: 'calling', plan, takesLong: true } } }, 'wait CallInFlight'],
    ['in doubt: the intent is saved first', { held: inDoubt }, 'save-intent'],
    ['in doubt: it is repeated', { seen: { claim: withIntent }, held: inDoubt }, 'create'],
    ['in doubt: it is repeated without intent when that is not wanted', { held: { ...inDoubt, ...settings({ holdClaims: 'never' }) } }, 'create'],
    ['in doubt: it is repeated even when the claim is gone', { seen: { claim: undefined }, held: inDoubt }, 'create'],
    ['in doubt: it is repeated when the claim is leaving, which takes no finalizer', { seen: { claim: leaving(PROTECTION) }, held: inDoubt }, 'create'],
    ['in doubt: it is repeated when the class has gone wrong', { seen: { claim: withIntent, class: undefined }, held: inDoubt }, 'create'],
    ['in doubt: it is repeated when the claim no longer qualifies', { seen: { claim: { ...withIntent, spec: { ...withIntent.spec, volumeName: 'v' } } }, held: inDoubt }, 'create'],
    ['in doubt: a volume of the name that is leaving is waited for', { seen: { claim: withIntent, volume: testVolume({}, { deletionTimestamp: LEAVING }) }, held: inDoubt }, 'wait VolumeLeaving'],
    ['in doubt: a volume that somebody stored for the claim is the one', { seen: { claim: withIntent, volume: testVolume() }, held: inDoubt }, 'done'],
    ['made: S3-59 it is stored', { held: made() }, 'finish'],
    ['made: it is done once it is stored', { held: made({ wasSent: true }), seen: { volume: testVolume() } }, 'done'],
    ['made: what was read counts more than the cache', { held: made({ wasSent: true }), seen: { read: { volume: testVolume() } } }, 'done'],
    ['made: an older volume of the name that is leaving puts it in doubt', { held: made({ wasSent: true }), seen: { read: { volume: testVolume({}, { deletionTimestamp: LEAVING }) } } }, 'doubt VolumeLeaving'],
    ['made: another volume of the name is told', { held: made({ wasSent: true }), seen: { read: { volume: testVolume({ csi: { driver: DRIVER, volumeHandle: 'x' } }) } } }, 'refuse VolumeNameTaken'],
    ['made: it is stored even when the claim no longer qualifies', { held: made(), seen: { claim: claimWith({ annotations: {} }), class: undefined } }, 'finish'],
    ['made for a claim that is gone: whether it was stored is read anew', { held: made(), seen: { claim: undefined } }, 'read volume'],
    ['made for a claim that is gone: it is deleted again', { held: made(), seen: { claim: undefined, read: { volume: null } } }, 'undo ClaimGone'],
    ['made for a claim that is gone: one that was stored stays for the binder to release', { held: made(), seen: { claim: undefined, read: { volume: testVolume() } } }, 'done'],
    ['made for a claim that is gone: what was sent to be stored is stored', { held: made({ wasSent: true }), seen: { claim: undefined } }, 'finish'],
    ['made for a claim that is gone: S3-161 what is to be retained is stored', { held: made({ plan: { ...plan, class: testClass({ reclaimPolicy: 'Retain' }) } }), seen: { claim: undefined } }, 'finish'],
    ['made for a claim that only we hold: it is deleted again', { held: made(), seen: { claim: leaving(INTENT_FINALIZER), read: { volume: null } } }, 'undo ClaimGone'],
    ['made for a claim that is leaving but used: it is stored', { held: made(), seen: { claim: leaving(INTENT_FINALIZER, PROTECTION) } }, 'finish'],
    ['spoiled: it is deleted again', { held: { attempt: { kind: 'spoiled', plan, volumeId: 'v', reason: { code: 'VolumeTooSmall' } } } }, 'undo VolumeTooSmall'],
  ]
  for (const [behaviour, change, step] of cases) test(behaviour, () => equal(ask(change), step))

  test('in doubt: the very same request is repeated, whatever has changed', () => {
    const step = nextProvisionStep(viewOf({ seen: { claim: undefined, class: testClass({ parameters: { new: '1' } }) }, held: inDoubt }))
    equal(step.kind === 'create' && step.plan, plan)
  })
  test('S3-174: what is deleted again is deleted with the secrets of its making', () => {
    const step = nextProvisionStep(viewOf({ held: made(), seen: { claim: undefined, read: { volume: null } } }))
    deepEqual(step.kind === 'undo' && step.request, { volumeId: 'handle-1', secrets: { user: 'ann' } })
  })
  test('S3-59 S3-61: what is stored has the name of the request and the handle of the answer', () => {
    const step = nextProvisionStep(viewOf({ held: made() }))
    if (step.kind !== 'finish') throw new Error(step.kind)
    equal(step.volume.metadata.name, VOLUME_NAME)
    equal(step.volume.spec.csi?.volumeHandle, 'handle-1')
  })
})

describe('a claim that our finalizer holds', () => {
  const secretive = testClass({ parameters: { csiProvisionerSecretName: 's', csiProvisionerSecretNamespace: 'n' } })
  const leftOn = (node: string) => claimWith({ deletionTimestamp: LEAVING, finalizers: [INTENT_FINALIZER], annotations: { [SELECTED_NODE]: node } })
  const held = claimWith({ finalizers: [PROTECTION, INTENT_FINALIZER] })
  const cases: [behaviour: string, change: Change, step: string][] = [
    ['goes on after a restart', { seen: { claim: held } }, 'create'],
    ['is let go once it is bound', { seen: { claim: { ...held, spec: { ...held.spec, volumeName: VOLUME_NAME } } } }, 'release-intent'],
    ['is kept until it is bound', { seen: { claim: held, volume: testVolume() } }, 'wait NotBoundYet'],
    ['and nobody else: whether its volume is stored is read anew', { seen: { claim: leaving(INTENT_FINALIZER) } }, 'read volume'],
    ['and nobody else: with its volume stored it is let go', { seen: { claim: leaving(INTENT_FINALIZER), read: { volume: testVolume() } } }, 'release-intent'],
    ['and nobody else: what was made is found by asking for it again', { seen: { claim: leaving(INTENT_FINALIZER), read: { volume: null } } }, 'create'],
    ['and nobody else: it need not qualify for that any more', { seen: { claim: { ...leaving(INTENT_FINALIZER), metadata: { ...leaving(INTENT_FINALIZER).metadata, annotations: {} } }, read: { volume: null } } }, 'create'],
    ['and nobody else: it is let go when nothing is left', { seen: { claim: leaving(INTENT_FINALIZER) }, held: { isSettled: true } }, 'release-intent'],
    ['and nobody else: what is wrong by now is told', { seen: { claim: leaving(INTENT_FINALIZER), class: secretive, read: { volume: null, secret: null } } }, 'refuse SecretNotFound'],
    ['and nobody else: what is needed is read', { seen: { claim: leaving(INTENT_FINALIZER), class: secretive, read: { volume: null } } }, 'read secret'],
    ['and nobody else: there is no use in another node', { seen: { claim: leftOn('n9'), read: { volume: null } }, held: { facts: testFacts({ topology: true }) } }, 'refuse SelectedNodeGone'],
    ['and nobody else: without its class it can not be found out', { seen: { claim: leaving(INTENT_FINALIZER), class: undefined, read: { volume: null } } }, 'refuse VolumeInDoubt'],
  ]
  for (const [behaviour, change, step] of cases) test(behaviour, () => equal(ask(change), step))

  test('keeps the finalizers of others', () => {
    const step = nextProvisionStep(viewOf({ seen: { claim: { ...held, spec: { ...held.spec, volumeName: VOLUME_NAME } } } }))
    deepEqual(step.kind === 'release-intent' && step.object.metadata.finalizers, [PROTECTION])
  })
})

test('S3-155: a claim whose node is gone is sent elsewhere: only its node is taken away', () => {
  const claim = claimWith({ annotations: { [STORAGE_PROVISIONER]: DRIVER, [SELECTED_NODE]: 'n9' } })
  const step = nextProvisionStep(viewOf({ seen: { claim }, held: { facts: testFacts({ topology: true }) } }))
  deepEqual(step, { kind: 'reschedule', object: claimWith({ annotations: { [STORAGE_PROVISIONER]: DRIVER } }), reason: { code: 'SelectedNodeGone', detail: { node: 'n9', missing: 'CSINode' } } })
})
test('a claim that names no node can not be sent elsewhere', () => equal(rescheduleClaim(testClaim(), { code: 'Full' }).kind, 'refuse'))
