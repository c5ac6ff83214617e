import { deepEqual, equal, throws } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { formatExactJson, parseExactJson } from './exact-json.ts'

describe('exact JSON', () => {
  const exact: [text: string, value: unknown][] = [
    ['{"a":1893456000123456789}', { a: 1893456000123456789n }],
    ['[9007199254740993,-9007199254740993]', [9007199254740993n, -9007199254740993n]],
    ['[9223372036854775807,-9223372036854775808]', [9223372036854775807n, -9223372036854775808n]],
    ['[9007199254740991,5,0.5]', [9007199254740991, 5, 0.5]],
    ['{"text":"1893456000123456789","small":7}', { text: '1893456000123456789', small: 7 }],
  ]
  for (const [text, value] of exact)
    test(`keeps ${text}`, () => {
      deepEqual(parseExactJson(text), value)
      equal(formatExactJson(value), text)
    })

  test('what has more than 64 bits, or is no whole number, is a double', () => {
    for (const text of ['9223372036854775808', '1.8934560001234567', '1893456000123456789e1'])
      equal(parseExactJson(text), Number(text))
  })

  test('mistakes stay mistakes', () => {
    throws(() => parseExactJson('{"a":1893456000123456789'), SyntaxError)
    const loop: { self?: unknown } = {}
    loop.self = loop
    throws(() => formatExactJson(loop), TypeError)
  })

  test('indents', () => equal(formatExactJson({ a: 1893456000123456789n }, 2), '{\n  "a": 1893456000123456789\n}'))
})
