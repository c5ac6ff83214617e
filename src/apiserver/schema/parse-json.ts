import { MOST_LEVELS, JsonSyntaxError } from './json-syntax-error.ts'
import { readJson } from './read-json.ts'
import { MOST_BODY_VALUES, tooManyValues } from './value-limits.ts'

export type ParsedJson = {
  readonly value: unknown
  /** Paths of the members that an object has more than once: `metadata.labels.a`. The last one is used. At most 100. */
  readonly duplicateFields: readonly string[]
}

/**
 * Parses the JSON body of a request. Throws a `JsonSyntaxError` with the message of Go's decoder; also for more than 1,000 levels and for an integer
 * of more than 64 bits. An integer above 2^53 becomes a bigint. A text with too many values is rejected before it is parsed.
 */
export function parseJson(text: string): ParsedJson {
  // Before the engine's parser, which takes a second for a million levels.
  const { members, values, levels, hasLongNumber } = surveyText(text)
  if (levels > MOST_LEVELS) return refuseDepth(text)
  if (values > MOST_BODY_VALUES) throw tooManyValues(MOST_BODY_VALUES)
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return readJson(text) // finds the mistake and throws with Go's message
  }
  // The engine keeps the last of two equal keys: fewer keys than colons mean duplicates.
  if (hasLongNumber || countMembers(value) !== members) return readJson(text)
  return { value, duplicateFields: NONE }
}

function refuseDepth(text: string): never {
  readJson(text) // the first mistake is reported first
  throw new JsonSyntaxError('exceeded max depth')
}

const NONE: readonly string[] = []

type Survey = {
  members: number
  /** Members and items; empty containers count twice. */
  values: number
  levels: number
  hasLongNumber: boolean
}

const QUOTE = 0x22
const BACKSLASH = 0x5c
const COLON = 0x3a
const COMMA = 0x2c
const OPEN_BRACKET = 0x5b
const CLOSE_BRACKET = 0x5d
const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d
const ZERO = 0x30
const NINE = 0x39

// Doubles represent every integer with this many digits.
const EXACT_DIGITS = 15

// One pass over a text; the result is meaningful only if the text is JSON.
function surveyText(text: string): Survey {
  let members = 0
  let values = 0
  let level = 0
  let levels = 0
  let digits = 0
  let hasLongNumber = false
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    if (code >= ZERO && code <= NINE) {
      digits += 1
      if (digits > EXACT_DIGITS) hasLongNumber = true
      continue
    }
    digits = 0
    if (code === QUOTE) index = endOfString(text, index)
    else if (code === COLON) members += 1
    else if (code === COMMA) values += 1
    else if (code === OPEN_BRACE || code === OPEN_BRACKET) {
      values += 1
      level += 1
      if (level > levels) levels = level
    } else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) level -= 1
  }
  return { members, values, levels, hasLongNumber }
}

function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1)
  while (end > 0 && text.charCodeAt(end - 1) === BACKSLASH && isEscaped(text, end)) end = text.indexOf('"', end + 1)
  return end < 0 ? text.length : end
}

function isEscaped(text: string, index: number): boolean {
  let backslashes = 0
  while (text.charCodeAt(index - 1 - backslashes) === BACKSLASH) backslashes += 1
  return backslashes % 2 === 1
}

function countMembers(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  let count = 0
  if (Array.isArray(value)) {
    for (const item of value) count += countMembers(item)
    return count
  }
  for (const key in value) {
    count += 1
    const item: unknown = (value as Readonly<Record<string, unknown>>)[key]
    if (typeof item === 'object') count += countMembers(item)
  }
  return count
}
