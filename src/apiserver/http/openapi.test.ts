import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isApiError } from '../../api/api-error.ts'
import { createDoorUnderTest, kindUnderTest } from './testing/door-under-test.ts'
import { createOpenApi } from './openapi.ts'

const V2_ACCEPT = 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf'

function open() {
  const { kinds } = createDoorUnderTest()
  const openApi = createOpenApi(kinds)
  const ask = (target: string, headers: Parameters<typeof openApi.answer>[2] = {}) => {
    const [path = '', query = ''] = target.split('?')
    return openApi.answer(path.split('/').slice(1), new URLSearchParams(query), headers)
  }
  const addresses = (): Record<string, { serverRelativeURL: string }> =>
    (JSON.parse(String(ask('/openapi/v3')?.body)) as { paths: Record<string, { serverRelativeURL: string }> }).paths
  return { kinds, ask, addresses }
}

test('answers version 2 with protobuf that may be empty', () => {
  const answer = open().ask('/openapi/v2', { accept: V2_ACCEPT })
  assert.equal(answer?.status, 200)
  assert.equal(answer.contentType, 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf')
  assert.deepEqual(answer.body, new Uint8Array())
})

test('answers version 2 in JSON to those who ask for it', () => {
  assert.equal(
    (JSON.parse(String(open().ask('/openapi/v2', { accept: '*/*' })?.body)) as { swagger: string }).swagger,
    '2.0',
  )
})

test('lists a document for each group and version', () => {
  const { addresses } = open()
  assert.deepEqual(Object.keys(addresses()), [
    'api/v1',
    'apis/example.com/v1',
    'apis/example.com/v1beta1',
    'apis/storage.k8s.io/v1',
  ])
  assert.match(addresses()['api/v1']?.serverRelativeURL ?? '', /^\/openapi\/v3\/api\/v1\?hash=[0-9A-F]{64}$/)
})

test('says of each kind that its patches are checked', () => {
  const { ask } = open()
  const { paths } = JSON.parse(String(ask('/openapi/v3/api/v1')?.body)) as {
    paths: Record<string, { patch: { parameters: { name: string; in: string }[] } & Record<string, unknown> }>
  }
  assert.deepEqual(Object.keys(paths), [
    '/api/v1/namespaces/{namespace}/configmaps/{name}',
    '/api/v1/namespaces/{name}',
    '/api/v1/namespaces/{namespace}/pods/{name}',
  ])
  const { patch } = paths['/api/v1/namespaces/{namespace}/pods/{name}'] ?? assert.fail()
  assert.deepEqual(patch['x-kubernetes-group-version-kind'], { group: '', version: 'v1', kind: 'Pod' })
  assert.ok(patch.parameters.some((parameter) => parameter.name === 'fieldValidation' && parameter.in === 'query'))
})

test('lets a document be kept for ever under its hash, and redirects an old one', () => {
  const { ask, addresses } = open()
  const address = addresses()['api/v1']?.serverRelativeURL ?? ''
  assert.equal(ask(address)?.headers?.['cache-control'], 'public, immutable')
  assert.deepEqual(ask('/openapi/v3/api/v1?hash=OLD'), { status: 301, headers: { location: address } })
  assert.equal(ask('/openapi/v3/api/v1')?.headers?.['cache-control'], undefined)
})

test('answers 304 to those who have it', () => {
  const { ask } = open()
  const etag = String(ask('/openapi/v3')?.headers?.['etag'])
  assert.deepEqual(ask('/openapi/v3', { 'if-none-match': etag }), { status: 304, headers: { etag, vary: 'Accept' } })
  assert.equal(ask('/openapi/v3', { 'if-none-match': '"other"' })?.status, 200)
})

test('changes address with the kinds', () => {
  const { kinds, addresses } = open()
  const before = addresses()
  kinds.add(kindUnderTest({ group: 'example.com', version: 'v1', kind: 'More', plural: 'mores', namespaced: true }))
  const after = addresses()
  assert.notDeepEqual(after['apis/example.com/v1'], before['apis/example.com/v1'])
  assert.deepEqual(after['api/v1'], before['api/v1'])
})

test('has nothing for what is not served, and no version 3 but JSON', () => {
  const { ask } = open()
  assert.equal(ask('/openapi/v3/apis/nothing/v1'), undefined)
  assert.equal(ask('/openapi/v4'), undefined)
  assert.throws(
    () => ask('/openapi/v3', { accept: 'application/com.github.proto-openapi.spec.v3@v1.0+protobuf' }),
    (error) => isApiError(error, 'NotAcceptable'),
  )
})
