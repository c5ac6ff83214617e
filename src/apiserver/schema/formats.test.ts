import { equal } from 'node:assert/strict'
import { test } from 'node:test'
import { hasFormat } from './formats.ts'

const texts: [format: string, right: string[], wrong: string[]][] = [
  ['date-time', ['2030-01-01T00:00:00Z', '2030-01-01t00:00:00.5+01:00'], ['2030-01-01', '2030-02-30T00:00:00Z', '']],
  ['date', ['2030-01-01'], ['2030-1-1', '2030-02-30', '2030-01-01T00:00:00Z']],
  ['byte', ['', 'aGVsbG8='], ['aGVsbG8', '?']],
  [
    'uuid',
    ['0B4A6E4C-4D0F-4E43-8B7F-2E4F3C1D2A5B', '0b4a6e4c4d0f4e438b7f2e4f3c1d2a5b'],
    ['x', '0b4a6e4c-4d0f-4e43-8b7f'],
  ],
  ['uuid4', ['0b4a6e4c-4d0f-4e43-8b7f-2e4f3c1d2a5b'], ['0b4a6e4c-4d0f-3e43-8b7f-2e4f3c1d2a5b']],
  ['ipv4', ['10.0.0.1'], ['256.0.0.1', '10.0.0', '::1']],
  ['ipv6', ['::1', 'fe80::1:2'], ['10.0.0.1', ':::', 'fe80::1%eth0']],
  ['cidr', ['10.0.0.0/8', '::/0'], ['10.0.0.0', '10.0.0.0/33', '::/129']],
  ['hostname', ['a', 'a.b-c.d'], ['-a', 'a..b', '']],
  ['mac', ['00:00:5e:00:53:01', '0000.5e00.5301'], ['00:00:5e']],
  ['email', ['a@b.c'], ['a', '@b']],
  ['uri', ['http://a/b', '/a'], ['a b']],
  ['duration', ['1h30m', '22 ns', '0'], ['h', '1']],
  ['of-no-known-name', ['anything'], []],
]
for (const [format, right, wrong] of texts) {
  test(`tells what is ${format}`, () => {
    for (const text of right) equal(hasFormat(format, text), true, text)
    for (const text of wrong) equal(hasFormat(format, text), false, text)
  })
}
