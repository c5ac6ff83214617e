import { equal, throws } from 'node:assert/strict'
import { test } from 'node:test'
import { formatTimestamp, parseTimestamp } from '../../../api/timestamps.ts'
import { parseCronSchedule } from './cron-schedule.ts'

const nextOf = (text: string, after: string, zone = 'UTC'): string => {
  const next = parseCronSchedule(text, zone).next(parseTimestamp(after))
  return next === undefined ? 'never' : formatTimestamp(next)
}

const cases: [text: string, after: string, next: string, zone?: string][] = [
  ['*/15 * * * *', '2030-01-01T00:00:00Z', '2030-01-01T00:15:00Z'],
  ['*/15 * * * *', '2030-01-01T00:14:59Z', '2030-01-01T00:15:00Z'],
  ['5/20 * * * *', '2030-01-01T00:06:00Z', '2030-01-01T00:25:00Z'],
  ['0 3 * * *', '2030-01-01T03:00:00Z', '2030-01-02T03:00:00Z'],
  ['30 6-16/4 * * 1-5', '2030-01-04T14:30:00Z', '2030-01-07T06:30:00Z'],
  ['0 0 29 feb *', '2030-01-01T00:00:00Z', '2032-02-29T00:00:00Z'],
  ['0 0 31 2 *', '2030-01-01T00:00:00Z', 'never'],
  ['0 0 13 * FRI', '2030-01-01T00:00:00Z', '2030-01-04T00:00:00Z'],
  ['0 0 13 * ?', '2030-01-01T00:00:00Z', '2030-01-13T00:00:00Z'],
  ['0 0 */2 * mon', '2030-01-01T00:00:00Z', '2030-01-03T00:00:00Z'],
  ['1,2,10-11 1 * * *', '2030-01-01T01:02:00Z', '2030-01-01T01:10:00Z'],
  ['@hourly', '2030-01-01T00:00:01Z', '2030-01-01T01:00:00Z'],
  ['@daily', '2030-01-01T00:00:01Z', '2030-01-02T00:00:00Z'],
  ['@midnight', '2030-01-01T00:00:01Z', '2030-01-02T00:00:00Z'],
  ['@weekly', '2030-01-01T00:00:00Z', '2030-01-06T00:00:00Z'],
  ['@monthly', '2030-01-01T00:00:00Z', '2030-02-01T00:00:00Z'],
  ['@yearly', '2030-01-01T00:00:00Z', '2031-01-01T00:00:00Z'],
  ['@annually', '2030-01-01T00:00:00Z', '2031-01-01T00:00:00Z'],
  ['@every 1h30m', '2030-01-01T00:00:00Z', '2030-01-01T01:30:00Z'],
  ['0 12 * * *', '2030-01-01T00:00:00Z', '2030-01-01T11:00:00Z', 'Europe/Berlin'],
  ['0 12 * * *', '2030-07-01T00:00:00Z', '2030-07-01T10:00:00Z', 'Europe/Berlin'],
  // At 02:00 the clocks show 03:00: 02:30 does not exist that day.
  ['30 2 * * *', '2030-03-30T12:00:00Z', '2030-04-01T00:30:00Z', 'Europe/Berlin'],
  // At 03:00 the clocks show 02:00: 02:30 comes twice.
  ['30 2 * * *', '2030-10-26T12:00:00Z', '2030-10-27T00:30:00Z', 'Europe/Berlin'],
  ['30 2 * * *', '2030-10-27T00:30:00Z', '2030-10-27T01:30:00Z', 'Europe/Berlin'],
  ['0 0 * * *', '2030-01-01T06:00:00Z', '2030-01-02T05:00:00Z', 'America/New_York'],
]
for (const [text, after, next, zone] of cases)
  test(`${text} after ${after} in ${zone ?? 'UTC'} is due at ${next}`, () => equal(nextOf(text, after, zone), next))

const wrong: [text: string, message: RegExp][] = [
  ['* * * *', /expected exactly 5 fields, found 4: \[\* \* \* \*\]/],
  ['60 * * * *', /end of range \(60\) above maximum \(59\): 60/],
  ['* * 0 * *', /beginning of range \(0\) below minimum \(1\): 0/],
  ['5-1 * * * *', /beginning of range \(5\) beyond end of range \(1\): 5-1/],
  ['*/0 * * * *', /step of range should be a positive number: \*\/0/],
  ['1-2-3 * * * *', /too many hyphens: 1-2-3/],
  ['*/1/2 * * * *', /too many slashes/],
  ['x * * * *', /failed to parse int from x/],
  ['@never', /unrecognized descriptor: @never/],
]
for (const [text, message] of wrong)
  test(`${text} is refused`, () => throws(() => parseCronSchedule(text, 'UTC'), message))
