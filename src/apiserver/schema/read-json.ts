import { int64Of } from '../../api/int64.ts'
import type { Int64 } from '../../api/int64.ts'
import { formatPath } from './field-path.ts'
import { setMember } from './json.ts'
import type { JsonObject } from './json.ts'
import { JsonSyntaxError, MOST_LEVELS } from './json-syntax-error.ts'

type Reader = {
  readonly text: string
  at: number
  readonly path: (string | number)[]
  readonly duplicateFields: string[]
}

const MOST_DUPLICATES = 100

/**
 * Parses JSON member by member: slower than the engine's parser, but it detects duplicate keys and numbers that lose digits, and reports mistakes
 * with Go's messages.
 */
export function readJson(text: string): { value: unknown; duplicateFields: string[] } {
  const reader: Reader = { text, at: 0, path: [], duplicateFields: [] }
  const value = readValue(reader)
  skipSpace(reader)
  if (reader.at < text.length) unexpected(reader, 'after top-level value')
  return { value, duplicateFields: reader.duplicateFields }
}

function readValue(reader: Reader): unknown {
  skipSpace(reader)
  const character = reader.text[reader.at]
  switch (character) {
    case '{':
      return readObject(reader)
    case '[':
      return readList(reader)
    case '"':
      return readString(reader)
    case 't':
      return readLiteral(reader, 'true', true)
    case 'f':
      return readLiteral(reader, 'false', false)
    case 'n':
      return readLiteral(reader, 'null', null)
    default:
      if (character === '-' || isDigit(character)) return readNumber(reader)
      return unexpected(reader, 'looking for beginning of value')
  }
}

function readObject(reader: Reader): JsonObject {
  const object: JsonObject = {}
  reader.at += 1
  skipSpace(reader)
  if (take(reader, '}')) return object
  for (;;) {
    skipSpace(reader)
    if (reader.text[reader.at] !== '"') unexpected(reader, 'looking for beginning of object key string')
    const key = readString(reader)
    skipSpace(reader)
    if (!take(reader, ':')) unexpected(reader, 'after object key')
    enter(reader, key)
    if (Object.hasOwn(object, key) && reader.duplicateFields.length < MOST_DUPLICATES)
      reader.duplicateFields.push(formatPath(reader.path))
    setMember(object, key, readValue(reader))
    reader.path.pop()
    skipSpace(reader)
    if (take(reader, '}')) return object
    if (!take(reader, ',')) unexpected(reader, 'after object key:value pair')
  }
}

function readList(reader: Reader): unknown[] {
  const list: unknown[] = []
  reader.at += 1
  skipSpace(reader)
  if (take(reader, ']')) return list
  for (;;) {
    enter(reader, list.length)
    list.push(readValue(reader))
    reader.path.pop()
    skipSpace(reader)
    if (take(reader, ']')) return list
    if (!take(reader, ',')) unexpected(reader, 'after array element')
  }
}

function enter(reader: Reader, step: string | number): void {
  reader.path.push(step)
  if (reader.path.length > MOST_LEVELS) throw new JsonSyntaxError('exceeded max depth')
}

const ESCAPES = new Set('"\\/bfnrt')

function readString(reader: Reader): string {
  const start = reader.at
  reader.at += 1
  for (let character = reader.text[reader.at]; character !== '"'; character = reader.text[reader.at]) {
    if (character === undefined || character < ' ') unexpected(reader, 'in string literal')
    reader.at += 1
    if (character === '\\') skipEscape(reader)
  }
  reader.at += 1
  return JSON.parse(reader.text.slice(start, reader.at)) as string // quoted, with valid escapes
}

function skipEscape(reader: Reader): void {
  const character = reader.text[reader.at]
  if (character === 'u') {
    for (let digit = 1; digit <= 4; digit++) {
      reader.at += 1
      if (!/^[\da-fA-F]$/.test(reader.text[reader.at] ?? '')) unexpected(reader, 'in \\u hexadecimal character escape')
    }
  } else if (character === undefined || !ESCAPES.has(character)) unexpected(reader, 'in string escape code')
  reader.at += 1
}

function readLiteral<T>(reader: Reader, word: string, value: T): T {
  for (const expected of word) {
    if (reader.text[reader.at] !== expected) unexpected(reader, `in literal ${word} (expecting '${expected}')`)
    reader.at += 1
  }
  return value
}

function readNumber(reader: Reader): Int64 {
  const start = reader.at
  take(reader, '-')
  if (!take(reader, '0')) readDigits(reader, 'in numeric literal')
  let isWhole = true
  if (take(reader, '.')) {
    isWhole = false
    readDigits(reader, 'after decimal point in numeric literal')
  }
  if (take(reader, 'e') || take(reader, 'E')) {
    isWhole = false
    if (!take(reader, '+')) take(reader, '-')
    readDigits(reader, 'in exponent of numeric literal')
  }
  const text = reader.text.slice(start, reader.at)
  const value = Number(text)
  // A double in its shortest form, as JavaScript writes it, is accepted at any size.
  if (isWhole && Math.abs(value) > LARGEST_INTEGER && String(value) !== text)
    throw new JsonSyntaxError(`number ${text} at ${formatPath(reader.path)} has more than 64 bits`)
  return isWhole && !Number.isSafeInteger(value) ? int64Of(BigInt(text)) : value
}

// The maximum of any field.
const LARGEST_INTEGER = 2 ** 64

function readDigits(reader: Reader, context: string): void {
  if (!isDigit(reader.text[reader.at])) unexpected(reader, context)
  while (isDigit(reader.text[reader.at])) reader.at += 1
}

const isDigit = (character: string | undefined): boolean =>
  character !== undefined && character >= '0' && character <= '9'

function take(reader: Reader, character: string): boolean {
  if (reader.text[reader.at] !== character) return false
  reader.at += 1
  return true
}

function skipSpace(reader: Reader): void {
  for (;;) {
    const character = reader.text[reader.at]
    if (character !== ' ' && character !== '\n' && character !== '\r' && character !== '\t') return
    reader.at += 1
  }
}

function unexpected(reader: Reader, context: string): never {
  const code = reader.text.codePointAt(reader.at)
  if (code === undefined) throw new JsonSyntaxError('unexpected end of JSON input')
  throw new JsonSyntaxError(`invalid character ${quoteCharacter(String.fromCodePoint(code))} ${context}`)
}

function quoteCharacter(character: string): string {
  if (character === "'") return `'\\''`
  if (character === '"') return `'"'`
  return `'${JSON.stringify(character).slice(1, -1)}'`
}
