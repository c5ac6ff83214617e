import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatObject, formatRef, keyOf, keyOfRef, parseKey, refOf } from './object-key.ts'

const claim = { apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: { namespace: 'default', name: 'data' } }
const node = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n1' } }

test('a key has the namespace where there is one', () => {
  assert.equal(keyOf(claim), 'default/data')
  assert.equal(keyOf(node), 'n1')
  assert.equal(keyOfRef({ namespace: '', name: 'n1' }), 'n1')
})

test('a key leads back to the object', () => {
  assert.deepEqual(parseKey(keyOf(claim)), refOf(claim))
  assert.deepEqual(parseKey(keyOf(node)), refOf(node))
})

test('an object that has no name yet has no key', () =>
  assert.throws(() => keyOf({ metadata: { generateName: 'a-' } }), /without a name/))

test('logs show kind, namespace and name', () => {
  assert.equal(formatObject(claim), 'PersistentVolumeClaim/default/data')
  assert.equal(formatObject(node), 'Node/n1')
  assert.equal(
    formatObject({ kind: 'Pod', metadata: { namespace: 'default', generateName: 'web-' } }),
    'Pod/default/web-…',
  )
  assert.equal(formatRef('PersistentVolume', { name: 'v1' }), 'PersistentVolume/v1')
})
