import { formatQuantity } from '../base/options/quantity.ts'
import type { Quantity } from './kinds/resources.ts'

/** The family of suffixes that a quantity was written with, and is written with again. */
export type QuantityFormat = 'BinarySI' | 'DecimalSI' | 'DecimalExponent'

/** Text that is no quantity, or one that does not fit where it has to. */
export class QuantityError extends Error {
  override readonly name = 'QuantityError'
}

// unscaled × 10^exponent, exactly. No factor of ten is left in `unscaled`, so equal amounts look the same.
type Amount = { readonly unscaled: bigint; readonly exponent: number; readonly format: QuantityFormat }

// What Kubernetes writes as [eEinumkKMGTP]*[-+]?[0-9]*, so that only one part can take a digit: with two, a long wrong text takes
// the square of its length.
const SHAPE = /^([+-]?)([0-9.]+)((?:(?:[eEinumkKMGTP]+[-+]?|[-+])[0-9]*)?)$/
const NUMBER = /^(\d*)(?:\.(\d*))?$/
const WRONG_SHAPE = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"
const WRONG_NUMBER = 'unable to parse numeric part of quantity'
const WRONG_SUFFIX = "unable to parse quantity's suffix"

const BINARY = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei']
const DECIMAL = ['n', 'u', 'm', '', 'k', 'M', 'G', 'T', 'P', 'E']
const SMALLEST_EXPONENT = -9
const LARGEST_EXPONENT = 18
const LARGEST_INT64 = 2n ** 63n - 1n
// Beyond these a number is a mistake or an attack: to write it out would take all memory.
const MOST_DIGITS = 1_000
const LARGEST_SHIFT = 2 * MOST_DIGITS

/**
 * A quantity as Kubernetes stores it: `1024Mi` → `1Gi`, `1.5Gi` → `1536Mi`, `0.5` → `500m`, `1000` → `1k`. The family of the suffix
 * stays unless it cannot show the amount; less than a nano counts as one, and binary amounts end at 2⁶³−1. Objects may also hold
 * numbers, and text with space around it. Throws a `QuantityError` with the message of Kubernetes.
 */
export function canonicalQuantity(value: Quantity | number): Quantity {
  return formatAmount(parseAmount(String(value).trim()))
}

/** -1, 0 or 1 as the amounts compare: `1Gi` equals `1024Mi`. */
export function compareQuantities(one: Quantity, other: Quantity): number {
  return Math.sign(compareAmounts(parseAmount(one), parseAmount(other)))
}

/** The sum, in the family of the first one unless that is zero. */
export function addQuantities(one: Quantity, other: Quantity): Quantity {
  const [left, right] = [parseAmount(one), parseAmount(other)]
  const exponent = Math.min(left.exponent, right.exponent)
  const unscaled = scaleTo(left, exponent) + scaleTo(right, exponent)
  return formatAmount(reduce(unscaled, exponent, left.unscaled === 0n ? right.format : left.format))
}

/** Whole bytes, a part of one counting as one, away from zero. Throws a `QuantityError` for more than fits into 63 bits. */
export function quantityToBytes(text: Quantity): bigint {
  const amount = parseAmount(text)
  const isTooLarge = amount.exponent > LARGEST_EXPONENT
  const bytes = isTooLarge ? 0n : roundAway(amount, 0)
  if (isTooLarge || magnitude(bytes) > LARGEST_INT64)
    throw new QuantityError(`${text} is more than ${LARGEST_INT64} bytes`)
  return bytes
}

/**
 * So many bytes, with a binary suffix where one fits, as the server stores what volumes are written with. What has no binary suffix
 * becomes decimal once it is stored: 5000000000 is `5G`.
 */
export function quantityOfBytes(bytes: bigint): Quantity {
  return canonicalQuantity(formatQuantity(bytes, 'binary'))
}

function parseAmount(text: string): Amount {
  const [, sign = '', number = '', suffix = ''] = SHAPE.exec(text) ?? []
  const [, whole = '', fraction = ''] = NUMBER.exec(number) ?? []
  if (number === '' || !NUMBER.test(number)) throw new QuantityError(WRONG_SHAPE)
  const digitCount = whole.length + fraction.length
  if (digitCount === 0 || digitCount > MOST_DIGITS) throw new QuantityError(WRONG_NUMBER)
  const { format, base, power } = parseSuffix(suffix)
  const digits = BigInt(whole + fraction)
  const scaled =
    base === 2
      ? { unscaled: digits << BigInt(power), exponent: -fraction.length }
      : { unscaled: digits, exponent: power - fraction.length }
  const size = limit(reduce(scaled.unscaled, scaled.exponent, format))
  return sign === '-' ? { ...size, unscaled: -size.unscaled } : size
}

function parseSuffix(suffix: string): { format: QuantityFormat; base: 2 | 10; power: number } {
  const binary = BINARY.indexOf(suffix)
  if (binary > 0) return { format: 'BinarySI', base: 2, power: 10 * binary }
  const decimal = DECIMAL.indexOf(suffix)
  if (decimal >= 0) return { format: 'DecimalSI', base: 10, power: 3 * decimal + SMALLEST_EXPONENT }
  const exponent = /^[eE]([-+]?\d+)$/.exec(suffix)?.[1]
  const power = Number(exponent)
  if (exponent === undefined || Math.abs(power) >= 2 ** 31) throw new QuantityError(WRONG_SUFFIX)
  return { format: 'DecimalExponent', base: 10, power }
}

/** At least a nano. Where the suffix is binary, at most 2⁶³−1, and what is less than one becomes decimal. */
function limit(size: Amount): Amount {
  const { exponent, format } = size
  const rounded =
    exponent < SMALLEST_EXPONENT ? reduce(roundAway(size, SMALLEST_EXPONENT), SMALLEST_EXPONENT, format) : size
  if (format !== 'BinarySI' || rounded.unscaled === 0n) return rounded
  if (digitsOf(rounded) <= 0) return { ...rounded, format: 'DecimalSI' }
  return roundAway(rounded, 0) > LARGEST_INT64 ? { unscaled: LARGEST_INT64, exponent: 0, format } : rounded
}

function reduce(unscaled: bigint, exponent: number, format: QuantityFormat): Amount {
  if (unscaled === 0n) return { unscaled, exponent: 0, format }
  const zeros = /0*$/.exec(unscaled.toString())?.[0].length ?? 0
  return { unscaled: unscaled / 10n ** BigInt(zeros), exponent: exponent + zeros, format }
}

/** In units of 10^exponent, where a part of one counts as one. */
function roundAway(amount: Amount, exponent: number): bigint {
  if (amount.exponent >= exponent) return scaleTo(amount, exponent)
  const { unscaled } = amount
  const places = exponent - amount.exponent
  const sign = unscaled < 0n ? -1n : 1n
  if (places > magnitude(unscaled).toString().length) return unscaled === 0n ? 0n : sign
  const unit = 10n ** BigInt(places)
  return sign * ((magnitude(unscaled) + unit - 1n) / unit)
}

/** In units of a smaller 10^exponent, exactly. */
function scaleTo({ unscaled, exponent: from }: Amount, exponent: number): bigint {
  if (unscaled === 0n) return 0n
  if (from - exponent > LARGEST_SHIFT)
    throw new QuantityError(`an amount of ${unscaled}e${from} is too large to reckon with`)
  return unscaled * 10n ** BigInt(from - exponent)
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

// Of two amounts with as many digits before the point the exponents differ by no more than the digits that were written.
const digitsOf = ({ unscaled, exponent }: Amount): number => magnitude(unscaled).toString().length + exponent
const signOf = ({ unscaled }: Amount): number => (unscaled === 0n ? 0 : unscaled < 0n ? -1 : 1)
const magnitude = (number: bigint): bigint => (number < 0n ? -number : number)

function formatAmount(amount: Amount): string {
  if (amount.unscaled === 0n) return '0'
  return isShownInBinary(amount) ? formatQuantity(scaleTo(amount, 0), 'binary') : formatDecimal(amount)
}

// A fraction has no binary form, and neither has what is less than the first suffix.
function isShownInBinary(amount: Amount): boolean {
  return amount.format === 'BinarySI' && amount.exponent >= 0 && magnitude(scaleTo(amount, 0)) >= 1024n
}

function formatDecimal(amount: Amount): string {
  const { exponent, format } = amount
  const thousands = Math.floor(exponent / 3) * 3
  const shown = format === 'DecimalExponent' ? thousands : Math.min(thousands, LARGEST_EXPONENT)
  const suffix =
    format === 'DecimalExponent' ? (shown === 0 ? '' : `e${shown}`) : (DECIMAL[(shown - SMALLEST_EXPONENT) / 3] ?? '')
  return `${scaleTo(amount, shown)}${suffix}`
}
