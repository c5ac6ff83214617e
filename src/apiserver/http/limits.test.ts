import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { MOST_OBJECT_BYTES } from '../admission/object-limits.ts'
import { MOST_BODY_VALUES, MOST_OBJECT_VALUES } from '../schema/value-limits.ts'
import { DEFAULT_CONNECTION_LIMITS, DEFAULT_REQUEST_LIMITS, REQUEST_BYTES, REQUESTS_PER_CONNECTION } from './limits.ts'

const page = readFileSync(join(import.meta.dirname, '../../../docs/api-server.md'), 'utf8')
const bytes = (count: number): string => (count < 1024 * 1024 ? `${count / 1024} KiB` : `${count / 1024 / 1024} MiB`)
const seconds = (ms: number): string => `${ms / 1000} s`
const number = (count: number): string => count.toLocaleString('en')

test('docs/api-server.md shows the limits as they are', () => {
  const section = page.split('\n## Limits\n')[1] ?? assert.fail('it has no such section')
  const shown = new Map(
    Array.from(section.matchAll(/^\| ([^|]+) \| ([^|]+) \|/gm), ([, what = '', limit = '']) => [what, limit]),
  )
  const { bodyBytes, heldPerUserBytes, heldBytes, stalledBodyMs, unreadAnswerMs } = DEFAULT_REQUEST_LIMITS
  const { perAddress, overall, firstRequestMs, idleStrangerMs } = DEFAULT_CONNECTION_LIMITS
  const limits: [what: string, limit: string][] = [
    ['body of a request', bytes(bodyBytes)],
    ['object', bytes(MOST_OBJECT_BYTES)],
    ['fields and list items of a request body', number(MOST_BODY_VALUES)],
    ['fields and list items of an object, CustomResourceDefinitions excepted', number(MOST_OBJECT_VALUES)],
    ['request bodies and unread responses in memory, for each user', bytes(heldPerUserBytes)],
    ['the same, for all users together', bytes(heldBytes)],
    ['counted for each request besides its body and response', bytes(REQUEST_BYTES)],
    ['time without progress while a body is sent', seconds(stalledBodyMs)],
    ['time without progress while a response is read, watches excepted', seconds(unreadAnswerMs)],
    ['connections from one address', number(perAddress)],
    ['connections from all addresses', number(overall)],
    ['time from the connection to its first request', seconds(firstRequestMs)],
    ['idle time of a connection that was never authenticated', seconds(idleStrangerMs)],
    ['concurrent requests on one HTTP/2 connection', number(REQUESTS_PER_CONNECTION)],
  ]
  assert.deepEqual(
    limits.map(([what]) => [what, shown.get(what)]),
    limits,
  )
  // Without the head of the table and limits of other modules: nesting, and how far behind a watcher may be.
  assert.equal(shown.size, limits.length + 3)
})
