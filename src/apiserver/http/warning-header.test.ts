import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatWarnings } from './warning-header.ts'

test('quotes quotes and backslashes', () => {
  assert.deepEqual(formatWarnings(['unknown field "spec.x\\y"']), ['299 - "unknown field \\"spec.x\\\\y\\""'])
})

test('says the same thing once', () => {
  assert.deepEqual(formatWarnings(['a', 'b', 'a']), ['299 - "a"', '299 - "b"'])
})

test('lets no line end through', () => {
  assert.deepEqual(formatWarnings(['a\r\nSet-Cookie: b']), ['299 - "a Set-Cookie: b"'])
})

test('carries other alphabets as UTF-8', () => {
  const [value = ''] = formatWarnings(['größer als 5 €'])
  assert.equal(Buffer.from(value, 'latin1').toString('utf8'), '299 - "größer als 5 €"')
})

test('stays within what clients accept', () => {
  const values = formatWarnings(Array.from({ length: 100 }, (_, index) => `${index} ${'x'.repeat(2000)}`))
  assert.ok(values.length > 0 && values.join('').length <= 4096)
})
