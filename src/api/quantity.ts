import {
  amountOf,
  formatAmount,
  formatQuantity,
  LARGEST_INT64,
  magnitude,
  parseSuffix,
  QuantityError,
  reduceAmount,
  roundAway,
  scaleTo,
  SMALLEST_EXPONENT,
  splitQuantity,
  wholeBytesOf,
} from '../base/quantity.ts'
import type { Amount } from '../base/quantity.ts'
import type { Quantity } from './kinds/resources.ts'

export { QuantityError }
export type { SuffixFamily as QuantityFormat } from '../base/quantity.ts'

// Equivalent to [eEinumkKMGTP]*[-+]?[0-9]* in Kubernetes, but only one part can match a digit. With two, matching a long invalid text would take
// quadratic time.
const SHAPE = /^[+-]?[0-9.]+(?:(?:[eEinumkKMGTP]+[-+]?|[-+])[0-9]*)?$/
const WRONG_SHAPE = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"
const WRONG_NUMBER = 'unable to parse numeric part of quantity'
const WRONG_SUFFIX = "unable to parse quantity's suffix"

// A larger number is a mistake or an attack: expanding it would exhaust the memory.
const MOST_DIGITS = 1_000

/**
 * A quantity as Kubernetes stores it: `1024Mi` → `1Gi`, `1.5Gi` → `1536Mi`, `0.5` → `500m`, `1000` → `1k`. The suffix family is kept unless it cannot
 * represent the amount; amounts below one nano become one nano, and binary amounts are limited to 2⁶³−1. Objects may also contain numbers, and text
 * with surrounding space. Throws a `QuantityError` with the message of Kubernetes.
 */
export function canonicalQuantity(value: Quantity | number): Quantity {
  return formatAmount(parseAmount(String(value).trim()))
}

/** -1, 0 or 1, by amount: `1Gi` equals `1024Mi`. */
export function compareQuantities(one: Quantity, other: Quantity): number {
  return Math.sign(compareAmounts(parseAmount(one), parseAmount(other)))
}

/** The sum, in the suffix family of the first quantity unless that is zero. */
export function addQuantities(one: Quantity, other: Quantity): Quantity {
  const [left, right] = [parseAmount(one), parseAmount(other)]
  const exponent = Math.min(left.exponent, right.exponent)
  const unscaled = scaleTo(left, exponent) + scaleTo(right, exponent)
  return formatAmount(reduceAmount(unscaled, exponent, left.unscaled === 0n ? right.format : left.format))
}

/** Whole bytes, with fractions rounded away from zero. Throws a `QuantityError` if they do not fit into 63 bits. */
export function quantityToBytes(text: Quantity): bigint {
  const bytes = wholeBytesOf(parseAmount(text))
  if (bytes === undefined) throw new QuantityError(`${text} is more than ${LARGEST_INT64} bytes`)
  return bytes
}

/** Thousandths, rounded up. */
export function quantityToMilli(quantity: Quantity): number {
  const canonical = canonicalQuantity(quantity)
  const [, digits = '', unit] = /^(\d+)([num])$/.exec(canonical) ?? []
  if (unit === undefined) return Number(quantityToBytes(canonical)) * 1000
  return Math.ceil(Number(digits) / (unit === 'm' ? 1 : unit === 'u' ? 1e3 : 1e6))
}

/**
 * A number of bytes, with a binary suffix if possible, as the server stores sizes of volumes. Numbers without a binary form become decimal when
 * stored: 5000000000 is `5G`.
 */
export function quantityOfBytes(bytes: bigint): Quantity {
  return canonicalQuantity(formatQuantity(bytes, 'binary'))
}

function parseAmount(text: string): Amount {
  const parts = splitQuantity(text)
  // A second decimal point would be the start of the suffix.
  if (!SHAPE.test(text) || parts.suffix.startsWith('.')) throw new QuantityError(WRONG_SHAPE)
  const digitCount = parts.whole.length + parts.fraction.length
  if (digitCount === 0 || digitCount > MOST_DIGITS) throw new QuantityError(WRONG_NUMBER)
  const suffix = parseSuffix(parts.suffix)
  if (!suffix || Math.abs(suffix.power) >= 2 ** 31) throw new QuantityError(WRONG_SUFFIX)
  const size = limit(amountOf(parts, suffix))
  return parts.sign === '-' ? { ...size, unscaled: -size.unscaled } : size
}

/** At least one nano. With a binary suffix, at most 2⁶³−1, and amounts below one become decimal. */
function limit(size: Amount): Amount {
  const { exponent, format } = size
  const rounded =
    exponent < SMALLEST_EXPONENT ? reduceAmount(roundAway(size, SMALLEST_EXPONENT), SMALLEST_EXPONENT, format) : size
  if (format !== 'BinarySI' || rounded.unscaled === 0n) return rounded
  if (digitsOf(rounded) <= 0) return { ...rounded, format: 'DecimalSI' }
  return roundAway(rounded, 0) > LARGEST_INT64 ? { unscaled: LARGEST_INT64, exponent: 0, format } : rounded
}

function compareAmounts(one: Amount, other: Amount): number {
  const [left, right] = [signOf(one), signOf(other)]
  if (left !== right || left === 0) return left - right
  const [leftDigits, rightDigits] = [digitsOf(one), digitsOf(other)]
  if (leftDigits !== rightDigits) return leftDigits > rightDigits ? left : -left
  const exponent = Math.min(one.exponent, other.exponent)
  const difference =
    one.unscaled * 10n ** BigInt(one.exponent - exponent) - other.unscaled * 10n ** BigInt(other.exponent - exponent)
  return difference === 0n ? 0 : difference < 0n ? -1 : 1
}

// If two amounts have the same number of digits before the decimal point, their exponents differ by at most the number of written digits.
const digitsOf = ({ unscaled, exponent }: Amount): number => magnitude(unscaled).toString().length + exponent
const signOf = ({ unscaled }: Amount): number => (unscaled === 0n ? 0 : unscaled < 0n ? -1 : 1)
