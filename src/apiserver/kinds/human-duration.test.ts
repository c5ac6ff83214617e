import { equal } from 'node:assert/strict'
import { test } from 'node:test'
import { formatAge, formatHumanDuration } from './human-duration.ts'

const S = 1000
const M = 60 * S
const H = 60 * M
const D = 24 * H
const Y = 365 * D

const cases: [behaviour: string, ms: number, text: string][] = [
  ['a clock that is ahead by more than a second shows', -2 * S, '<invalid>'],
  ['a clock that is ahead by a second is forgiven', -1 * S, '0s'],
  ['a part of a second does not count', 999, '0s'],
  ['seconds until two minutes', 2 * M - 1, '119s'],
  ['minutes without seconds when there are none', 2 * M, '2m'],
  ['minutes with seconds', 3 * M + 20 * S, '3m20s'],
  ['minutes alone from ten on', 10 * M + 20 * S, '10m'],
  ['minutes until three hours', 3 * H - 1, '179m'],
  ['hours with minutes', 3 * H + 5 * M, '3h5m'],
  ['hours without minutes when there are none', 4 * H, '4h'],
  ['hours alone from eight on', 8 * H + 59 * M, '8h'],
  ['days with hours', 2 * D + 3 * H, '2d3h'],
  ['days without hours when there are none', 2 * D, '2d'],
  ['days alone from eight on', 8 * D + 23 * H, '8d'],
  ['days until two years', 2 * Y - 1, '729d'],
  ['years with days', 2 * Y + 10 * D, '2y10d'],
  ['years without days when there are none', 3 * Y, '3y'],
  ['years alone from eight on', 8 * Y + 100 * D, '8y'],
]
for (const [behaviour, ms, text] of cases) test(behaviour, () => equal(formatHumanDuration(ms), text))

test('an age is counted from a timestamp', () =>
  equal(formatAge('2030-01-01T00:00:00Z', Date.parse('2030-01-01T00:00:05Z')), '5s'))
test('an age from nothing is unknown', () => {
  equal(formatAge(undefined, 0), '<unknown>')
  equal(formatAge(null, 0), '<unknown>')
})
