import { deepEqual, equal, throws } from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { JsonSyntaxError } from './json-syntax-error.ts'
import { parseJson } from './parse-json.ts'
import { parseExactJson } from '../../api/exact-json.ts'
import { readJson } from './read-json.ts'

const messageOf = (text: string): string => {
  try {
    parseJson(text)
  } catch (error) {
    if (error instanceof JsonSyntaxError) return error.message
    throw error
  }
  throw new Error(`${text} was read`)
}

test('reads what the engine reads, by either way', () => {
  fc.assert(
    fc.property(fc.json(), (text) => {
      deepEqual(parseJson(text), { value: parseExactJson(text), duplicateFields: [] })
      deepEqual(readJson(text), { value: parseExactJson(text), duplicateFields: [] })
    }),
  )
})

const duplicates: [behaviour: string, text: string, fields: string[]][] = [
  ['names an equal key with its path', '{"metadata":{"labels":{"a":"1","b":"2","a":"3"}}}', ['metadata.labels.a']],
  [
    'numbers the items of lists',
    '{"spec":{"containers":[{"name":"x"},{"image":"i","name":"a","name":"b"}]}}',
    ['spec.containers[1].name'],
  ],
  ['sees equal keys that are written differently', '{"ab":1,"\\u0061b":2}', ['ab']],
  ['is not misled by colons and braces inside strings', '{"a":"x:y{\\"b\\":1}","c\\\\":"\\\\"}', []],
  ['sees a duplicate behind a text full of escapes', '{"a":"\\\\\\"","b:":[":","\\\\"],"a":2}', ['a']],
  ['allows the same key in different objects', '{"a":{"k":1},"b":{"k":1},"c":[{"k":1},{"k":2}]}', []],
  ['names a key that stands three times twice', '{"a":1,"a":2,"a":3}', ['a', 'a']],
]
for (const [behaviour, text, fields] of duplicates) {
  test(`${behaviour}: ${text}`, () => {
    const parsed = parseJson(text)
    deepEqual(parsed.duplicateFields, fields)
    deepEqual(parsed.value, JSON.parse(text)) // the last one is taken
  })
}

test('keeps a member called __proto__ as a member', () => {
  for (const text of ['{"__proto__":{"a":1}}', '{"__proto__":{"a":1},"b":1,"b":2}']) {
    const { value } = parseJson(text)
    equal(Object.getPrototypeOf(value), Object.prototype)
    deepEqual(Object.keys(value as object)[0], '__proto__')
  }
})

const mistakes: [text: string, message: string][] = [
  ['', 'unexpected end of JSON input'],
  ['{"a":', 'unexpected end of JSON input'],
  ['{"a":"b', 'unexpected end of JSON input'],
  ['{"a":1}}', "invalid character '}' after top-level value"],
  ['{a:1}', "invalid character 'a' looking for beginning of object key string"],
  ['{"a":1,}', "invalid character '}' looking for beginning of object key string"],
  ['{"a" 1}', "invalid character '1' after object key"],
  ['{"a":1 "b":2}', `invalid character '"' after object key:value pair`],
  ['[1 2]', "invalid character '2' after array element"],
  ['[1,]', "invalid character ']' looking for beginning of value"],
  ["{'a':1}", "invalid character '\\'' looking for beginning of object key string"],
  ['{"a":tru}', "invalid character '}' in literal true (expecting 'e')"],
  ['{"a":01}', "invalid character '1' after object key:value pair"],
  ['{"a":-}', "invalid character '}' in numeric literal"],
  ['{"a":1.}', "invalid character '}' after decimal point in numeric literal"],
  ['{"a":1e}', "invalid character '}' in exponent of numeric literal"],
  ['{"a":"\\x"}', "invalid character 'x' in string escape code"],
  ['{"a":"\\u00g0"}', "invalid character 'g' in \\u hexadecimal character escape"],
  ['{"a":"\n"}', "invalid character '\\n' in string literal"],
  ['apiVersion: v1', "invalid character 'a' looking for beginning of value"],
]
for (const [text, message] of mistakes)
  test(`words the mistake in ${JSON.stringify(text)} as Go does`, () => equal(messageOf(text), message))

test('keeps every digit of a whole number of 64 bits, and refuses more', () => {
  equal(
    messageOf('{"spec":{"a":[99007199254740993000]}}'),
    'number 99007199254740993000 at spec.a[0] has more than 64 bits',
  )
  deepEqual(parseJson('{"creationTime":1767225600123456789}').value, { creationTime: 1767225600123456789n })
})

test('takes long numbers, and rounds fractions as every reader of JSON does', () => {
  deepEqual(
    parseJson('{"a":1152921504606846976,"b":9007199254740991,"c":0.12345678901234567890,"d":"12345678901234567890"}')
      .value,
    {
      a: 2n ** 60n,
      b: 9007199254740991,
      c: 0.12345678901234568,
      d: '12345678901234567890',
    },
  )
})

test('refuses what is nested too deeply, also where the text is broken', () => {
  const deep = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels)
  equal(messageOf(deep(1001)), 'exceeded max depth')
  equal(messageOf('['.repeat(100_000)), 'exceeded max depth')
  equal(messageOf('{"a":'.repeat(100_000)), 'exceeded max depth')
  deepEqual(parseJson(deep(1000)).duplicateFields, [])
})

test('stops listing after a hundred duplicates', () => {
  const text = `{${Array.from({ length: 300 }, () => '"a":1').join(',')}}`
  equal(parseJson(text).duplicateFields.length, 100)
  throws(() => parseJson(`${text}x`), JsonSyntaxError)
})

test('refuses a text of too many values before it is parsed, and counts nothing inside of strings', () => {
  const items = (count: number): string => `[${Array.from({ length: count }, () => '{}').join(',')}]`
  throws(
    () => parseJson(items(50_001)),
    /^ApiError: Request entity too large: more than 50000 fields and list items$|more than 50000/,
  )
  // Broken at its end, which nobody comes to see.
  throws(() => parseJson(items(50_001).slice(0, -1)), /more than 50000/)
  deepEqual(parseJson(JSON.stringify({ text: ',[{'.repeat(50_000) })).duplicateFields, [])
})
