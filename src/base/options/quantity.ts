import { amountOf, LARGEST_INT64, parseSuffix, splitQuantity, SUFFIXES, wholeBytesOf } from '../quantity.ts'
import { quoteText, ValueError } from './value-error.ts'

/**
 * Bytes of a Kubernetes quantity: `1Gi`, `500M`, `1.5Gi`, `1e3`, `100m`. Fractions of a byte are rounded away from zero. Throws a `ValueError`, also
 * for more than 2⁶³−1 bytes, where Kubernetes would silently truncate (`8Ei`) or overflow (`10E`).
 */
export function parseQuantity(text: string): bigint {
  const parts = splitQuantity(text)
  if (text === '') throw wrong(text, 'it is empty')
  if (parts.whole === '' && parts.fraction === '') throw wrong(text, 'it has to begin with a number')
  const suffix = parseSuffix(parts.suffix)
  if (!suffix) throw wrong(text, `${quoteText(parts.suffix)} is no suffix; ${hintFor(parts.suffix)}`)
  const bytes = wholeBytesOf(amountOf(parts, suffix))
  if (bytes === undefined) throw wrong(text, `the largest is ${LARGEST_INT64} (2⁶³−1)`)
  return parts.sign === '-' ? -bytes : bytes
}

function hintFor(suffix: string): string {
  // People and other programs also write 1GB and 1gib.
  const bare = suffix
    .trim()
    .replace(/b(ytes?)?$/i, '')
    .toLowerCase()
  // The last three are for fractions of a byte, which are never intended.
  const meant = SUFFIXES.slice(0, -3).find((known) => known.toLowerCase() === bare)
  return meant ? `did you mean ${meant}?` : `there are ${SUFFIXES.join(', ')}`
}

const wrong = (text: string, why: string): ValueError => new ValueError(`${quoteText(text)} is not a quantity: ${why}`)
