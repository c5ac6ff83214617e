import { equal } from 'node:assert/strict'
import { test } from 'node:test'
import { canonicalTime } from './canonical-time.ts'

const times: [text: string, seconds: string | null | undefined, micros: string | null | undefined][] = [
  ['2030-01-01T00:00:00Z', '2030-01-01T00:00:00Z', '2030-01-01T00:00:00.000000Z'],
  ['2030-01-01T00:00:00.123456789Z', '2030-01-01T00:00:00Z', '2030-01-01T00:00:00.123456Z'],
  ['2030-01-01T00:30:00+01:00', '2029-12-31T23:30:00Z', '2029-12-31T23:30:00.000000Z'],
  ['2030-01-01T00:30:00.5-05:30', '2030-01-01T06:00:00Z', '2030-01-01T06:00:00.500000Z'],
  ['2028-02-29T00:00:00Z', '2028-02-29T00:00:00Z', '2028-02-29T00:00:00.000000Z'],
  ['0001-01-01T00:00:00Z', null, null],
  ['2030-02-29T00:00:00Z', undefined, undefined],
  ['2100-02-29T00:00:00Z', undefined, undefined],
  ['2030-13-01T00:00:00Z', undefined, undefined],
  ['2030-01-01T24:00:00Z', undefined, undefined],
  ['2030-01-01T00:00:00', undefined, undefined],
  ['2030-01-01 00:00:00Z', undefined, undefined],
  ['2030-01-01', undefined, undefined],
  ['', undefined, undefined],
]
for (const [text, seconds, micros] of times) {
  test(`writes ${JSON.stringify(text)} as ${seconds}`, () => {
    equal(canonicalTime(text, 0), seconds)
    equal(canonicalTime(text, 6), micros)
  })
}
