import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { HeaderField } from './header-block.ts'
import { createHpackDecoder } from './hpack-decoder.ts'
import { encodeHeaderBlock } from './hpack-encoder.ts'

const field = (name: string, value: string, neverIndexed = false): HeaderField => ({ name, value, neverIndexed })

test("writes plain literals that leave the receiver's table empty", () => {
  const block = encodeHeaderBlock({ tableSizes: [], fields: [field('a', 'bc'), field('k', 's', true)] })
  assert.equal(block.toString('hex'), '00016102626310016b0173')
})

test('keeps table size updates in front', () => {
  assert.equal(
    encodeHeaderBlock({ tableSizes: [0, 4096], fields: [field('a', '')] }).toString('hex'),
    '203fe11f00016100',
  )
})

test('writes an empty block for no fields', () => {
  assert.equal(encodeHeaderBlock({ tableSizes: [], fields: [] }).length, 0)
})

test('survives decoding, whatever the bytes and at every length of an integer', () => {
  const bytes = fc.uint8Array({ maxLength: 20 }).map((array) => Buffer.from(array).toString('latin1'))
  const long = fc.constantFrom(126, 127, 128, 254, 255, 16510, 16511, 100_000).map((length) => 'v'.repeat(length))
  const value = fc.oneof({ weight: 5, arbitrary: bytes }, long)
  const fields = fc.array(
    fc.tuple(bytes, value, fc.boolean()).map((parts) => field(...parts)),
    { maxLength: 8 },
  )
  fc.assert(
    fc.property(fields, fc.array(fc.nat(65536), { maxLength: 2 }), (fields, tableSizes) => {
      assert.deepEqual(createHpackDecoder().decode(encodeHeaderBlock({ tableSizes, fields })), { tableSizes, fields })
    }),
  )
})
