import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiError } from '../../api/api-error.ts'
import { createSystemClock } from '../../base/clock.ts'
import { createSimulatedClock } from '../../base/simulated-clock.ts'
import { createYamlThreads } from './yaml-threads.ts'

const LARGE = `list:\n${Array.from({ length: 2000 }, (_, index) => `- item-${index}\n`).join('')}a: 1\na: 2\n`

test('parses a large text as it does a small one', async () => {
  const parse = createYamlThreads(createSystemClock())
  assert.deepEqual(await parse('a: 1\na: 2\n'), {
    value: { a: 2 },
    duplicateFields: ['line 2: key "a" already set in map'],
  })
  const { value, duplicateFields } = await parse(LARGE)
  assert.equal((value as { list: string[] }).list.at(-1), 'item-1999')
  assert.deepEqual(duplicateFields, ['line 2003: key "a" already set in map'])
  await assert.rejects(parse(`${LARGE}b: [,]\n`), { message: 'Unexpected , in flow sequence at line 2004, column 5' })
})

test('gives up on a text that takes too long', async () => {
  const clock = createSimulatedClock()
  const parsing = createYamlThreads(clock)('}'.repeat(120 * 1024))
  await clock.advance(10_000)
  await assert.rejects(parsing, /could not be parsed within 10 s/)
})

test('parses a few at a time, and refuses more than can wait', async () => {
  const parse = createYamlThreads(createSystemClock(), { threads: 1, waiting: 2 })
  const parsings = await Promise.allSettled(Array.from({ length: 5 }, () => parse(LARGE)))
  const refused = parsings.filter((parsing) => parsing.status === 'rejected')
  assert.equal(refused.length, 2)
  for (const { reason } of refused) assert.ok(reason instanceof ApiError && reason.reason === 'TooManyRequests')
})
