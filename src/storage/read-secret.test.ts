import { deepEqual, equal } from 'node:assert/strict'
import { test } from 'node:test'
import type { Secret } from '../api/kinds/secret.ts'
import { formatReason } from '../api/reason.ts'
import { decodeSecret } from './read-secret.ts'
import { secretReason } from './secret-reason.ts'

const secret = (data: Record<string, Uint8Array | string>, more: Partial<Secret> = {}): Secret => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 's', namespace: 'vault' },
  data: Object.fromEntries(Object.entries(data).map(([key, value]) => [key, Buffer.from(value).toString('base64')])),
  ...more,
})

test('S3-169: all keys of the secret are passed', () => {
  deepEqual(decodeSecret(secret({ user: 'ann', password: 'hütte\n' })), {
    kind: 'read',
    values: { user: 'ann', password: 'hütte\n' },
  })
})
test('S3-170: stringData is not read', () => {
  deepEqual(decodeSecret(secret({ a: '1' }, { stringData: { b: '2' } })), { kind: 'read', values: { a: '1' } })
})
test('S3-171: text that is itself encoded is passed as it is', () => {
  const encoded = Buffer.from([255, 0]).toString('base64')
  deepEqual(decodeSecret(secret({ a: encoded })), { kind: 'read', values: { a: encoded } })
})
test('H52: bytes that are no text are refused by secret and key, not by value', () => {
  const read = decodeSecret(secret({ fine: 'x', key: new Uint8Array([0x53, 0xff, 0xfe]) }))
  deepEqual(read, { kind: 'not-text', key: 'key' })
  equal(
    read.kind === 'not-text' && formatReason(secretReason(read, { namespace: 'vault', name: 's' }, 'provisioner')),
    'error getting secret s in namespace vault: the value of key "key" is not valid UTF-8. Store binary data in a text form that the driver documents, such as base64.',
  )
})
test('who may not read a secret is told by the server', () =>
  equal(
    secretReason(
      { kind: 'forbidden', message: 'secrets "s" is forbidden: no' },
      { namespace: 'v', name: 's' },
      'resizer',
    ).message,
    'error getting secret s in namespace v: secrets "s" is forbidden: no',
  ))
test('who may not read a secret, and what is missing, is told as upstream does', () => {
  const tell = (kind: 'missing' | 'forbidden'): string =>
    formatReason(secretReason({ kind }, { namespace: 'vault', name: 's' }, 'provisioner'))
  equal(tell('missing'), 'error getting secret s in namespace vault: secrets "s" not found. Create Secret vault/s.')
  equal(
    tell('forbidden'),
    'error getting secret s in namespace vault: secrets "s" is forbidden. Allow the provisioner to get this secret.',
  )
})
test('a reference in a PersistentVolume is immutable, so nobody is told to correct it', () => {
  for (const who of ['attacher', 'resizer'] as const)
    equal(
      secretReason({ kind: 'missing' }, { namespace: 'vault', name: 's' }, who).cure,
      'Create Secret vault/s: the reference to it in the PersistentVolume cannot be changed.',
    )
})
test('a mark of byte order is kept, since it is part of the value', () => {
  deepEqual(decodeSecret(secret({ a: '\uFEFFx' })), { kind: 'read', values: { a: '\uFEFFx' } })
})
test('a secret without data has no values', () => {
  deepEqual(decodeSecret({}), { kind: 'read', values: {} })
})
