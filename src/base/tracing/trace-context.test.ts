import { deepEqual, equal, match, notEqual } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { formatTraceparent, parseTraceparent, traceIdOf } from './trace-context.ts'

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736'
const SPAN = '00f067aa0ba902b7'

describe('the trace of an object', () => {
  test('is its UID without the dashes', () => {
    equal(traceIdOf('4bf92f35-77b3-4da6-a3ce-929d0e0e4736'), TRACE)
    equal(traceIdOf('4BF92F35-77B3-4DA6-A3CE-929D0E0E4736'), TRACE)
  })
  test('is valid and stable for an ID that is not a UUID, and never all zeros', () => {
    for (const uid of ['claim-1', '', '00000000-0000-0000-0000-000000000000']) {
      match(traceIdOf(uid), /^[0-9a-f]{32}$/)
      notEqual(traceIdOf(uid), '0'.repeat(32))
      equal(traceIdOf(uid), traceIdOf(uid))
    }
    notEqual(traceIdOf('claim-1'), traceIdOf('claim-2'))
  })
})

describe('traceparent', () => {
  test('is read as it is written', () => {
    deepEqual(parseTraceparent(formatTraceparent({ traceId: TRACE, spanId: SPAN })), { traceId: TRACE, spanId: SPAN })
  })
  test('of a later version is read as far as it is known', () => {
    deepEqual(parseTraceparent(`01-${TRACE}-${SPAN}-01-more`), { traceId: TRACE, spanId: SPAN })
  })
  const invalid = [
    '',
    'nonsense',
    `ff-${TRACE}-${SPAN}-01`,
    `00-${'0'.repeat(32)}-${SPAN}-01`,
    `00-${TRACE}-${'0'.repeat(16)}-01`,
    `00-${TRACE.toUpperCase()}-${SPAN}-01`,
    `00-${TRACE}-${SPAN}`,
    `00-${TRACE}-${SPAN}-01x`,
  ]
  for (const text of invalid)
    test(`is ignored if it is not valid: ${JSON.stringify(text)}`, () => equal(parseTraceparent(text), undefined))
})
