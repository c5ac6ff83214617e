import { deepEqual, equal } from 'node:assert/strict'
import { test } from 'node:test'
import { openRawClient } from '../testing/raw-client.ts'
import { startTestServer } from '../testing/start-test-server.ts'
import type { AuditEvent } from './audit-event.ts'

test('the log names who really asks beside the one that he was for this request, and the id of the answer', async (t) => {
  const lines: string[] = []
  const server = await startTestServer({ writeAudit: (line) => void lines.push(line) })
  t.after(() => server[Symbol.asyncDispose]())
  const client = await openRawClient(server, { user: 'root', groups: ['system:masters'] })
  t.after(client.close)
  const { headers, status } = await client.ask({
    path: '/api/v1/namespaces/default/pods',
    headers: { 'impersonate-user': 'jane' },
  })
  equal(status, 403)
  const event = JSON.parse(lines.at(-1) ?? '') as AuditEvent
  deepEqual(
    [event.user.username, event.impersonatedUser?.username, event.auditID],
    ['root', 'jane', headers['audit-id']],
  )
})
