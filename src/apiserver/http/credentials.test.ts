import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isApiError } from '../../api/api-error.ts'
import { readConnectionInfo } from './connection-info.ts'
import { readCredentials } from './credentials.ts'
import type { ConnectionInfo } from './exchange.ts'

const read = (rawHeaders: string[], connection: ConnectionInfo = { sourceIps: [] }) => {
  const headers: Record<string, string> = {}
  for (let index = 0; index < rawHeaders.length; index += 2)
    headers[(rawHeaders[index] ?? '').toLowerCase()] = rawHeaders[index + 1] ?? ''
  return readCredentials({ headers, rawHeaders, connection })
}

test('reads a bearer token', () => {
  assert.deepEqual(read(['Authorization', 'Bearer abc.def']), { bearerToken: 'abc.def' })
  assert.deepEqual(read(['authorization', 'bearer  abc']), { bearerToken: 'abc' })
  assert.deepEqual(read(['Authorization', 'Basic dTpw']), {})
  assert.deepEqual(read([]), {})
})

test('keeps the groups of an impersonated user apart', () => {
  const { impersonation } = read([
    'Impersonate-User',
    'u',
    'Impersonate-Group',
    'a, b',
    'Impersonate-Group',
    'c',
    'Impersonate-Extra-Scopes',
    's',
    'Impersonate-Uid',
    '7',
  ])
  assert.deepEqual(impersonation, { user: 'u', uid: '7', groups: ['a, b', 'c'], extra: { scopes: ['s'] } })
})

test('refuses to impersonate a group without a user', () => {
  assert.throws(
    () => read(['Impersonate-Group', 'a']),
    (error) => isApiError(error, 'BadRequest'),
  )
})

test('takes a certificate that was verified', () => {
  const connection = readConnectionInfo({
    remoteAddress: '10.0.0.1',
    authorized: true,
    getPeerCertificate: () => ({ subject: { CN: 'admin', O: ['a', 'b'] } }),
  })
  assert.deepEqual(connection.sourceIps, ['10.0.0.1'])
  assert.deepEqual(read([], connection), { clientCertificate: { commonName: 'admin', organizations: ['a', 'b'] } })
})

test('takes a connection for one without a certificate, even when TLS calls it authorized', () => {
  assert.deepEqual(readConnectionInfo({ authorized: true, getPeerCertificate: () => ({}) }), { sourceIps: [] })
  assert.deepEqual(readConnectionInfo({ remoteAddress: '::1' }), { sourceIps: ['::1'] })
})

test('never uses a certificate that was not verified, and does not take its owner for anonymous', () => {
  const connection = readConnectionInfo({
    authorized: false,
    authorizationError: new Error('CERT_HAS_EXPIRED'),
    getPeerCertificate: () => ({ subject: { CN: 'admin' } }),
  })
  assert.equal(connection.certificate, undefined)
  assert.throws(
    () => read([], connection),
    (error) => isApiError(error, 'Unauthorized'),
  )
  assert.deepEqual(read(['Authorization', 'Bearer abc'], connection), { bearerToken: 'abc' })
})
