import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { findTimestamp, formatMicroTimestamp, formatTimestamp, parseTimestamp } from './timestamps.ts'

const NEW_YEAR = Date.UTC(2030, 0, 1)

test('writes whole seconds and never a later one', () => {
  assert.equal(formatTimestamp(NEW_YEAR), '2030-01-01T00:00:00Z')
  assert.equal(formatTimestamp(NEW_YEAR + 999), '2030-01-01T00:00:00Z')
  assert.equal(formatTimestamp(NEW_YEAR - 1), '2029-12-31T23:59:59Z')
  assert.equal(formatTimestamp(-1), '1969-12-31T23:59:59Z')
})

test('writes six decimals for leases', () => {
  assert.equal(formatMicroTimestamp(NEW_YEAR), '2030-01-01T00:00:00.000000Z')
  assert.equal(formatMicroTimestamp(NEW_YEAR + 5), '2030-01-01T00:00:00.005000Z')
  assert.equal(formatMicroTimestamp(NEW_YEAR + 0.25), '2030-01-01T00:00:00.000250Z')
  assert.equal(formatMicroTimestamp(-0.001), '1969-12-31T23:59:59.999999Z')
})

test('a year that cannot be written is refused', () => {
  for (const ms of [Date.UTC(10_000, 0, 1), 9e15, Number.NaN]) {
    assert.throws(() => formatTimestamp(ms), RangeError)
    assert.throws(() => formatMicroTimestamp(ms), RangeError)
  }
})

const read: [text: string, ms: number | undefined][] = [
  ['2030-01-01T00:00:00Z', NEW_YEAR],
  ['2030-01-01T02:30:00+02:30', NEW_YEAR],
  ['2029-12-31T19:00:00-05:00', NEW_YEAR],
  ['2030-01-01T00:00:00.5Z', NEW_YEAR + 500],
  ['2030-01-01T00:00:00.123456Z', NEW_YEAR + 123.456],
  ['2030-01-01T00:00:00.123456789Z', NEW_YEAR + 123.456789],
  ['2028-02-29T00:00:00Z', Date.UTC(2028, 1, 29)],
  ['2030-02-29T00:00:00Z', undefined],
  ['2030-13-01T00:00:00Z', undefined],
  ['2030-01-01T24:00:00Z', undefined],
  ['2030-01-01T00:00:60Z', undefined],
  ['2030-01-01T00:00:00+25:00', undefined],
  ['2030-01-01T00:00:00', undefined],
  ['2030-01-01', undefined],
  ['2030-01-01t00:00:00z', undefined],
  [' 2030-01-01T00:00:00Z', undefined],
  ['', undefined],
]
for (const [text, ms] of read)
  test(`${JSON.stringify(text)} is ${ms === undefined ? 'no time' : ms}`, () => assert.equal(findTimestamp(text), ms))

test('a time that is missing is undefined, and a wrong one is refused by name', () => {
  assert.equal(findTimestamp(undefined), undefined)
  assert.equal(findTimestamp(null), undefined)
  assert.throws(() => parseTimestamp('yesterday'), {
    name: 'RangeError',
    message: '"yesterday" is not a time in RFC 3339',
  })
})

test('reads what it wrote, to the microsecond, until 2109', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 2 ** 42 - 1 }), fc.nat(999), (ms, micros) => {
      assert.equal(parseTimestamp(formatTimestamp(ms)), Math.floor(ms / 1000) * 1000)
      const text = formatMicroTimestamp(ms + micros / 1000)
      assert.equal(formatMicroTimestamp(parseTimestamp(text)), text)
      assert.ok(Math.abs(parseTimestamp(text) - (ms + micros / 1000)) < 0.001)
    }),
  )
})
