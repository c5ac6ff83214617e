import { deepEqual, equal, ok, throws } from 'node:assert/strict'
import { test } from 'node:test'
import { CelError } from './cel-error.ts'
import { CostExceededError, CostMeter } from '../cost-meter.ts'
import { compileCel } from './compile-cel.ts'
import { freeNames } from './expression.ts'
import { parseCel } from './parse-cel.ts'

const evaluate = (text: string, self?: unknown, meter = new CostMeter(100_000)): unknown =>
  compileCel(parseCel(text), ['self']).evaluate([self], meter)

const SELF = {
  name: 'data',
  size: 5,
  tags: ['a', 'b'],
  labels: { k: 'v', 'a.b': 'c' },
  namespace: 'n',
  nothing: null,
  'x-y/z': 1,
  empty: '',
}

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
  ['self.size in [1, 5]', true],
  ["self.labels['a.b']", 'c'],
  ['self.tags[1]', 'b'],
  ["self.name.startsWith('da') && self.name.endsWith('ta') && self.name.contains('at')", true],
  ["self.name.matches('^d[a-z]+$') && !self.name.matches(r'^\\d+$')", true],
  [
    "self.tags.all(tag, tag != 'c') && self.tags.exists(tag, tag == 'b') && self.tags.exists_one(tag, tag == 'a')",
    true,
  ],
  ['self.labels.all(key, key in self.labels)', true],
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
for (const [expression, value] of values)
  test(`reads ${JSON.stringify(expression)}`, () => deepEqual(evaluate(expression, SELF), value))

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
  ['self.size % 0 == 1', 'modulus by zero'],
  ['Other{a: 1}', "undeclared reference to 'Other'"],
  ["self.name.matches('(')", 'error parsing regexp: missing closing ): `(`'],
  ["self.name.matches(self.tags[0] + '**')", 'error parsing regexp: invalid nested repetition operator: `**`'],
]
for (const [expression, message] of failures) {
  test(`${expression} has no value`, () =>
    throws(
      () => evaluate(expression, SELF),
      (error) => error instanceof CelError && error.message === message,
    ))
}

const unreadable: [expression: string, message: string][] = [
  ['', 'unexpected the end'],
  ['self.', 'expected a name, found the end'],
  ['(self', 'expected ), found the end'],
  ['self self', 'unexpected self'],
  ['has(self)', 'has() takes a field'],
  ["quantity('1Gi')", 'function quantity is not supported'],
  ["startsWith('a', 'b')", 'function startsWith is not supported'],
  ["self.name.startsWith('a', 'b')", "found no matching overload for 'startsWith'"],
  ['self.a / 2', 'unexpected /'],
  ['{"a" 1}', 'expected :, found 1'],
  ['self # 1', 'unexpected "#" at position 5'],
  ["'\\q'", 'unknown escape \\q'],
]
for (const [expression, message] of unreadable) {
  test(`${JSON.stringify(expression)} is not read`, () =>
    throws(
      () => parseCel(expression),
      (error) => error instanceof CelError && error.message === message,
    ))
}

test('knows which names an expression takes from outside', () => {
  deepEqual([...freeNames(parseCel('self.all(x, x == oldSelf.y) && z'))].sort(), ['oldSelf', 'self', 'z'])
})

test('binds as CEL does: && before ||, both after comparisons', () => {
  equal(evaluate('true || false && false'), true)
  equal(evaluate('1 + 1 == 2 && 3 > 2'), true)
})

const collections: [expression: string, value: unknown][] = [
  ["self.tags.map(tag, tag + '!')", ['a!', 'b!']],
  ["self.tags.filter(tag, tag != 'a')", ['b']],
  ['self.labels.map(key, self.labels[key]) == ["v", "c"]', true],
  ['[1, 2, 3].filter(x, x > 1).map(x, x - 1)', [1, 2]],
  ['[[1, 2], [3]].all(x, x.all(y, y > 0 && x.exists(z, z == y)))', true],
  ["matches('abc', '^a')", true],
]
for (const [expression, value] of collections)
  test(`reads ${expression}`, () => deepEqual(evaluate(expression, SELF), value))

// The examples are those of cel-go's ext/strings.go and of the Kubernetes documentation.
const library: [expression: string, value: unknown][] = [
  ["'hello'.charAt(4)", 'o'],
  ["'hello'.charAt(5)", ''],
  ["'hello mellow'.indexOf('')", 0],
  ["'hello mellow'.indexOf('ello')", 1],
  ["'hello mellow'.indexOf('jello')", -1],
  ["'hello mellow'.indexOf('ello', 2)", 7],
  ["'💾a'.indexOf('a')", 1],
  ["'hello mellow'.lastIndexOf('')", 12],
  ["'hello mellow'.lastIndexOf('ello')", 7],
  ["'hello mellow'.lastIndexOf('ello', 6)", 1],
  ["'TacoCÆt Xii'.lowerAscii()", 'tacocÆt xii'],
  ["'tacoCæt xii'.upperAscii()", 'TACOCæT XII'],
  ["'hello hello'.replace('he', 'we')", 'wello wello'],
  ["'hello hello'.replace('he', 'we', 1)", 'wello hello'],
  ["'hello hello'.replace('he', 'we', 0)", 'hello hello'],
  ["'hello hello'.replace('', '_')", '_h_e_l_l_o_ _h_e_l_l_o_'],
  ["'$&'.replace('$', '$&')", '$&&'],
  ["'hello hello hello'.split(' ')", ['hello', 'hello', 'hello']],
  ["'hello hello hello'.split(' ', 0)", []],
  ["'hello hello hello'.split(' ', 2)", ['hello', 'hello hello']],
  ["'tacocat'.substring(4)", 'cat'],
  ["'tacocat'.substring(0, 4)", 'taco'],
  ["'  \\ttrim\\n    '.trim()", 'trim'],
  ["['hello', 'mellow'].join()", 'hellomellow'],
  ["['hello', 'mellow'].join(' ')", 'hello mellow'],
  ['[].join()', ''],
  ['[1, 2, 3].isSorted() && ![3, 1].isSorted()', true],
  ['[1, 2, 3].sum() == 6 && [].sum() == 0', true],
  ["[3, 1, 2].min() == 1 && ['a', 'b'].max() == 'b'", true],
  ["['a', 'b', 'b', 'c'].indexOf('b') == 1 && ['a', 'b', 'b', 'c'].lastIndexOf('b') == 2", true],
]
for (const [expression, value] of library)
  test(`${expression} is ${JSON.stringify(value)}`, () => deepEqual(evaluate(expression), value))

const outOfRange: [expression: string, message: string][] = [
  ["'tacocat'.substring(40)", 'invalid substring range. start: 40, end: 7'],
  ["'tacocat'.substring(-1)", 'index out of range: -1'],
  ["'tacocat'.substring(2, 1)", 'invalid substring range. start: 2, end: 1'],
  ["'tacocat'.charAt(30)", 'index out of range: 30'],
  ["'tacocat'.indexOf('a', 30)", 'index out of range: 30'],
  ["[1, 'a'].max() == 1", 'no such overload'],
  ['[].min() == 1', 'min called on empty list'],
  ['[1].join()', 'no such overload'],
]
for (const [expression, message] of outOfRange)
  test(`${expression} has no value`, () => throws(() => evaluate(expression), new CelError(message)))

const tooDeep: [behaviour: string, expression: string][] = [
  ['parentheses', `${'('.repeat(1000)}true${')'.repeat(1000)}`],
  ['many more parentheses', '('.repeat(90_000)],
  ['lists', `${'['.repeat(1000)}1${']'.repeat(1000)}`],
  ['negations', `${'!'.repeat(1000)}true`],
  ['minus signs', `${'- '.repeat(1000)}1`],
  ['conditions', `${'true ? 1 : '.repeat(1000)}1`],
  ['sums', `${'1 + '.repeat(20_000)}1`],
  ['comparisons', `${'true == '.repeat(10_000)}true`],
  ['members', `self${'.a'.repeat(40_000)}`],
  ['indexes', `self${'[0]'.repeat(30_000)}`],
  ['methods', `self${'.size()'.repeat(10_000)}`],
  ['functions', `${'size('.repeat(10_000)}self`],
  ['macros', `${'self.all(x, '.repeat(5000)}true`],
]
for (const [behaviour, expression] of tooDeep) {
  test(`refuses ${behaviour} inside each other past CEL's own limit`, () => {
    throws(() => parseCel(expression), new CelError('ERROR: <input>:-1:0: expression recursion limit exceeded: 250'))
  })
}

test('reads what stands side by side, however long it is, up to the limit of CEL', () => {
  equal(evaluate(`${'true && '.repeat(10_000)}true`), true)
  equal(evaluate(`${'false || '.repeat(10_000)}true`), true)
  equal(evaluate(`size([${'1,'.repeat(10_000)}])`), 10_000)
  equal(evaluate(`${'('.repeat(200)}true${')'.repeat(200)}`), true)
  const message = 'ERROR: <input>:-1:0: expression code point size exceeds limit: size: 100001, limit 100000'
  throws(() => parseCel(`'${'a'.repeat(99_999)}'`), new CelError(message))
  equal(evaluate(`size('${'💾'.repeat(60_000)}')`), 60_000)
})

const cost = (expression: string, self: unknown): number => {
  const meter = new CostMeter(100_000_000)
  evaluate(expression, self, meter)
  return 100_000_000 - meter.left
}

// In Kubernetes these cost as much, or less: cel-go's interpreter/runtimecost.go.
const costs: [expression: string, self: unknown, least: number, most: number][] = [
  ['self.a.b == 1', { a: { b: 1 } }, 4, 4],
  ['has(self.a)', { a: 1 }, 2, 2],
  ["self.startsWith('a')", 'a'.repeat(1000), 101, 110],
  ["self.contains('aaaaaaaaaaaaaaaaaaaab')", 'a'.repeat(1000), 301, 310],
  ["self.matches('aaaab')", 'a'.repeat(1000), 202, 1000],
  ["self == 'b'", 'a'.repeat(1000), 2, 2],
  ['self == self', 'a'.repeat(1000), 102, 102],
  ['self + self != self', 'a'.repeat(1000), 303, 310],
  ['self == self', Array.from({ length: 1000 }, () => 1), 102, 1010],
  ['self == self', Object.fromEntries(Array.from({ length: 100 }, (_, index) => [index, 1])), 12, 310],
  ['1 in self', Array.from({ length: 1000 }, () => 0), 1001, 1010],
  ['[1, 2, 3] == [1, 2, 3]', undefined, 21, 40],
  ['self.all(x, x == 1)', Array.from({ length: 100 }, () => 1), 502, 510],
  ['self.exists(x, x == 2)', Array.from({ length: 100 }, () => 1), 602, 610],
  ['self.map(x, x)', Array.from({ length: 100 }, () => 1), 1301, 1310],
  ['size(self) > 0', 'a'.repeat(1000), 3, 110],
]
for (const [expression, self, least, most] of costs) {
  test(`${expression} costs at least what it costs in Kubernetes`, () => {
    const units = cost(expression, self)
    ok(units >= least && units <= most, `${units} units`)
  })
}

const numbers = Array.from({ length: 200 }, (_, index) => index)
const expensive: [behaviour: string, expression: string, self: unknown][] = [
  ['three loops inside each other', 'self.all(x, self.all(y, self.all(z, x + y + z >= 0)))', numbers],
  ['a loop that never decides', 'self.exists(x, self.exists(y, self.exists(z, x + y + z < 0)))', numbers],
  ['lists that are compared in a loop', 'self.all(x, self.all(y, self == self))', numbers],
  ['a list that grows in a loop', 'self.map(x, self.map(y, self + self)).size() > 0', numbers],
  ['a text that doubles', `size(self${'.map(x, x + x)'.repeat(30)}) > 0`, ['a'.repeat(1000)]],
  [
    'patterns from the object',
    'self.all(x, self.all(y, y.matches(x)))',
    numbers.map((number) => `(${number}|a*){100}b`),
  ],
  [
    'a search in a long text',
    'self.all(x, self.all(y, x.contains(y)))',
    Array.from({ length: 50 }, () => 'a'.repeat(20_000)),
  ],
  [
    'a text that is replaced by long ones',
    "self.map(x, x.replace('a', x)).map(x, x.replace('a', x)).map(x, x.replace('a', x)).size() > 0",
    Array.from({ length: 5 }, () => 'a'.repeat(1000)),
  ],
  [
    'a text that long ones are put into',
    "self.map(x, x.replace('', x)).map(x, x.replace('', x)).size() > 0",
    Array.from({ length: 5 }, () => 'a'.repeat(3000)),
  ],
  [
    'a search for a part that almost stands everywhere',
    'self.all(x, x.indexOf(x.substring(1000) + "b") < 0)',
    Array.from({ length: 20 }, () => 'a'.repeat(4000)),
  ],
  [
    'texts that are split in a loop',
    'self.all(x, self.all(y, size(x.split("a").join(y)) > 0))',
    Array.from({ length: 50 }, () => 'a'.repeat(1000)),
  ],
  [
    'large objects that are compared in a loop',
    'self.all(x, self.all(y, x == y))',
    numbers.map(() => ({ a: numbers, b: { c: numbers } })),
  ],
  [
    'the keys of a large object in a loop',
    'self.all(x, self.all(y, size(self) > 0))',
    Object.fromEntries(numbers.map((number) => [number, number])),
  ],
]
for (const [behaviour, expression, self] of expensive) {
  test(`stops ${behaviour}`, () =>
    throws(() => evaluate(expression, self, new CostMeter(1_000_000)), CostExceededError))
}

test('an error that is made up for costs what throwing it takes', () => {
  ok(
    cost('self.exists(x, x.nope || x.yes)', Array.from({ length: 10 }, () => ({ yes: false })).concat({ yes: true })) >
      3000,
  )
})

test('neither && nor || nor a macro makes up for a cost that is exceeded', () => {
  const loop = 'self.all(x, self.all(y, x + y >= 0))'
  for (const expression of [
    `${loop} || true`,
    `true || true && ${loop} || !(${loop})`.replace('true || true', 'false || true'),
    `[1].exists(i, ${loop}) || true`,
  ]) {
    throws(() => evaluate(expression, numbers, new CostMeter(10_000)), CostExceededError)
  }
  throws(() => evaluate(`self.nope || ${loop} || true`, numbers, new CostMeter(10_000)), CostExceededError)
})
