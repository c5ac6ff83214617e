import { deepEqual, equal } from 'node:assert/strict'
import { test } from 'node:test'
import { requestUnderTest } from '../authorization/testing/store-under-test.ts'
import { buildAuditEvent } from './audit-event.ts'
import type { AuditedRequest } from './audit-event.ts'

const user = { name: 'system:node:n1', uid: '7', groups: ['system:nodes'] }
const request = (text: string, more: Partial<AuditedRequest> = {}): AuditedRequest => ({
  auditId: 'id',
  stage: 'ResponseComplete',
  requestUri: '/apis/storage.k8s.io/v1/csinodes/n1',
  attributes: requestUnderTest(user, text),
  sourceIps: ['127.0.0.1'],
  userAgent: 'holdfast/1',
  response: { code: 200 },
  decision: { kind: 'allow', reason: 'because' },
  receivedMs: Date.UTC(2030, 0, 1),
  nowMs: Date.UTC(2030, 0, 1) + 2.5,
  ...more,
})

test('an event has what a count of calls by component needs', () => {
  deepEqual(
    buildAuditEvent(request('patch csinodes.storage.k8s.io/status n1', { object: { uid: 'u', resourceVersion: '5' } })),
    {
      kind: 'Event',
      apiVersion: 'audit.k8s.io/v1',
      level: 'Metadata',
      auditID: 'id',
      stage: 'ResponseComplete',
      requestURI: '/apis/storage.k8s.io/v1/csinodes/n1',
      verb: 'patch',
      user: { username: 'system:node:n1', uid: '7', groups: ['system:nodes'] },
      sourceIPs: ['127.0.0.1'],
      userAgent: 'holdfast/1',
      objectRef: {
        resource: 'csinodes',
        name: 'n1',
        uid: 'u',
        apiGroup: 'storage.k8s.io',
        apiVersion: 'v1',
        resourceVersion: '5',
        subresource: 'status',
      },
      responseStatus: { metadata: {}, code: 200 },
      requestReceivedTimestamp: '2030-01-01T00:00:00.000000Z',
      stageTimestamp: '2030-01-01T00:00:00.002500Z',
      annotations: { 'authorization.k8s.io/decision': 'allow', 'authorization.k8s.io/reason': 'because' },
    },
  )
})

test('a path that is no resource has no object', () => {
  const event = buildAuditEvent(request('get /healthz'))
  equal(event.objectRef, undefined)
  equal(event.verb, 'get')
})

test('a refusal says so', () => {
  const event = buildAuditEvent(
    request('list secrets ns/', {
      response: { code: 403, reason: 'Forbidden', message: 'no' },
      decision: { kind: 'no-opinion' },
    }),
  )
  deepEqual(event.responseStatus, { metadata: {}, status: 'Failure', message: 'no', reason: 'Forbidden', code: 403 })
  deepEqual(event.annotations, { 'authorization.k8s.io/decision': 'forbid', 'authorization.k8s.io/reason': '' })
})

test('who acts for somebody else stands first', () => {
  const event = buildAuditEvent(request('get pods ns/p', { impersonator: { name: 'root', groups: [] } }))
  equal(event.user.username, 'root')
  equal(event.impersonatedUser?.username, 'system:node:n1')
})

test('a stage before the answer has none', () => {
  const { response: _response, decision: _decision, ...early } = request('get pods ns/p', { stage: 'RequestReceived' })
  const event = buildAuditEvent(early)
  equal(event.responseStatus, undefined)
  equal(event.annotations, undefined)
})

test('a client cannot fill the log by its name', () => {
  equal(buildAuditEvent(request('get pods ns/p', { userAgent: 'x'.repeat(5000) })).userAgent?.length, 1024)
})
