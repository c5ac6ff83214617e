import { deepEqual, equal } from 'node:assert/strict'
import { test } from 'node:test'
import type { Secret } from '../../api/kinds/secret.ts'
import { formatReason } from '../../api/reason.ts'
import { secretValues } from './resolve-secret-ref.ts'

const secret = (data: Record<string, Uint8Array | string>, more: Partial<Secret> = {}): Secret => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 's', namespace: 'vault' },
  data: Object.fromEntries(Object.entries(data).map(([key, value]) => [key, Buffer.from(value).toString('base64')])),
  ...more,
})

test('S3-169: all keys of the secret are passed', () => {
  deepEqual(secretValues(secret({ user: 'ann', password: 'hütte\n' })), {
    kind: 'ok',
    value: { user: 'ann', password: 'hütte\n' },
  })
})
test('S3-170: stringData is not read', () => {
  deepEqual(secretValues(secret({ a: '1' }, { stringData: { b: '2' } })), { kind: 'ok', value: { a: '1' } })
})
test('S3-171: text that is itself encoded is passed as it is', () => {
  const encoded = Buffer.from([255, 0]).toString('base64')
  deepEqual(secretValues(secret({ a: encoded })), { kind: 'ok', value: { a: encoded } })
})
test('H52: bytes that are no text are refused by secret and key, not by value', () => {
  const decision = secretValues(secret({ fine: 'x', key: new Uint8Array([0x53, 0xff, 0xfe]) }))
  equal(decision.kind === 'refuse' && decision.reason.code, 'SecretNotText')
  equal(
    decision.kind === 'refuse' && formatReason(decision.reason),
    'the value of key key in Secret vault/s is not valid UTF-8. Store binary data in a text form that the driver documents, such as base64.',
  )
})
test('a mark of byte order is kept, since it is part of the value', () => {
  deepEqual(secretValues(secret({ a: '\uFEFFx' })), { kind: 'ok', value: { a: '\uFEFFx' } })
})
test('a secret without data has no values', () => {
  deepEqual(secretValues({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' } }), { kind: 'ok', value: {} })
})
