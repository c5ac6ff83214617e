import { deepEqual, equal, ok } from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { openRawClient } from '../testing/raw-client.ts'
import type { RawRequest } from '../testing/raw-client.ts'
import { startTestServer } from '../testing/start-test-server.ts'

test('a flood of one user is answered with 429 and Retry-After beyond its queue, while others and leases are served', async () => {
  await using place = await startTestServer()
  // With a slow disk, the flood waits for its turns.
  await using server = await startTestServer({
    authorizationMode: 'AlwaysAllow',
    dataDirectory: join(place.directory, 'slow'),
    addedCommitMs: 1000,
  })
  const [flood, ann, elector] = await Promise.all(
    ['flood', 'ann', 'elector'].map((user) => openRawClient(server, { user, groups: [] })),
  )
  ok(flood && ann && elector)
  const body = (name: string): string =>
    JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace: 'default', name } })
  const createOf = (name: string): RawRequest => ({
    method: 'POST',
    path: '/api/v1/namespaces/default/configmaps',
    headers: { 'content-type': 'application/json' },
    body: body(name),
  })
  const order: string[] = []
  const floods = Array.from({ length: 950 }, async (_, index) => {
    // The head says it all, and a thousand bodies would have to be read at once.
    const reply = await flood.head(createOf(`flood-${index}`))
    order.push('flood')
    return reply
  })
  const others = [ann.ask(createOf('mine')), elector.ask({ path: '/apis/coordination.k8s.io/v1/leases' })].map(
    async (asked) => {
      const { status } = await asked
      order.push('other')
      return status
    },
  )
  deepEqual(await Promise.all(others), [201, 200])
  const replies = await Promise.all(floods)
  const rejected = replies.filter(({ status }) => status === 429)
  equal(replies.length - rejected.length, replies.filter(({ status }) => status === 201).length)
  ok(rejected.length > 0, 'some are rejected')
  ok(rejected.every(({ headers }) => headers['retry-after'] === '1'))
  ok(order.lastIndexOf('other') < order.length - 100, 'the others do not wait for the flood')
  for (const client of [flood, ann, elector]) client.close()
})
