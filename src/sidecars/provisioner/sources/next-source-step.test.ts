import { deepEqual, equal } from 'node:assert/strict'
import { test } from 'node:test'
import type { PersistentVolumeClaim, PersistentVolumeClaimPhase } from '../../../api/kinds/persistent-volume-claim.ts'
import type { VolumeSnapshot } from '../../../api/kinds/volume-snapshot.ts'
import { CLONE_SOURCE_FINALIZER, SNAPSHOT_SOURCE_FINALIZER } from '../names.ts'
import { findSourceKey, nextSourceStep, parseSourceKey, sourceKeyOf } from './next-source-step.ts'
import type { SourceView } from './next-source-step.ts'
import { REASONS } from '../reasons.ts'
import { testClaim } from '../testing/objects.ts'

const LEAVING = '2026-01-01T00:00:00Z'
const source = testClaim({}, { name: 'c', finalizers: ['x', CLONE_SOURCE_FINALIZER] })
const snapshot: VolumeSnapshot = {
  apiVersion: 'snapshot.storage.k8s.io/v1',
  kind: 'VolumeSnapshot',
  metadata: { namespace: 'shop', name: 's', finalizers: [SNAPSHOT_SOURCE_FINALIZER] },
  spec: { source: {} },
}
const user = (phase?: PersistentVolumeClaimPhase) => ({ ...testClaim(), status: phase ? { phase } : {} })
const ask = (view: Partial<SourceView['seen']>, held?: SourceView['held']) =>
  nextSourceStep({ seen: { source, claims: [], ...view }, ...(held ? { held } : {}) })

test('a source is kept while one of its claims is pending', () =>
  equal(ask({ claims: [user('Bound'), user('Pending')] }).kind, 'wait'))
test('a claim that nobody looked at yet is pending', () => equal(ask({ claims: [user()] }).kind, 'wait'))
test('a source is kept while a call is in doubt, though the claim is gone', () =>
  equal(ask({}, { isInUse: true, keptForMs: 0 }).kind, 'wait'))
test('a source is let go when the last of its claims is bound or lost', () => {
  deepEqual(ask({ claims: [user('Bound'), user('Lost')] }, { isInUse: false, keptForMs: 0 }), {
    kind: 'release',
    object: testClaim({}, { name: 'c', finalizers: ['x'] }),
  })
})
test('one that nobody needs is kept for a while, unless it is leaving', () => {
  const held = { isInUse: false, keptForMs: 5 }
  deepEqual(ask({}, held), { kind: 'keep', reason: REASONS.SourceUnused, forMs: 5 })
  equal(
    ask({ source: { ...source, metadata: { ...source.metadata, deletionTimestamp: LEAVING } } }, held).kind,
    'release',
  )
})
test('a snapshot has its own finalizer', () => {
  const step = ask({ source: snapshot })
  deepEqual(step.kind === 'release' && step.object.metadata.finalizers, [])
  equal(
    ask({ source: { ...snapshot, metadata: { ...snapshot.metadata, finalizers: [CLONE_SOURCE_FINALIZER] } } }).kind,
    'wait',
  )
})
test('claims and their source have the same key, in the same namespace or another', () => {
  const ref = { apiGroup: 'snapshot.storage.k8s.io', kind: 'VolumeSnapshot', name: 's' }
  equal(findSourceKey(testClaim({ dataSource: ref, dataSourceRef: ref })), sourceKeyOf(snapshot))
  equal(
    findSourceKey(testClaim({ dataSourceRef: { ...ref, namespace: 'shop' } }, { namespace: 'other' })),
    sourceKeyOf(snapshot),
  )
  equal(findSourceKey(testClaim({ dataSource: { kind: 'PersistentVolumeClaim', name: 'c' } })), sourceKeyOf(source))
  equal(findSourceKey(testClaim()), undefined)
})
test('a key names its source', () => {
  deepEqual(parseSourceKey(sourceKeyOf(snapshot)), { kind: 'VolumeSnapshot', namespace: 'shop', name: 's' })
  equal(parseSourceKey('Book/shop/s'), undefined)
})

const named = (name: string, phase?: PersistentVolumeClaimPhase) => ({
  ...testClaim({}, { namespace: 'other', name }),
  status: phase ? { phase } : {},
})

test('all that is told while a source is needed', () => {
  deepEqual(
    ask(
      { claims: [named('z', 'Bound'), named('a', 'Pending'), named('b', 'Pending')] },
      { isInUse: true, keptForMs: 9 },
    ),
    { kind: 'wait', reason: REASONS.SourceInUseBy({ namespace: 'other', name: 'a' }) },
  )
  deepEqual(ask({}, { isInUse: true, keptForMs: 9 }), {
    kind: 'wait',
    reason: REASONS.SourceInUse,
  })
  deepEqual(ask({ source: testClaim() }, { isInUse: true, keptForMs: 9 }), {
    kind: 'wait',
    reason: REASONS.SourceNotHeld,
  })
  deepEqual(ask({}, { isInUse: false, keptForMs: 1 }), { kind: 'keep', reason: REASONS.SourceUnused, forMs: 1 })
})
test('a source of the claim itself is in its own namespace, whatever the reference says', () => {
  const ref = { apiGroup: 'snapshot.storage.k8s.io', kind: 'VolumeSnapshot', name: 's' }
  equal(
    findSourceKey(testClaim({ dataSource: ref, dataSourceRef: { ...ref, namespace: 'other' } }, { namespace: 'shop' })),
    'VolumeSnapshot/shop/s',
  )
  deepEqual(parseSourceKey('PersistentVolumeClaim/shop/c'), {
    kind: 'PersistentVolumeClaim',
    namespace: 'shop',
    name: 'c',
  })
})
test('a snapshot is only read once nothing needs it any more', () => {
  const unread = (claims: PersistentVolumeClaim[], isInUse = false) =>
    ask({ source: undefined, claims }, { isInUse, keptForMs: 0 }).kind
  equal(unread([named('a', 'Pending')]), 'wait')
  equal(unread([], true), 'wait')
  equal(unread([named('a', 'Bound')]), 'read-snapshot')
})
