import { quoteText, ValueError } from './value-error.ts'

const TRUE: readonly string[] = ['1', 't', 'T', 'true', 'TRUE', 'True']
const FALSE: readonly string[] = ['0', 'f', 'F', 'false', 'FALSE', 'False']

/** Accepts exactly the twelve spellings of a boolean that Go accepts. */
export function parseBoolean(word: string): boolean {
  if (TRUE.includes(word)) return true
  if (FALSE.includes(word)) return false
  throw new ValueError(`${quoteText(word)} is neither true nor false`)
}

/** A whole number in decimal digits. A leading zero is rejected, because Go would read it as octal. */
export function parseWholeNumber(word: string): number {
  if (!/^[+-]?(0|[1-9]\d*)$/.test(word)) throw new ValueError(`${quoteText(word)} is not a whole number`)
  const value = Number(word)
  if (!Number.isSafeInteger(value))
    throw new ValueError(`${quoteText(word)} is too large: the maximum is ${Number.MAX_SAFE_INTEGER}`)
  return value === 0 ? 0 : value
}

/** A finite number in decimal digits, with or without fraction and exponent. */
export function parseNumber(word: string): number {
  const value = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(word) ? Number(word) : Number.NaN
  if (!Number.isFinite(value)) throw new ValueError(`${quoteText(word)} is not a number`)
  return value === 0 ? 0 : value
}

/** The value that equals the word, including its case. */
export function parseChoice<V extends string>(values: readonly V[], word: string): V {
  const found = values.find((value) => value === word)
  if (found === undefined) throw new ValueError(`${quoteText(word)} is not one of ${values.join(', ')}`)
  return found
}
