import { int64Of } from './int64.ts'

// JSON with whole numbers of 64 bits. JavaScript's numbers are exact up to 2^53; what is beyond becomes a bigint. Texts without a long number, which
// are nearly all, take the engine's own way.

/** Sixteen digits in a row: a whole number past 2^53 has at least so many. It may also stand in a string, which costs only time. */
const LONG_NUMBER = /\d{16}/
const WHOLE_NUMBER = /^-?\d+$/

/** As `JSON.parse`, but a whole number past 2^53 becomes a bigint. Throws a `SyntaxError`. */
export function parseExactJson(text: string): unknown {
  return LONG_NUMBER.test(text) ? JSON.parse(text, keepDigits as Reviver) : JSON.parse(text)
}

/** As `JSON.stringify`, but a bigint is written as a number. */
export function formatExactJson(value: unknown, indent?: number): string {
  try {
    return JSON.stringify(value, undefined, indent)
  } catch (error) {
    // A bigint, or an object that contains itself: that one fails again.
    if (!(error instanceof TypeError)) throw error
    return JSON.stringify(value, writeDigits, indent)
  }
}

type Reviver = (key: string, value: unknown) => unknown

// The engine passes the text of a value along; the type of `JSON.parse` does not say so yet.
function keepDigits(_key: string, value: unknown, { source = '' }: { readonly source?: string }): unknown {
  return typeof value === 'number' && !Number.isSafeInteger(value) && WHOLE_NUMBER.test(source)
    ? int64Of(BigInt(source))
    : value
}

// The types do not know this function of the engine yet.
const { rawJSON } = JSON as unknown as { rawJSON(text: string): unknown }

const writeDigits = (_key: string, value: unknown): unknown =>
  typeof value === 'bigint' ? rawJSON(value.toString()) : value
