// Kubernetes quantities (`1Gi`, `500M`, `1.5`, `1e3`, `100m`) as exact amounts. Callers decide what to reject and with which message: command-line
// options suggest what was meant, API objects get the messages of Kubernetes.

/** The suffix family in which a quantity was written, kept when it is formatted. */
export type SuffixFamily = 'BinarySI' | 'DecimalSI' | 'DecimalExponent'

/** unscaled × 10^exponent, exactly. `unscaled` has no factor of ten, so equal amounts have equal fields. */
export type Amount = { readonly unscaled: bigint; readonly exponent: number; readonly format: SuffixFamily }

/** Text that is not a quantity, or a quantity out of range. */
export class QuantityError extends Error {
  override readonly name = 'QuantityError'
}

const BINARY = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei']
const DECIMAL = ['n', 'u', 'm', '', 'k', 'M', 'G', 'T', 'P', 'E']
/** Every suffix except exponents. */
export const SUFFIXES: readonly string[] = [...BINARY.slice(1), ...DECIMAL.slice(4), ...DECIMAL.slice(0, 3).reverse()]
export const SMALLEST_EXPONENT = -9
const LARGEST_EXPONENT = 18
/** Kubernetes and CSI carry sizes as signed 64-bit numbers. */
export const LARGEST_INT64: bigint = 2n ** 63n - 1n
// A larger number is a mistake or an attack: expanding it would exhaust the memory.
const LARGEST_SHIFT = 2_000

const PARTS = /^([+-]?)(\d*)(?:\.(\d*))?(.*)$/s
export type QuantityParts = { sign: string; whole: string; fraction: string; suffix: string }

/** Everything after the number is the suffix, valid or not. */
export function splitQuantity(text: string): QuantityParts {
  const [, sign = '', whole = '', fraction = '', suffix = ''] = PARTS.exec(text) ?? []
  return { sign, whole, fraction, suffix }
}

export type Suffix = { readonly format: SuffixFamily; readonly base: 2 | 10; readonly power: number }

/** Undefined for text that is not a suffix. */
export function parseSuffix(suffix: string): Suffix | undefined {
  const binary = BINARY.indexOf(suffix)
  if (binary > 0) return { format: 'BinarySI', base: 2, power: 10 * binary }
  const decimal = DECIMAL.indexOf(suffix)
  if (decimal >= 0) return { format: 'DecimalSI', base: 10, power: 3 * decimal + SMALLEST_EXPONENT }
  const exponent = /^[eE]([-+]?\d+)$/.exec(suffix)?.[1]
  return exponent === undefined ? undefined : { format: 'DecimalExponent', base: 10, power: Number(exponent) }
}

/** The amount without its sign. The parts need at least one digit. */
export function amountOf({ whole, fraction }: QuantityParts, { format, base, power }: Suffix): Amount {
  const digits = BigInt(whole + fraction)
  return base === 2
    ? reduceAmount(digits << BigInt(power), -fraction.length, format)
    : reduceAmount(digits, power - fraction.length, format)
}

export function reduceAmount(unscaled: bigint, exponent: number, format: SuffixFamily): Amount {
  if (unscaled === 0n) return { unscaled, exponent: 0, format }
  const zeros = /0*$/.exec(unscaled.toString())?.[0].length ?? 0
  return { unscaled: unscaled / 10n ** BigInt(zeros), exponent: exponent + zeros, format }
}

/** Whole bytes, with fractions rounded away from zero. Undefined for more than 2⁶³−1. */
export function wholeBytesOf(amount: Amount): bigint | undefined {
  // 1e999999999 must not be expanded just to find that it is too large.
  if (amount.exponent > LARGEST_EXPONENT) return undefined
  const bytes = roundAway(amount, 0)
  return magnitude(bytes) > LARGEST_INT64 ? undefined : bytes
}

/** In units of 10^exponent, with fractions rounded away from zero. */
export function roundAway(amount: Amount, exponent: number): bigint {
  if (amount.exponent >= exponent) return scaleTo(amount, exponent)
  const { unscaled } = amount
  const places = exponent - amount.exponent
  const sign = unscaled < 0n ? -1n : 1n
  if (places > magnitude(unscaled).toString().length) return unscaled === 0n ? 0n : sign
  const unit = 10n ** BigInt(places)
  return sign * ((magnitude(unscaled) + unit - 1n) / unit)
}

/** In units of a smaller 10^exponent, exactly. */
export function scaleTo({ unscaled, exponent: from }: Amount, exponent: number): bigint {
  if (unscaled === 0n) return 0n
  if (from - exponent > LARGEST_SHIFT)
    throw new QuantityError(`an amount of ${unscaled}e${from} is too large to reckon with`)
  return unscaled * 10n ** BigInt(from - exponent)
}

export const magnitude = (number: bigint): bigint => (number < 0n ? -number : number)

/** Binary counts in powers of 1024 (`Ki`, `Mi`), decimal in powers of 1000 (`k`, `M`). */
export type QuantityFormat = 'binary' | 'decimal'

/**
 * The canonical form of a number of bytes in Kubernetes: the largest suffix that leaves a whole number. Numbers below 1024 are decimal even if binary
 * is requested, so 1000 is `1k`.
 */
export const formatQuantity = (bytes: bigint, format: QuantityFormat = 'binary'): string =>
  formatAmount(reduceAmount(bytes, 0, format === 'binary' ? 'BinarySI' : 'DecimalSI'))

/** The largest suffix of its family that leaves a whole number. */
export function formatAmount(amount: Amount): string {
  if (amount.unscaled === 0n) return '0'
  // Fractions, and numbers below the first suffix, have no binary form.
  const whole = amount.format === 'BinarySI' && amount.exponent >= 0 ? scaleTo(amount, 0) : 0n
  return magnitude(whole) >= 1024n ? formatBinary(whole) : formatDecimal(amount)
}

function formatBinary(whole: bigint): string {
  let [count, used] = [whole, 0]
  for (; used < BINARY.length - 1 && count % 1024n === 0n; used++) count /= 1024n
  return `${count}${BINARY[used]}`
}

function formatDecimal(amount: Amount): string {
  const { exponent, format } = amount
  const thousands = Math.floor(exponent / 3) * 3
  const shown = format === 'DecimalExponent' ? thousands : Math.min(thousands, LARGEST_EXPONENT)
  const suffix =
    format === 'DecimalExponent' ? (shown === 0 ? '' : `e${shown}`) : (DECIMAL[(shown - SMALLEST_EXPONENT) / 3] ?? '')
  return `${scaleTo(amount, shown)}${suffix}`
}
