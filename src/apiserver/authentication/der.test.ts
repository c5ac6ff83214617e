import { equal } from 'node:assert/strict'
import { test } from 'node:test'
import * as der from './der.ts'

const CASES: [what: string, value: der.Der, hex: string][] = [
  ['a short length is one byte', der.octets(Buffer.alloc(127)), `047f${'00'.repeat(127)}`],
  ['a longer one says how many bytes it has', der.octets(Buffer.alloc(128)), `048180${'00'.repeat(128)}`],
  ['a length beyond a byte has two', der.octets(Buffer.alloc(300)), `0482012c${'00'.repeat(300)}`],
  ['an object id packs its first two numbers', der.objectId('2.5.4.3'), '0603550403'],
  ['an object id spreads large numbers over bytes', der.objectId('1.2.840.10045.4.3.2'), '06082a8648ce3d040302'],
  ['a number has no zeros in front', der.unsigned(new Uint8Array([0, 0, 0x7f])), '02017f'],
  ['a number whose first bit is set gets one', der.unsigned(new Uint8Array([0x80])), '02020080'],
  ['zero is one byte', der.unsigned(new Uint8Array([0, 0])), '020100'],
  ['flags leave trailing zeros out', der.flags(0), '03020780'],
  ['flags count from the highest bit', der.flags(0, 5, 6), '03020186'],
  ['flags go on in the next byte', der.flags(8), '0303070080'],
  ['truth is all ones', der.boolean(true), '0101ff'],
  ['text is UTF-8', der.text('ä'), '0c02c3a4'],
  [
    'a time before 2050 has two digits for the year',
    der.time(Date.UTC(2049, 11, 31, 23, 59, 59, 999)),
    '170d3439313233313233353935395a',
  ],
  ['a time from 2050 on has four', der.time(Date.UTC(2050, 0, 1)), '180f32303530303130313030303030305a'],
  ['a tag in place of the type', der.tagged(2, Buffer.from('a')), '820161'],
  ['a tag around other elements', der.tagged(3, der.boolean(true), { constructed: true }), 'a3030101ff'],
]
for (const [what, value, hex] of CASES) test(what, () => equal(value.toString('hex'), hex))

test('the text form has lines of 64 characters', () => {
  equal(
    der.formatPem('X', Buffer.alloc(60)),
    `-----BEGIN X-----\n${'A'.repeat(64)}\n${'A'.repeat(16)}\n-----END X-----\n`,
  )
})
