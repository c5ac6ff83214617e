import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { formatJsonPointer, parseJsonPointer } from './json-pointer.ts'

test('reads what it wrote', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: fc.constantFrom('~', '/', '0', '1', 'a') })), (parts) =>
      assert.deepEqual(parseJsonPointer(formatJsonPointer(parts)), parts),
    ),
  )
})

test('writes the key of an annotation', () =>
  assert.equal(formatJsonPointer(['metadata', 'annotations', 'a.b/c~d']), '/metadata/annotations/a.b~1c~0d'))

for (const text of ['a', 'a/b', '/~', '/~2', '/a~'])
  test(`${text} is no pointer`, () => assert.equal(parseJsonPointer(text), undefined))
