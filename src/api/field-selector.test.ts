import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  escapeFieldValue,
  findExactField,
  formatFieldSelector,
  matchesFieldSelector,
  parseFieldSelector,
} from './field-selector.ts'

const cases: [behaviour: string, text: string, formatted: string][] = [
  ['an empty query asks for nothing', '', ''],
  ['empty terms ask for nothing', ',a=b,,', 'a=b'],
  ['an operator alone asks for nothing', '=,!=', ''],
  ['both signs of equality are one', 'a==b', 'a=b'],
  ['terms are sorted', 'b=1,a!=2', 'a!=2,b=1'],
  ['a value may be empty', 'spec.nodeName=', 'spec.nodeName='],
  ['escaped signs belong to the value', 'a=x\\,y\\=z\\\\', 'a=x\\,y\\=z\\\\'],
  ['an exclamation mark alone is a part of the name', 'a!b=c', 'a!b=c'],
  ['space belongs to the text', 'a = b', 'a = b'],
]
for (const [behaviour, text, formatted] of cases)
  test(behaviour, () => assert.equal(formatFieldSelector(parseFieldSelector(text)), formatted))

test('gives field, operator and plain value', () => {
  assert.deepEqual(parseFieldSelector('a!=x\\,y'), [{ field: 'a', operator: '!=', value: 'x,y' }])
})

const refused: [text: string, message: string][] = [
  ['a', "invalid selector: 'a'; can't understand 'a'"],
  ['a=b,c', "invalid selector: 'a=b,c'; can't understand 'c'"],
  ['a=b=c', 'invalid field selector: unescaped character in value: 61'],
  ['a=\\x', 'invalid field selector: invalid escape sequence: \\x'],
  ['a=b\\', 'invalid field selector: invalid escape sequence: \\'],
]
for (const [text, message] of refused) {
  test(`refuses ${text} in the words of Kubernetes`, () =>
    assert.throws(() => parseFieldSelector(text), { name: 'SelectorError', message }))
}

test('a field that is not set is empty', () => {
  const read = (field: string): string | undefined => ({ 'metadata.name': 'x' })[field]
  const matches = (text: string): boolean => matchesFieldSelector(parseFieldSelector(text), read)
  assert.equal(matches('metadata.name=x'), true)
  assert.equal(matches('metadata.name!=x'), false)
  assert.equal(matches('spec.nodeName='), true)
  assert.equal(matches('spec.nodeName!='), false)
  assert.equal(matches('metadata.name=x,spec.nodeName=n'), false)
})

test('finds the value that one field must have', () => {
  const query = parseFieldSelector('a!=1,b=2')
  assert.equal(findExactField(query, 'b'), '2')
  assert.equal(findExactField(query, 'a'), undefined)
})

test('any value survives a query', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (value) => {
      assert.deepEqual(parseFieldSelector(`f=${escapeFieldValue(value)}`), [{ field: 'f', operator: '=', value }])
    }),
  )
})
