import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findControllerReference, isControlledBy, isOwnedBy, ownerReferenceTo } from './owner-references.ts'

const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p', namespace: 'default', uid: 'u1' } }
const again = { ...pod, metadata: { ...pod.metadata, uid: 'u2' } }

test('a reference has what the collector needs and no more', () => {
  assert.deepEqual(ownerReferenceTo(pod), { apiVersion: 'v1', kind: 'Pod', name: 'p', uid: 'u1' })
  assert.deepEqual(ownerReferenceTo(pod, { controller: true, blockOwnerDeletion: true }), {
    apiVersion: 'v1',
    kind: 'Pod',
    name: 'p',
    uid: 'u1',
    controller: true,
    blockOwnerDeletion: true,
  })
})

test('what was never stored cannot own', () => {
  assert.throws(
    () => ownerReferenceTo({ ...pod, metadata: { name: 'p' } }),
    /a Pod without name and uid cannot own anything/,
  )
})

test('an owner is known by its uid, not by its name', () => {
  const claim = { metadata: { ownerReferences: [ownerReferenceTo(pod, { controller: true })] } }
  assert.equal(isOwnedBy(claim, pod), true)
  assert.equal(isControlledBy(claim, pod), true)
  assert.equal(isOwnedBy(claim, again), false)
  assert.equal(isControlledBy(claim, again), false)
  assert.equal(isOwnedBy({ metadata: {} }, pod), false)
  assert.equal(isOwnedBy({ metadata: {} }, { metadata: {} }), false)
  assert.equal(isControlledBy({ metadata: {} }, { metadata: {} }), false)
})

test('an owner need not be the controller', () => {
  const claim = {
    metadata: { ownerReferences: [ownerReferenceTo(pod), ownerReferenceTo(again, { controller: true })] },
  }
  assert.equal(isOwnedBy(claim, pod), true)
  assert.equal(isControlledBy(claim, pod), false)
  assert.equal(findControllerReference(claim)?.uid, 'u2')
})
