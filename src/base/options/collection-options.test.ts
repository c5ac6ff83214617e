import { deepEqual, equal, throws } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { list, map } from './collection-options.ts'
import type { Option } from './option.ts'
import { ValueError } from './value-error.ts'

const repeatedOnly = { separator: null } as const
const lastWins = { repeated: false } as const
const colons = { pairSeparator: ':', exactlyOne: true } as const
const pairs = (record: Record<string, string>): Record<string, string> => record

const right: [behaviour: string, option: Option<unknown>, words: string[], value: unknown][] = [
  ['a list splits at commas and adds up', list(['z'], 'List.'), ['a, b', 'c'], ['a', 'b', 'c']],
  ['a list given as nothing is empty', list(['z'], 'List.'), [''], []],
  ['a list without separator takes each word whole', list([], 'List.', repeatedOnly), ['a,b', 'c'], ['a,b', 'c']],
  ['a list that is not repeated keeps the last word', list([], 'List.', lastWins), ['a,b', 'c,d'], ['c', 'd']],
  ['a list that is not repeated can be emptied again', list([], 'List.', lastWins), ['a,b', ''], []],
  ['a list has a separator of its own', list([], 'List.', { separator: ';' }), ['a,b;c'], ['a,b', 'c']],
  ['a list can pass over nothing between commas', list([], 'List.', { skipEmpty: true }), [',a,,b,'], ['a', 'b']],
  ['a list of choices takes them', list([], 'List.', { choices: ['a', 'b'] }), ['b,a'], ['b', 'a']],
  [
    'a map splits at commas and adds up',
    map({ z: '0' }, 'Map.'),
    ['a=1, b = 2', 'c=3'],
    pairs({ a: '1', b: '2', c: '3' }),
  ],
  ['the first equals sign counts', map({}, 'Map.'), ['a=b=c'], pairs({ a: 'b=c' })],
  ['a value may be empty', map({}, 'Map.'), ['a='], pairs({ a: '' })],
  ['of equal keys the last one wins', map({}, 'Map.'), ['a=1,a=2'], pairs({ a: '2' })],
  ['a map given as nothing is empty', map({ z: '0' }, 'Map.'), [''], pairs({})],
  ['a map has a separator of its own', map({}, 'Labels.', colons), ['app:x,tier:y'], pairs({ app: 'x', tier: 'y' })],
  [
    'a map without separator takes each word whole',
    map({}, 'Map.', repeatedOnly),
    ['a=1,2', 'b=3'],
    pairs({ a: '1,2', b: '3' }),
  ],
]

const wrong: [behaviour: string, option: Option<unknown>, words: string[], problems: string[]][] = [
  [
    'a list has no empty items',
    list([], 'List.'),
    ['a,,b,'],
    ['an item of the list is empty', 'an item of the list is empty'],
  ],
  [
    'a list of choices names each stranger',
    list([], 'List.', { choices: ['a', 'b'] }),
    ['x,a', 'y'],
    ['"x" is not one of a, b', '"y" is not one of a, b'],
  ],
  [
    'words that do not count have to be right too',
    list([], 'List.', { ...lastWins, choices: ['a'] }),
    ['x', 'a'],
    ['"x" is not one of a'],
  ],
  ['a required list has at least one item', list.required('List.'), [''], ['at least one value is required']],
  ['a required map has at least one pair', map.required('Map.'), [''], ['at least one value is required']],
  ['a pair has its separator', map({}, 'Map.'), ['a'], ['"a" is not a pair: "=" has to stand between key and value']],
  ['a pair has a key', map({}, 'Map.'), ['=a'], ['"=a" is not a pair: the key is empty']],
  [
    'exactly one separator where that is asked',
    map({}, 'Labels.', colons),
    ['a:b:c'],
    ['"a:b:c" has more than one ":"'],
  ],
]

describe('options with several values', () => {
  for (const [behaviour, option, words, value] of right) test(behaviour, () => deepEqual(option.read(words), { value }))
  for (const [behaviour, option, words, problems] of wrong)
    test(behaviour, () => deepEqual(option.read(words), { problems }))

  test('a key that objects inherit is a key like any other', () => {
    const reading = map({}, 'Map.').read(['__proto__=x,constructor=y'])
    deepEqual('value' in reading && Object.entries(reading.value), [
      ['__proto__', 'x'],
      ['constructor', 'y'],
    ])
  })

  test('the default is shown as it would be typed', () => {
    equal(list(['a', 'b'], 'List.').fallbackText, 'a,b')
    equal(map({ a: '1', b: '2' }, 'Map.', colons).fallbackText, 'a:1,b:2')
    equal(list([], 'List.').fallbackText, undefined)
  })

  test('a default with an empty item fails where it is written', () => throws(() => list([''], 'List.'), ValueError))
})
