import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodeHuffman } from './hpack-huffman.ts'
import { MalformedHttp2Error } from './malformed-http2-error.ts'

const decodeHex = (hex: string): string => decodeHuffman(Buffer.from(hex.replaceAll(' ', ''), 'hex'))

test('decodes the strings of RFC 7541 appendix C', () => {
  assert.equal(decodeHex('f1e3 c2e5 f23a 6ba0 ab90 f4ff'), 'www.example.com')
  assert.equal(decodeHex('a8eb 1064 9cbf'), 'no-cache')
  assert.equal(decodeHex('25a8 49e9 5bb8 e8b4 bf'), 'custom-value')
  assert.equal(decodeHex('9d29 ad17 1863 c78f 0b97 c8e9 ae82 ae43 d3'), 'https://www.example.com')
  assert.equal(decodeHex(''), '')
})

// Codes from RFC 7541 appendix B. No HTTP/2 client may send these bytes in a header, so no other test reaches them.
for (const [symbol, bits] of [
  [0x00, '1111111111000'],
  [0x01, '11111111111111111011000'],
  [0x0a, '111111111111111111111111111100'],
  [0x0d, '111111111111111111111111111101'],
  [0x16, '111111111111111111111111111110'],
  [0x7f, '1111111111111111111111111100'],
] as const) {
  test(`decodes the ${bits.length} bits of byte ${symbol}`, () => {
    const padded = bits.padEnd(Math.ceil(bits.length / 8) * 8, '1')
    const coded = Buffer.from(padded.match(/.{8}/g)?.map((byte) => Number.parseInt(byte, 2)) ?? [])
    assert.equal(decodeHuffman(coded), String.fromCharCode(symbol))
  })
}

test('refuses padding that is not made of ones', () => {
  // 'a' is 00011, then 110 instead of 111.
  assert.throws(() => decodeHex('1e'), MalformedHttp2Error)
  assert.equal(decodeHex('1f'), 'a')
})

test('refuses a whole byte of padding', () => {
  assert.throws(() => decodeHex('1fff'), MalformedHttp2Error)
  assert.throws(() => decodeHex('ff'), MalformedHttp2Error)
})

test('refuses the end-of-string symbol', () => {
  assert.throws(() => decodeHex('ffff ffff'), /end-of-string/)
})
