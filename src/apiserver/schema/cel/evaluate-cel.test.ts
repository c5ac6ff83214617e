import { deepEqual, equal, throws } from 'node:assert/strict'
import { test } from 'node:test'
import { CelError } from './cel-error.ts'
import { evaluateCel } from './evaluate-cel.ts'
import { freeNames } from './expression.ts'
import { parseCel } from './parse-cel.ts'

const SELF = { name: 'data', size: 5, tags: ['a', 'b'], labels: { k: 'v', 'a.b': 'c' }, namespace: 'n', nothing: null, 'x-y/z': 1, empty: '' }

const values: [expression: string, value: unknown][] = [
  ['self.name', 'data'],
  ['self.__namespace__', 'n'],
  ['self.x__dash__y__slash__z', 1],
  ['has(self.name) && !has(self.other)', true],
  ['has(self.nothing) && self.nothing == null', true],
  ['size(self.tags) == 2 && self.name.size() == 4', true],
  ["size('💾') == 1", true],
  ['self.size > 4 && self.size >= 5 && self.size < 6 && self.size <= 5', true],
  ["self.name == 'data' || self.other == 1", true],
  ["self.other == 1 || self.name == 'data'", true],
  ["self.other == 1 && self.name == 'x'", false],
  ['!(self.size == 5)', false],
  ["'a' in self.tags && !('c' in self.tags) && 'k' in self.labels", true],
  ["self.size in [1, 5]", true],
  ["self.labels['a.b']", 'c'],
  ['self.tags[1]', 'b'],
  ["self.name.startsWith('da') && self.name.endsWith('ta') && self.name.contains('at')", true],
  ["self.name.matches('^d[a-z]+$') && !self.name.matches(r'^\\d+$')", true],
  ["self.tags.all(tag, tag != 'c') && self.tags.exists(tag, tag == 'b') && self.tags.exists_one(tag, tag == 'a')", true],
  ["self.labels.all(key, key in self.labels)", true],
  ["self.tags.exists(tag, self.other == tag || tag == 'b')", true],
  ["self.size > 3 ? 'large' : 'small'", 'large'],
  ['self.size - 1 + 2', 6],
  ['-self.size', -5],
  ['"a" + \'b\\n\' + """c"""', 'ab\nc'],
  ['self.tags + ["c"] == ["a", "b", "c"]', true],
  ['1.5 < 2 && 0x10 == 16', true],
  ['true // and so it ends\n && true', true],
  ['self.size == 5 == true', true],
]
for (const [expression, value] of values) test(`reads ${JSON.stringify(expression)}`, () => deepEqual(evaluateCel(parseCel(expression), { self: SELF }), value))

const failures: [expression: string, message: string][] = [
  ['self.other', 'no such key: other'],
  ['self.constructor', 'no such key: constructor'],
  ['self.name.other', 'no such overload'],
  ['self.tags[2]', 'index out of bounds: 2'],
  ['self.name > 1', 'no such overload'],
  ['self.name && true', 'no such overload'],
  ['self.other == 1 && self.size == 5', 'no such key: other'],
  ['self.tags.all(tag, self.other == tag)', 'no such key: other'],
  ['other', "undeclared reference to 'other'"],
  ["self.name.matches('(')", 'error parsing regexp: ('],
]
for (const [expression, message] of failures) {
  test(`${expression} has no value`, () => throws(() => evaluateCel(parseCel(expression), { self: SELF }), (error) => error instanceof CelError && error.message === message))
}

const unreadable: [expression: string, message: string][] = [
  ['', 'unexpected the end'],
  ['self.', 'expected a name, found the end'],
  ['(self', 'expected ), found the end'],
  ['self self', 'unexpected self'],
  ['has(self)', 'has() takes a field'],
  ["quantity('1Gi')", 'function quantity is not supported'],
  ['self.map(x, x)', 'function map is not supported'],
  ['self.a * 2', 'unexpected *'],
  ['{"a": 1}', 'unexpected {'],
  ['self # 1', 'unexpected "#" at position 5'],
  ["'\\q'", 'unknown escape \\q'],
]
for (const [expression, message] of unreadable) {
  test(`${JSON.stringify(expression)} is not read`, () => throws(() => parseCel(expression), (error) => error instanceof CelError && error.message === message))
}

test('knows which names an expression takes from outside', () => {
  deepEqual([...freeNames(parseCel('self.all(x, x == oldSelf.y) && z'))].sort(), ['oldSelf', 'self', 'z'])
})

test('binds as CEL does: && before ||, both after comparisons', () => {
  equal(evaluateCel(parseCel('true || false && false'), {}), true)
  equal(evaluateCel(parseCel('1 + 1 == 2 && 3 > 2'), {}), true)
})
