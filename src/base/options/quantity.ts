import { quoteText, ValueError } from './value-error.ts'

const BINARY = ['Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei']
const DECIMAL = ['k', 'M', 'G', 'T', 'P', 'E']
const SMALL = ['m', 'u', 'n']

// Kubernetes and CSI carry sizes as signed 64-bit numbers.
const LARGEST = 2n ** 63n - 1n
const QUANTITY = /^([+-]?)(\d*)(?:\.(\d*))?(.*)$/s
const EXPONENT = /^[eE]([+-]?\d+)$/

/** Binary counts in powers of 1024 (`Ki`, `Mi`), decimal in powers of 1000 (`k`, `M`). */
export type QuantityFormat = 'binary' | 'decimal'

/**
 * Bytes in a Kubernetes quantity: `1Gi`, `500M`, `1.5Gi`, `1e3`, `100m`. A part of a byte counts as a whole one, away from zero. Throws
 * a `ValueError`, also for more than 2⁶³−1 bytes, where Kubernetes would quietly take less (`8Ei`) or overflow (`10E`).
 */
export function parseQuantity(text: string): bigint {
  const [, sign = '', whole = '', fraction = '', suffix = ''] = QUANTITY.exec(text) ?? []
  if (text === '') throw wrong(text, 'it is empty')
  if (whole === '' && fraction === '') throw wrong(text, 'it has to begin with a number')
  const { base, power } = parseSuffix(text, suffix)
  const digits = BigInt(whole + fraction)
  if (digits === 0n) return 0n
  const size =
    base === 2n ? roundUp(digits << BigInt(power), fraction.length) : scaleDecimal(digits, power - fraction.length)
  if (size === undefined || size > LARGEST) throw wrong(text, `the largest is ${LARGEST} (2⁶³−1)`)
  return sign === '-' ? -size : size
}

type Suffix = { base: 2n | 10n; power: number }

function parseSuffix(text: string, suffix: string): Suffix {
  if (suffix === '') return { base: 10n, power: 0 }
  const exponent = EXPONENT.exec(suffix)?.[1]
  if (exponent !== undefined) return { base: 10n, power: Number(exponent) }
  if (BINARY.includes(suffix)) return { base: 2n, power: 10 * (BINARY.indexOf(suffix) + 1) }
  if (DECIMAL.includes(suffix)) return { base: 10n, power: 3 * (DECIMAL.indexOf(suffix) + 1) }
  if (SMALL.includes(suffix)) return { base: 10n, power: -3 * (SMALL.indexOf(suffix) + 1) }
  const meant = meantSuffix(suffix)
  const hint = meant ? `did you mean ${meant}?` : `there are ${[...BINARY, ...DECIMAL, ...SMALL].join(', ')}`
  throw wrong(text, `${quoteText(suffix)} is no suffix; ${hint}`)
}

// 1GB and 1gib are how people and other programs write it.
function meantSuffix(suffix: string): string | undefined {
  const bare = suffix
    .trim()
    .replace(/b(ytes?)?$/i, '')
    .toLowerCase()
  return [...BINARY, ...DECIMAL].find((known) => known.toLowerCase() === bare)
}

// Undefined if the result is certainly too large: 1e999999999 must not be expanded to find out.
function scaleDecimal(digits: bigint, power: number): bigint | undefined {
  if (power <= 0) return roundUp(digits, -power)
  return power > 19 ? undefined : digits * 10n ** BigInt(power)
}

function roundUp(digits: bigint, places: number): bigint {
  if (places > digits.toString().length) return 1n
  const divisor = 10n ** BigInt(places)
  return (digits + divisor - 1n) / divisor
}

const wrong = (text: string, why: string): ValueError => new ValueError(`${quoteText(text)} is not a quantity: ${why}`)

/**
 * The one canonical way in which Kubernetes writes so many bytes: the largest suffix that leaves a whole number. It writes less than
 * 1024 in decimal even where binary is asked for, so 1000 is `1k`.
 */
export function formatQuantity(bytes: bigint, format: QuantityFormat = 'binary'): string {
  const size = bytes < 0n ? -bytes : bytes
  if (size === 0n) return '0'
  const isBinary = format === 'binary' && size >= 1024n
  const suffixes = isBinary ? BINARY : DECIMAL
  const step = isBinary ? 1024n : 1000n
  let count = size
  let used = 0
  for (; used < suffixes.length && count % step === 0n; used++) count /= step
  return `${bytes < 0n ? '-' : ''}${count}${suffixes[used - 1] ?? ''}`
}
