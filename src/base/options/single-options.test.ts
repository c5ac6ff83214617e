import { deepEqual, equal, throws } from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Option } from './option.ts'
import { choice, count, decimal, duration, flag, integer, path, quantity, text } from './single-options.ts'
import { ValueError } from './value-error.ts'

const right: [behaviour: string, option: Option<unknown>, words: string[], value: unknown][] = [
  ['text is taken as it is', text('', 'Text.'), [' a=b,c '], ' a=b,c '],
  ['text with a default can be emptied', text('pvc', 'Text.'), [''], ''],
  ['optional text given as nothing is not given', text.optional('Text.'), [''], undefined],
  ['an optional path given as nothing is not given', path.optional('Path.'), [''], undefined],
  ['a path may be an address', path('', 'Path.'), ['unix:///run/x'], 'unix:///run/x'],
  ['the last word wins', count(1, 'Count.'), ['2', '3'], 3],
  ['a count may be 0', count(1, 'Count.'), ['0'], 0],
  ['an integer may be below zero', integer(0, 'Integer.'), ['-1'], -1],
  ['an integer may carry a plus', integer(0, 'Integer.'), ['+1'], 1],
  ['minus zero is zero', integer(1, 'Integer.'), ['-0'], 0],
  ['a decimal has a fraction', decimal(5, 'Rate.'), ['2.5'], 2.5],
  ['a decimal may have an exponent', decimal(5, 'Rate.'), ['1e3'], 1000],
  ['a decimal may be below zero', decimal(5, 'Rate.'), ['-.5'], -0.5],
  ['a duration is in milliseconds', duration('15s', 'Wait.'), ['1m30s'], 90_000],
  ['a duration may be 0', duration('15s', 'Wait.'), ['0'], 0],
  ['a duration is negative where that is said', duration('15s', 'Wait.', { negative: true }), ['-1s'], -1_000],
  ['a quantity is in bytes, exactly', quantity('1Gi', 'Size.'), ['9007199254740993'], 9_007_199_254_740_993n],
  ['a choice is one of its words', choice(['text', 'json'], 'text', 'Form.'), ['json'], 'json'],
]

const wrong: [behaviour: string, option: Option<unknown>, words: string[], problems: string[]][] = [
  [
    'every word has to be right, though the last wins',
    count(1, 'Count.'),
    ['x', '2', ''],
    ['"x" is not a whole number', '"" is not a whole number'],
  ],
  ['a count is not below zero', count(1, 'Count.'), ['-1'], ['"-1" is too small: the minimum is 0']],
  [
    'the least of a count is never below zero',
    count(1, 'Count.', { minimum: -5 }),
    ['-1'],
    ['"-1" is too small: the minimum is 0'],
  ],
  ['bounds are kept below', integer(1, 'Level.', { minimum: -1 }), ['-2'], ['"-2" is too small: the minimum is -1']],
  [
    'bounds are kept above',
    count(1, 'Port.', { maximum: 65_535 }),
    ['65536'],
    ['"65536" is too large: the maximum is 65535'],
  ],
  ['a whole number has no fraction', integer(0, 'Integer.'), ['1.5'], ['"1.5" is not a whole number']],
  [
    'a leading zero is refused, as Go would read it as octal',
    integer(0, 'Integer.'),
    ['010'],
    ['"010" is not a whole number'],
  ],
  ['a whole number is not hexadecimal', integer(0, 'Integer.'), ['0x10'], ['"0x10" is not a whole number']],
  [
    'a whole number is exact',
    integer(0, 'Integer.'),
    ['9007199254740993'],
    ['"9007199254740993" is too large: the maximum is 9007199254740991'],
  ],
  [
    'a decimal is finite',
    decimal(5, 'Rate.'),
    ['Infinity', '1e999', 'NaN'],
    ['Infinity', '1e999', 'NaN'].map((word) => `"${word}" is not a number`),
  ],
  ['a decimal is not nothing', decimal(5, 'Rate.'), ['', ' 1'], ['"" is not a number', '" 1" is not a number']],
  ['a duration is not negative', duration('15s', 'Wait.'), ['-1s'], ['"-1s" is too short: the minimum is 0s']],
  [
    'a duration keeps its least',
    duration('15s', 'Wait.', { minimum: '1s' }),
    ['10ms'],
    ['"10ms" is too short: the minimum is 1s'],
  ],
  [
    'a duration has a unit',
    duration('15s', 'Wait.'),
    ['5'],
    ['"5" is not a duration: 5 has no unit (h, m, s, ms, us or ns)'],
  ],
  ['a quantity is not negative', quantity('1Gi', 'Size.'), ['-1'], ['"-1" is too small: the minimum is 0']],
  [
    'a choice is none but its words',
    choice(['text', 'json'], 'text', 'Form.'),
    ['JSON'],
    ['"JSON" is not one of text, json'],
  ],
  [
    'a boolean is not yes',
    flag(false, 'Flag.'),
    ['yes', ''],
    ['"yes" is neither true nor false', '"" is neither true nor false'],
  ],
  ['required text is not empty', text.required('Text.'), [''], ['the value is empty']],
  [
    'long words are cut and stay on one line',
    count(1, 'Count.'),
    [`a\n${'b'.repeat(100)}`],
    [`"a\\n${'b'.repeat(57)}…" is not a whole number`],
  ],
]

describe('options with one value', () => {
  const boolean = flag(false, 'Flag.')
  for (const word of ['1', 't', 'T', 'true', 'TRUE', 'True'])
    test(`${word} is true`, () => deepEqual(boolean.read([word]), { value: true }))
  for (const word of ['0', 'f', 'F', 'false', 'FALSE', 'False'])
    test(`${word} is false`, () => deepEqual(boolean.read([word]), { value: false }))
  for (const [behaviour, option, words, value] of right) test(behaviour, () => deepEqual(option.read(words), { value }))
  for (const [behaviour, option, words, problems] of wrong)
    test(behaviour, () => deepEqual(option.read(words), { problems }))

  test('a default that breaks the rules of its option fails where it is written', () => {
    throws(() => count(-1, 'Count.'), ValueError)
    throws(() => duration('15', 'Wait.'), ValueError)
    throws(() => quantity('1GB', 'Size.'), ValueError)
  })

  test('the example is the default, unless that says little', () => {
    equal(duration('1m', 'Wait.').example, '1m')
    equal(duration('0s', 'Wait.').example, '15s')
    equal(count(0, 'Port.', { minimum: 0, maximum: 5 }).example, '5')
    equal(path.required('Socket.', { example: '/run/x.sock' }).example, '/run/x.sock')
  })
})
