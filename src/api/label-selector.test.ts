import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { LabelRequirement } from './label-requirement.ts'
import {
  formatLabelSelector,
  labelRequirementsOf,
  matchesLabelSelector,
  parseLabelSelector,
  selectsLabels,
} from './label-selector.ts'
import { SelectorError } from './selector-error.ts'

const matches = (text: string, labels: Record<string, string>): boolean =>
  matchesLabelSelector(parseLabelSelector(text), labels)

const parsed: [text: string, formatted: string][] = [
  ['', ''],
  [' \t', ''],
  ['a', 'a'],
  ['!a', '!a'],
  ['! a', '!a'],
  ['a=b', 'a=b'],
  [' a = b , c ', 'a=b,c'],
  ['a==b', 'a==b'],
  ['a!=b', 'a!=b'],
  ['a=', 'a='],
  ['a=,b', 'a=,b'],
  ['a in (x,y)', 'a in (x,y)'],
  ['a in(y,x,y)', 'a in (x,y)'],
  ['a notin (z)', 'a notin (z)'],
  ['a in ()', 'a in ()'],
  ['a in (,)', 'a in ()'],
  ['a in (x,)', 'a in (,x)'],
  ['a in (x,,y)', 'a in (,x,y)'],
  ['a>1', 'a>1'],
  ['a<1', 'a<1'],
  ['in in (in,notin)', 'in in (in,notin)'],
  ['notin', 'notin'],
  ['b=1,a=2', 'a=2,b=1'],
  ['example.com/a=b', 'example.com/a=b'],
  ['a=b,c!=d,e in (x,y),f notin (z),g,!h', 'a=b,c!=d,e in (x,y),f notin (z),g,!h'],
]
for (const [text, formatted] of parsed)
  test(`understands ${JSON.stringify(text)}`, () =>
    assert.equal(formatLabelSelector(parseLabelSelector(text)), formatted))

const NAME_RULE =
  "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"
const VALUE_RULE =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"

const refused: [text: string, message: string][] = [
  [',', "found ',', expected: !, identifier, or 'end of string'"],
  ['=a', "found '=', expected: !, identifier, or 'end of string'"],
  ['a,', "found '', expected: identifier after ','"],
  ['a,,b', "found ',', expected: identifier after ','"],
  ['!a=b', "found '=', expected: ',' or 'end of string'"],
  ['a=b c', "found 'c', expected: ',' or 'end of string'"],
  ['!', "unable to parse requirement: found '', expected: identifier"],
  ['a b', "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt"],
  ['a===b', "unable to parse requirement: found '=', expected: identifier"],
  ['a in x', "unable to parse requirement: found 'x' expected: '('"],
  ['a in', "unable to parse requirement: found '' expected: '('"],
  ['a in (', "unable to parse requirement: found '', expected: ',', ')' or identifier"],
  ['a in (x', "unable to parse requirement: found '', expected: ',' or ')'"],
  ['a in (x y)', "unable to parse requirement: found 'y', expected: ',' or ')'"],
  ['a in (x,=)', "unable to parse requirement: found '=', expected: ',', or identifier"],
  ['-a', `unable to parse requirement: <nil>: Invalid value: "-a": ${NAME_RULE}`],
  ['a=b-', `unable to parse requirement: values[0][a]: Invalid value: "b-": ${VALUE_RULE}`],
  ['a in (x,y-)', `unable to parse requirement: values[1][a]: Invalid value: "y-": ${VALUE_RULE}`],
  [
    'a>b',
    `unable to parse requirement: values[0]: Invalid value: "b": for 'Gt', 'Lt' operators, the value must be an integer`,
  ],
]
for (const [text, message] of refused) {
  test(`refuses ${JSON.stringify(text)} in the words of Kubernetes`, () => {
    assert.throws(
      () => parseLabelSelector(text),
      (error) => error instanceof SelectorError && assert.equal(error.message, message) === undefined,
    )
  })
}

const matching: [text: string, labels: Record<string, string>, picked: boolean][] = [
  ['', {}, true],
  ['a', { a: '' }, true],
  ['a', {}, false],
  ['!a', {}, true],
  ['!a', { a: '' }, false],
  ['a=b', { a: 'b' }, true],
  ['a=b', {}, false],
  ['a=', { a: '' }, true],
  ['a=', {}, false],
  ['a!=b', {}, true],
  ['a!=b', { a: 'b' }, false],
  ['a in (x,y)', { a: 'y' }, true],
  ['a in (x,y)', {}, false],
  ['a notin (x,y)', {}, true],
  ['a notin (x,y)', { a: 'x' }, false],
  ['a>5', { a: '10' }, true],
  ['a>5', { a: '5' }, false],
  ['a>5', { a: 'x' }, false],
  ['a>5', {}, false],
  ['a<5', { a: '-10' }, true],
  ['a<5', { a: '9223372036854775808' }, false],
  ['a=b,c=d', { a: 'b' }, false],
  ['a=b,c=d', { a: 'b', c: 'd', e: 'f' }, true],
  ['constructor', {}, false],
  ['!toString', {}, true],
]
for (const [text, labels, picked] of matching) {
  test(`${JSON.stringify(text)} ${picked ? 'picks' : 'leaves'} ${JSON.stringify(labels)}`, () =>
    assert.equal(matches(text, labels), picked))
}

test('an object without labels is like one whose labels are empty', () => {
  assert.equal(matchesLabelSelector(parseLabelSelector('!a'), undefined), true)
  assert.equal(matchesLabelSelector(parseLabelSelector('a'), undefined), false)
})

const word = fc.constantFrom('a', 'b', 'in', 'notin', 'x1', 'example.com/k')
const value = fc.constantFrom('', 'a', 'b', 'in', '7', '12')
const requirement: fc.Arbitrary<LabelRequirement> = fc
  .oneof(
    fc.tuple(word, fc.constantFrom('=' as const, '==' as const, '!=' as const), fc.tuple(value)),
    fc.tuple(
      word,
      fc.constantFrom('in' as const, 'notin' as const),
      fc.uniqueArray(value, { minLength: 1 }).map((values) => values.sort()),
    ),
    fc.tuple(word, fc.constantFrom('exists' as const, '!' as const), fc.constant([])),
    fc.tuple(
      word,
      fc.constantFrom('>' as const, '<' as const),
      fc.nat(99).map((number) => [`${number}`]),
    ),
  )
  .map(([key, operator, values]) => ({ key, operator, values }))

test('what is formatted is understood as the same', () => {
  fc.assert(
    fc.property(fc.array(requirement, { maxLength: 4 }), (requirements) => {
      const sorted = requirements.toSorted((one, other) => (one.key < other.key ? -1 : one.key > other.key ? 1 : 0))
      assert.deepEqual(parseLabelSelector(formatLabelSelector(sorted)), sorted)
    }),
  )
})

test('any text is either understood or refused with a SelectorError', () => {
  const text = fc
    .array(fc.constantFrom('a', 'b', 'in', 'notin', ' ', ',', '=', '!', '(', ')', '<', '>', '-', '"', 'é'))
    .map((parts) => parts.join(''))
  fc.assert(
    fc.property(text, (query) => {
      try {
        assert.ok(Array.isArray(parseLabelSelector(query)))
      } catch (error) {
        assert.ok(error instanceof SelectorError, String(error))
      }
    }),
  )
})

test('a selector that is left out picks nothing, an empty one everything', () => {
  assert.equal(selectsLabels(undefined, { a: 'b' }), false)
  assert.equal(selectsLabels({}, { a: 'b' }), true)
  assert.equal(selectsLabels({}, undefined), true)
  assert.equal(selectsLabels({ matchLabels: {}, matchExpressions: [] }, {}), true)
})

test('labels and expressions of a selector must all hold', () => {
  const selector = {
    matchLabels: { a: 'b' },
    matchExpressions: [{ key: 'c', operator: 'NotIn', values: ['d', 'e'] }],
  } as const
  assert.equal(formatLabelSelector(labelRequirementsOf(selector)), 'a=b,c notin (d,e)')
  assert.equal(selectsLabels(selector, { a: 'b' }), true)
  assert.equal(selectsLabels(selector, { a: 'b', c: 'd' }), false)
  assert.equal(selectsLabels(selector, { c: 'x' }), false)
  assert.equal(selectsLabels({ matchExpressions: [{ key: 'a', operator: 'Exists' }] }, { a: '' }), true)
  assert.equal(selectsLabels({ matchExpressions: [{ key: 'a', operator: 'DoesNotExist' }] }, { a: '' }), false)
})

test('a selector that makes no sense is refused', () => {
  const empty = { matchExpressions: [{ key: 'a', operator: 'In' }] } as const
  assert.throws(() => labelRequirementsOf(empty), {
    name: 'SelectorError',
    message: "values: Invalid value: null: for 'in', 'notin' operators, values set can't be empty",
  })
  const odd = { matchExpressions: [{ key: 'a', operator: 'Gt' as 'In', values: ['1'] }] }
  assert.throws(() => labelRequirementsOf(odd), {
    name: 'SelectorError',
    message: '"Gt" is not a valid label selector operator',
  })
  const surplus = { matchExpressions: [{ key: '-', operator: 'Exists', values: ['x'] }] } as const
  assert.throws(() => labelRequirementsOf(surplus), {
    message: `[key: Invalid value: "-": ${NAME_RULE}, values: Invalid value: ["x"]: values set must be empty for exists and does not exist]`,
  })
})
