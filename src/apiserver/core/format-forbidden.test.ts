import { deepEqual, equal } from 'node:assert/strict'
import { test } from 'node:test'
import { formatForbidden } from './format-forbidden.ts'
import { requestUnderTest } from '../authorization/testing/store-under-test.ts'

const user = { name: 'u', groups: [] }
const CASES: [request: string, message: string][] = [
  ['list pods ns/', 'pods is forbidden: User "u" cannot list resource "pods" in API group "" in the namespace "ns"'],
  ['get pods ns/p', 'pods "p" is forbidden: User "u" cannot get resource "pods" in API group "" in the namespace "ns"'],
  [
    'create pods/eviction ns/p',
    'pods "p" is forbidden: User "u" cannot create resource "pods/eviction" in API group "" in the namespace "ns"',
  ],
  [
    'watch csinodes.storage.k8s.io',
    'csinodes.storage.k8s.io is forbidden: User "u" cannot watch resource "csinodes" in API group "storage.k8s.io" at the cluster scope',
  ],
  ['get /metrics', 'forbidden: User "u" cannot get path "/metrics"'],
]
for (const [request, message] of CASES)
  test(`a refused ${request} is worded as upstream does`, () =>
    equal(formatForbidden(requestUnderTest(user, request)).message, message))

test('the reason comes last', () => {
  equal(
    formatForbidden(requestUnderTest(user, 'get /metrics'), 'because').message,
    'forbidden: User "u" cannot get path "/metrics": because',
  )
})

test('the status says what was refused', () => {
  const status = formatForbidden(requestUnderTest(user, 'get csinodes.storage.k8s.io n1')).toStatus()
  deepEqual(
    { reason: status.reason, code: status.code, details: status.details },
    { reason: 'Forbidden', code: 403, details: { name: 'n1', group: 'storage.k8s.io', kind: 'csinodes' } },
  )
})

test('names from outside cannot carry markup', () => {
  const { message } = formatForbidden(requestUnderTest({ name: '<script>&', groups: [] }, 'get /x'))
  equal(message, 'forbidden: User "&lt;script&gt;&amp;" cannot get path "/x"')
})
