import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isApiError } from '../../api/api-error.ts'
import { parseTarget } from './parse-target.ts'

test('splits path and query, and decodes both', () => {
  const { path, segments, query } = parseTarget(
    '/apis/rbac/v1/roles/system%3Anode?fieldSelector=metadata.name%3Da&x=1+2#part',
  )
  assert.equal(path, '/apis/rbac/v1/roles/system:node')
  assert.deepEqual(segments, ['apis', 'rbac', 'v1', 'roles', 'system:node'])
  assert.equal(query.get('fieldSelector'), 'metadata.name=a')
  assert.equal(query.get('x'), '1 2')
})

test('does not care about a slash at the end', () => {
  assert.equal(parseTarget('/api/v1/').path, '/api/v1')
  assert.deepEqual(parseTarget('/').segments, [])
  assert.equal(parseTarget('/?x').path, '/')
})

test('takes the absolute form of proxies', () => {
  assert.equal(parseTarget('https://host:6443/api/v1?watch').path, '/api/v1')
  assert.equal(parseTarget('http://host').path, '/')
})

for (const target of [
  '/api/%zz',
  '/api/%',
  '/api/..',
  '/api/%2e%2e/secrets',
  '/api//v1',
  '//api',
  '/api/v1%2Fpods',
  '/api/a%5Cb',
  '/api/a%00b',
  '/api/a%0d%0ab',
  '*',
  'ftp://x/y',
  '',
]) {
  test(`refuses the target ${JSON.stringify(target)} with 400`, () => {
    assert.throws(
      () => parseTarget(target),
      (error) => isApiError(error, 'BadRequest'),
    )
  })
}
