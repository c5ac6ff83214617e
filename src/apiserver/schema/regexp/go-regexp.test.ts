import { equal, match, ok, throws } from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { CostExceededError, CostMeter } from '../cost-meter.ts'
import { GoRegExp } from './go-regexp.ts'

const BUDGET = 1_000_000
const unitsOf = (expression: GoRegExp, text: string): number => {
  const meter = new CostMeter(BUDGET)
  expression.test(text, meter)
  return BUDGET - meter.left
}
const isMatch = (pattern: string, text: string): boolean => new GoRegExp(pattern).test(text, new CostMeter(BUDGET))

const matched: [pattern: string, text: string, isMatch: boolean][] = [
  ['^[a-z]+$', 'abc', true],
  ['^[a-z]+$', 'abc\n', false],
  ['(?i)^abc$', 'ABC', true],
  ['a(?i)b', 'aB', true],
  ['a(?i:b)c', 'aBC', false],
  ['^[[:alpha:]]+$', 'abc', true],
  ['^[[:^alpha:]]+$', '123', true],
  ['^[[:digit:]x]+$', '1x', true],
  ['\\Aa\\z', 'a', true],
  ['\\Aa\\z', 'ba', false],
  ['^\\\\A$', '\\A', true],
  ['^a\\-b$', 'a-b', true],
  ['^(?P<name>a)$', 'a', true],
  ['^(?<name>a)$', 'a', true],
  ['^\\pL+$', 'ä', true],
  ['^\\p{Greek}+$', 'αβγ', true],
  ['^.$', '💾', true],
  ['^..$', '💾', false],
  ['(?m)^b$', 'a\nb\nc', true],
  ['^b$', 'a\nb\nc', false],
  ['(?s)a.b', 'a\nb', true],
  ['a.b', 'a\nb', false],
  ['\\bfoo\\b', 'a foo b', true],
  ['\\bfoo\\b', 'afoo b', false],
  ['\\Bfoo', 'afoo', true],
  ['^$', '', true],
  ['', 'anything', true],
  ['^\\x{1F4BE}$', '💾', true],
  ['^\\Qa.b\\E$', 'a.b', true],
  ['^\\Qa.b\\E$', 'axb', false],
  ['^(?:a|b)*c{2,3}$', 'ababcc', true],
  ['^(?:a|b)*c{2,3}$', 'ababcccc', false],
  ['^\\s$', '\u00a0', false],
]
for (const [pattern, text, expected] of matched) {
  test(`${pattern} ${expected ? 'takes' : 'does not take'} ${JSON.stringify(text)}`, () =>
    equal(isMatch(pattern, text), expected))
}

const refused: [pattern: string, problem: string][] = [
  ['(', 'error parsing regexp: missing closing ): `(`'],
  ['[', 'error parsing regexp: missing closing ]: `[`'],
  ['(?=a)', 'error parsing regexp: invalid or unsupported Perl syntax: `(?=`'],
  ['(?!a)', 'error parsing regexp: invalid or unsupported Perl syntax: `(?!`'],
  ['(?<=a)b', 'error parsing regexp: invalid named capture: `(?<=a)b`'],
  ['(a)\\1', 'error parsing regexp: invalid escape sequence: `\\1`'],
  ['a**', 'error parsing regexp: invalid nested repetition operator: `**`'],
  ['a{1001}', 'error parsing regexp: invalid repeat count: `{1001}`'],
  ['a{1000}{1000}', 'error parsing regexp: expression too large'],
  ['((a{100}){100}){100}', 'error parsing regexp: expression too large'],
  ['(?:\\pL{1000}){1000}', 'error parsing regexp: expression too large'],
  ['a{1000}'.repeat(7), 'error parsing regexp: expression too large'],
  ['a'.repeat(7000), 'error parsing regexp: expression too large'],
  ['('.repeat(900) + 'a' + ')'.repeat(900), 'error parsing regexp: expression too large'],
  ['('.repeat(100_000), 'error parsing regexp: expression too large'],
]
for (const [pattern, problem] of refused) {
  test(`${pattern.slice(0, 40)} is refused in Go's words`, () => {
    equal(new GoRegExp(pattern).problem, problem)
    equal(isMatch(pattern, 'a'), false)
  })
}

const taken = [
  '^[a-z]{1,253}$',
  '^.{0,1000}$',
  '^\\pL{1000}$',
  '^(?:a?){900}$',
  `^(${'[0-9a-fA-F]{1,4}:'.repeat(7)}[0-9a-fA-F]{1,4})$`,
]
for (const pattern of taken)
  test(`${pattern.slice(0, 40)} is not too large`, () => equal(new GoRegExp(pattern).problem, undefined))

const ambiguous: [pattern: string, text: string][] = [
  ['.*.*.*=.*', 'x'.repeat(3000)],
  ['(x+x+)+y', 'x'.repeat(3000)],
  ['^(a|aa)+$', `${'a'.repeat(3000)}b`],
  ['^(([a-z])+.)+[A-Z]([a-z])+$', 'a'.repeat(3000)],
]
for (const [pattern, text] of ambiguous) {
  test(`${pattern} does not backtrack`, () => {
    equal(isMatch(pattern, text), false)
    ok(unitsOf(new GoRegExp(pattern), text) < 5000)
  })
}

test('the time that an expression takes is linear in the text', () => {
  const expression = new GoRegExp('[ab]*a[ab]{8}c')
  const text = 'abaabbabbb'.repeat(1000)
  unitsOf(expression, text)
  const once = unitsOf(expression, text)
  ok(unitsOf(expression, text.repeat(4)) < 4.1 * once)
})

test('an expression that needs a new state for each character is stopped by the budget', () => {
  // The last 200 characters matter at each place, and they never repeat.
  let text = ''
  for (let seed = 1; text.length < 20_000; seed = (seed * 48_271) % 2_147_483_647) text += seed % 2 === 0 ? 'a' : 'b'
  const meter = new CostMeter(BUDGET)
  throws(() => new GoRegExp('[ab]*a[ab]{200}c').test(text, meter), CostExceededError)
  ok(meter.left <= 0)
})

test('a text that is longer than the budget is not looked at', () => {
  throws(() => new GoRegExp('a').test('x'.repeat(5_000_000), new CostMeter(BUDGET)), CostExceededError)
})

test('an expression that forgot its states finds them again', () => {
  const expression = new GoRegExp('^(?:[ab]*a[ab]{12}c|done)$')
  const text = Array.from({ length: 3000 }, (_, index) =>
    (index * index * 31 + (index >> 3)) % 7 < 3 ? 'a' : 'b',
  ).join('')
  const meter = new CostMeter(Number.POSITIVE_INFINITY)
  for (let round = 0; round < 5; round++) {
    equal(expression.test(`${text}a${'b'.repeat(12)}c`, meter), true)
    equal(expression.test(`${text}b${'b'.repeat(12)}c`, meter), false)
    equal(expression.test('done', meter), true)
  }
})

test('judges as JavaScript does where both have the same syntax', () => {
  const atom = fc.constantFrom('a', 'b', '.', '[ab]', '[^a]', '\\w', '\\d', '^', '$', '\\b', '\\B', ' ')
  const pattern = fc.letrec<{ pattern: string }>((tie) => ({
    pattern: fc.oneof(
      { depthSize: 'small' },
      atom,
      fc.tuple(tie('pattern'), tie('pattern')).map(([left, right]) => left + right),
      fc.tuple(tie('pattern'), tie('pattern')).map(([left, right]) => `(${left}|${right})`),
      fc
        .tuple(tie('pattern'), fc.constantFrom('*', '+', '?', '{2}', '{1,3}', '*?'))
        .map(([inner, sign]) => `(?:${inner})${sign}`),
    ),
  })).pattern
  fc.assert(
    fc.property(
      pattern,
      fc.string({ unit: fc.constantFrom('a', 'b', '1', ' ', '\n', 'é'), maxLength: 8 }),
      (source, text) => {
        equal(isMatch(source, text), new RegExp(source).test(text), `${source} on ${JSON.stringify(text)}`)
      },
    ),
    { numRuns: 500 },
  )
})

test('the message of what is no expression ends where Go ends it', () =>
  match(new GoRegExp('a)').problem ?? '', /^error parsing regexp: unexpected \): `a\)`$/))
