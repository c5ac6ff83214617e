import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { JsonPatchOperation } from './api.ts'
import { deepFreeze } from './freeze.ts'
import { applyJsonPatch } from './json-patch.ts'
import { JsonPatchError } from './json-patch-error.ts'
import { formatJsonPointer } from './json-pointer.ts'
import { JsonPatchSyntaxError, parseJsonPatch } from './parse-json-patch.ts'

const done: [behaviour: string, document: unknown, operations: JsonPatchOperation[], result: unknown][] = [
  ['no operations change nothing', { a: 1 }, [], { a: 1 }],
  ['adds a member', { a: 1 }, [{ op: 'add', path: '/b', value: null }], { a: 1, b: null }],
  ['adds over a member that exists', { a: 1 }, [{ op: 'add', path: '/a', value: 2 }], { a: 2 }],
  ['adds into a list', { a: [1, 3] }, [{ op: 'add', path: '/a/1', value: 2 }], { a: [1, 2, 3] }],
  ['adds at the end of a list by number', { a: [1] }, [{ op: 'add', path: '/a/1', value: 2 }], { a: [1, 2] }],
  ['adds at the end of a list by dash', { a: [1] }, [{ op: 'add', path: '/a/-', value: [2] }], { a: [1, [2]] }],
  ['adds the whole document', { a: 1 }, [{ op: 'add', path: '', value: [] }], []],
  ['a number names a member of an object', { 0: 'a' }, [{ op: 'replace', path: '/0', value: 'b' }], { 0: 'b' }],
  ['replaces deep inside', { a: [{ b: 1 }, 2] }, [{ op: 'replace', path: '/a/0/b', value: 3 }], { a: [{ b: 3 }, 2] }],
  ['removes a member', { a: 1, b: 2 }, [{ op: 'remove', path: '/a' }], { b: 2 }],
  ['removes from a list', { a: [1, 2, 3] }, [{ op: 'remove', path: '/a/1' }], { a: [1, 3] }],
  ['reads escapes in paths', { 'a/b': { 'c~d': 1 } }, [{ op: 'remove', path: '/a~1b/c~0d' }], { 'a/b': {} }],
  ['reads ~01 as ~1', { '~1': 1 }, [{ op: 'remove', path: '/~01' }], {}],
  ['an empty name is a name', { '': { '': 1 } }, [{ op: 'replace', path: '//', value: 2 }], { '': { '': 2 } }],
  ['moves', { a: { b: 1 }, c: [] }, [{ op: 'move', from: '/a/b', path: '/c/-' }], { a: {}, c: [1] }],
  ['moves within a list', [1, 2, 3], [{ op: 'move', from: '/0', path: '/2' }], [2, 3, 1]],
  ['moves onto itself', { a: 1 }, [{ op: 'move', from: '/a', path: '/a' }], { a: 1 }],
  ['copies', { a: { b: 1 } }, [{ op: 'copy', from: '/a', path: '/c' }], { a: { b: 1 }, c: { b: 1 } }],
  [
    'tests regardless of order',
    { a: { b: 1, c: [2] } },
    [{ op: 'test', path: '/a', value: { c: [2], b: 1 } }],
    { a: { b: 1, c: [2] } },
  ],
  ['tests null', { a: null }, [{ op: 'test', path: '/a', value: null }], { a: null }],
  [
    'each operation sees what the one before it did',
    {},
    [
      { op: 'add', path: '/a', value: {} },
      { op: 'add', path: '/a/b', value: 1 },
    ],
    { a: { b: 1 } },
  ],
  [
    'a copy does not follow its original',
    { a: {} },
    [
      { op: 'copy', from: '/a', path: '/b' },
      { op: 'add', path: '/a/c', value: 1 },
    ],
    { a: { c: 1 }, b: {} },
  ],
]
for (const [behaviour, document, operations, result] of done) {
  test(behaviour, () => {
    const given = structuredClone(document)
    assert.deepEqual(applyJsonPatch(deepFreeze(given), deepFreeze(operations)), result)
    assert.deepEqual(given, document)
  })
}

const failed: [
  behaviour: string,
  document: unknown,
  operation: JsonPatchOperation,
  kind: JsonPatchError['kind'],
  message: RegExp,
][] = [
  [
    'a test that fails is told apart',
    { a: 1 },
    { op: 'test', path: '/a', value: 2 },
    'test-failed',
    /operation 1 \(test "\/a"\): the value there is another one/,
  ],
  [
    'a test does not take text for a number',
    { a: 1 },
    { op: 'test', path: '/a', value: '1' },
    'test-failed',
    /another one/,
  ],
  [
    'a test of a missing place fails by its path',
    {},
    { op: 'test', path: '/a', value: null },
    'bad-path',
    /there is no "a"/,
  ],
  [
    'cannot add below what is missing',
    {},
    { op: 'add', path: '/metadata/annotations', value: {} },
    'bad-path',
    /there is no "metadata"/,
  ],
  ['cannot add into text', { a: 'x' }, { op: 'add', path: '/a/b', value: 1 }, 'bad-path', /neither object nor list/],
  ['cannot add past the end', { a: [] }, { op: 'add', path: '/a/1', value: 1 }, 'bad-path', /1 is past the end/],
  ['cannot remove at the end', { a: [1] }, { op: 'remove', path: '/a/1' }, 'bad-path', /past the end/],
  ['cannot remove the dash', { a: [1] }, { op: 'remove', path: '/a/-' }, 'bad-path', /"-" is no place in a list/],
  ['cannot remove what is missing', { a: 1 }, { op: 'remove', path: '/b' }, 'bad-path', /there is no "b"/],
  ['cannot remove everything', { a: 1 }, { op: 'remove', path: '' }, 'bad-path', /whole document/],
  ['cannot replace what is missing', { a: 1 }, { op: 'replace', path: '/b', value: 1 }, 'bad-path', /there is no "b"/],
  ['a list has no place 01', { a: [1, 2] }, { op: 'remove', path: '/a/01' }, 'bad-path', /no place/],
  ['a path begins with a slash', { a: 1 }, { op: 'remove', path: 'a' }, 'bad-path', /"a" is no JSON pointer/],
  ['an escape is ~0 or ~1', { a: 1 }, { op: 'remove', path: '/~2' }, 'bad-path', /no JSON pointer/],
  ['cannot move into itself', { a: { b: {} } }, { op: 'move', from: '/a', path: '/a/b/c' }, 'bad-path', /into itself/],
  [
    'cannot move what is missing onto itself',
    {},
    { op: 'move', from: '/a', path: '/a' },
    'bad-path',
    /there is no "a"/,
  ],
  [
    'knows only own members',
    {},
    { op: 'test', path: '/constructor/name', value: 'Object' },
    'bad-path',
    /there is no "constructor"/,
  ],
]
for (const [behaviour, document, operation, kind, message] of failed) {
  test(behaviour, () => {
    const before = structuredClone(document)
    const patch: JsonPatchOperation[] = [{ op: 'test', path: '', value: before }, operation]
    assert.throws(
      () => applyJsonPatch(document, patch),
      (error) => {
        assert.ok(error instanceof JsonPatchError)
        assert.match(error.message, message)
        assert.deepEqual([error.kind, error.index, error.operation], [kind, 1, operation])
        return true
      },
    )
    assert.deepEqual(document, before)
  })
}

test('a member named __proto__ is a member and nothing else', () => {
  const operations: JsonPatchOperation[] = [
    { op: 'add', path: '/__proto__', value: { polluted: true } },
    { op: 'add', path: '/__proto__/more', value: 1 },
  ]
  const result = applyJsonPatch({ a: 1 }, operations)
  assert.equal(JSON.stringify(result), '{"a":1,"__proto__":{"polluted":true,"more":1}}')
  assert.equal(({} as { polluted?: boolean }).polluted, undefined)
})

const json = fc.jsonValue({ maxDepth: 3 })
const object = fc.dictionary(fc.string({ maxLength: 3 }), json, { maxKeys: 4 }).map((value) => ({ ...value }))

test('adding a member and removing it again leaves the object', () => {
  fc.assert(
    fc.property(object, fc.string(), json, (document, key, value) => {
      fc.pre(!Object.hasOwn(document, key))
      const path = formatJsonPointer([key])
      const added = applyJsonPatch(document, [
        { op: 'add', path, value },
        { op: 'test', path, value },
      ])
      assert.deepEqual(applyJsonPatch(added, [{ op: 'remove', path }]), document)
    }),
  )
})

test('inserting into a list is what splice does', () => {
  fc.assert(
    fc.property(fc.array(json), fc.nat(), json, (list, place, value) => {
      const index = place % (list.length + 1)
      assert.deepEqual(applyJsonPatch({ list }, [{ op: 'add', path: `/list/${index}`, value }]), {
        list: list.toSpliced(index, 0, value),
      })
    }),
  )
})

test('a move is a copy and a removal', () => {
  fc.assert(
    fc.property(object, fc.string({ minLength: 1 }), (document, name) => {
      const [key] = Object.keys(document)
      fc.pre(key !== undefined && key !== name)
      const [from, path] = [formatJsonPointer([key ?? '']), formatJsonPointer([name])]
      const moved = applyJsonPatch(document, [{ op: 'move', from, path }])
      assert.deepEqual(
        moved,
        applyJsonPatch(document, [
          { op: 'copy', from, path },
          { op: 'remove', path: from },
        ]),
      )
    }),
  )
})

test('what did not change is shared', () => {
  const document = { a: { b: 1 }, c: { d: 2 } }
  const result = applyJsonPatch(document, [{ op: 'replace', path: '/a/b', value: 2 }]) as typeof document
  assert.equal(result.c, document.c)
  assert.notEqual(result.a, document.a)
})

test('a value that is copied into itself again and again is refused before it fills the memory', () => {
  const doubling = Array.from({ length: 30 }, (_, index): JsonPatchOperation => ({
    op: 'copy',
    from: '/a',
    path: `/a/${index}`,
  }))
  assert.throws(
    () => applyJsonPatch({ a: { text: 'x'.repeat(100) } }, doubling),
    (error) => {
      assert.ok(error instanceof JsonPatchError)
      assert.equal(error.kind, 'too-large')
      assert.match(
        error.message,
        /Unable to complete the copy, the accumulated size increase of copy is \d+, exceeding the limit 3145728$/,
      )
      return true
    },
  )
})

test('copies count as many bytes as their JSON has', () => {
  const value = { kéy: ['text', 1.5, true, null, {}, []] }
  const copies = (3 * 1024 * 1024) / 64
  const padded = { ...value, pad: '' }
  padded.pad = 'x'.repeat(64 - Buffer.byteLength(JSON.stringify(padded)))
  const copy: JsonPatchOperation = { op: 'copy', from: '/from', path: '/to' }
  const all = Array.from({ length: copies }, () => copy)
  applyJsonPatch({ from: padded }, all)
  assert.throws(() => applyJsonPatch({ from: padded }, [...all, copy]), /accumulated size increase of copy is 3145792,/)
})

test('a copy and its original change apart, whoever of them was changed before', () => {
  const result = applyJsonPatch({ a: { b: { c: 1 } } }, [
    { op: 'add', path: '/a/b/d', value: 2 },
    { op: 'copy', from: '/a', path: '/copy' },
    { op: 'add', path: '/a/b/e', value: 3 },
    { op: 'add', path: '/copy/b/f', value: 4 },
    { op: 'move', from: '/copy/b', path: '/moved' },
    { op: 'add', path: '/moved/g', value: 5 },
  ])
  assert.deepEqual(result, { a: { b: { c: 1, d: 2, e: 3 } }, copy: {}, moved: { c: 1, d: 2, f: 4, g: 5 } })
})

test('a value of an operation stays as it was when a later one changes it', () => {
  const operations: JsonPatchOperation[] = [
    { op: 'add', path: '/a', value: { b: [] } },
    { op: 'add', path: '/a/b/-', value: 1 },
    { op: 'add', path: '/a/b/-', value: 2 },
  ]
  assert.deepEqual(applyJsonPatch({}, deepFreeze(operations)), { a: { b: [1, 2] } })
})

test('many operations on one large object or list copy it once', () => {
  const document = {
    object: Object.fromEntries(Array.from({ length: 1000 }, (_, index) => [`k${index}`, index])),
    list: Array.from({ length: 1000 }, () => 0),
  }
  let reads = 0
  // Every copy of the object reads each of its members.
  Object.defineProperty(document.object, 'k0', { enumerable: true, get: () => ++reads })
  const operations = Array.from({ length: 100 }, (_, index): JsonPatchOperation => ({
    op: 'add',
    path: `/object/new-${index}`,
    value: index,
  }))
  applyJsonPatch(document, operations)
  assert.equal(reads, 1)
})

test('inserting into a large list has an end', () => {
  const insert = Array.from({ length: 300 }, (): JsonPatchOperation => ({ op: 'add', path: '/list/0', value: 0 }))
  assert.throws(
    () => applyJsonPatch({ list: Array.from({ length: 100_000 }, () => 0) }, insert),
    /the accumulated number of shifted list items is 20019900, exceeding the limit 20000000/,
  )
})

test('reads the operations of a request', () => {
  const body = [
    { op: 'add', path: '/a', value: null, extra: 1 },
    { op: 'remove', path: '/a' },
    { op: 'move', from: '/a', path: '/b' },
  ]
  assert.deepEqual(parseJsonPatch(body), [
    { op: 'add', path: '/a', value: null },
    { op: 'remove', path: '/a' },
    { op: 'move', from: '/a', path: '/b' },
  ])
})

const malformed: [body: unknown, message: RegExp][] = [
  [{ op: 'remove', path: '/a' }, /is a list of operations/],
  [[null], /operation 0: it is not an object/],
  [
    [
      { op: 'remove', path: '/a' },
      { op: 'delete', path: '/a' },
    ],
    /operation 1: "op" has to be add, .* not "delete"/,
  ],
  [[{ op: 'remove' }], /operation 0: it needs a "path"/],
  [[{ op: 'add', path: '/a' }], /add needs a "value"/],
  [[{ op: 'copy', path: '/a' }], /it needs a "from"/],
]
for (const [body, message] of malformed) {
  test(`refuses ${JSON.stringify(body)} as a patch`, () => {
    assert.throws(
      () => parseJsonPatch(body),
      (error) => error instanceof JsonPatchSyntaxError && message.test(error.message),
    )
  })
}
