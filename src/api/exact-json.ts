import { int64Of } from './int64.ts'

// JSON with 64-bit integers. JavaScript numbers are exact up to 2^53; larger integers become a bigint. Texts without a long number, which are nearly
// all, use the engine's own parser.

/** Sixteen digits in a row: an integer above 2^53 has at least as many. A match inside a string only costs time. */
const LONG_NUMBER = /\d{16}/
const WHOLE_NUMBER = /^-?\d+$/

/** Like `JSON.parse`, but an integer above 2^53 becomes a bigint. Throws a `SyntaxError`. */
export function parseExactJson(text: string): unknown {
  return LONG_NUMBER.test(text) ? JSON.parse(text, keepDigits as Reviver) : JSON.parse(text)
}

/** Like `JSON.stringify`, but a bigint is written as a number. */
export function formatExactJson(value: unknown, indent?: number): string {
  try {
    return JSON.stringify(value, undefined, indent)
  } catch (error) {
    // Either a bigint, or a circular object, which fails again below.
    if (!(error instanceof TypeError)) throw error
    return JSON.stringify(value, writeDigits, indent)
  }
}

type Reviver = (key: string, value: unknown) => unknown

// The engine passes the source text of a value; the type of `JSON.parse` does not declare it yet.
function keepDigits(_key: string, value: unknown, { source = '' }: { readonly source?: string }): unknown {
  return typeof value === 'number' && !Number.isSafeInteger(value) && WHOLE_NUMBER.test(source)
    ? int64Of(BigInt(source))
    : value
}

// The types do not declare this function yet.
const { rawJSON } = JSON as unknown as { rawJSON(text: string): unknown }

const writeDigits = (_key: string, value: unknown): unknown =>
  typeof value === 'bigint' ? rawJSON(value.toString()) : value
