import { quoteText, ValueError } from './value-error.ts'

const NANOSECONDS: Readonly<Record<string, bigint>> = {
  ns: 1n,
  us: 1_000n,
  µs: 1_000n, // U+00B5, the micro sign, which Go prints
  μs: 1_000n, // U+03BC, the Greek letter, which looks the same
  ms: 1_000_000n,
  s: 1_000_000_000n,
  m: 60_000_000_000n,
  h: 3_600_000_000_000n,
}

// A Go duration is a signed 64-bit count of nanoseconds, so its negative range is larger by one.
const LONGEST_NS = 2n ** 63n - 1n
// Every character belongs to a match, so an error shows up as a term without number or unit.
const TERM = /(?=.)(?<whole>\d*)(?:\.(?<fraction>\d*))?(?<unit>[^\d.]*)/gs

/**
 * Milliseconds of a duration in Go's syntax: `15s`, `1m30s`, `1.5h`, `100ms`, `-1s`, `0`. Digits below a nanosecond are cut off. Throws a
 * `ValueError`.
 */
export function parseDuration(text: string): number {
  const sign = /^[+-]/.exec(text)?.[0] ?? ''
  const size = text.slice(sign.length)
  if (size === '0') return 0
  if (size === '') throw wrong(text, 'it is empty')
  let nanoseconds = 0n
  for (const term of size.matchAll(TERM)) nanoseconds += parseTerm(text, term.groups ?? {})
  if (nanoseconds > LONGEST_NS + (sign === '-' ? 1n : 0n)) throw wrong(text, 'the longest is about 292 years')
  const milliseconds = Number(nanoseconds / 1_000_000n) + Number(nanoseconds % 1_000_000n) / 1e6
  return sign === '-' && milliseconds !== 0 ? -milliseconds : milliseconds
}

function parseTerm(text: string, { whole = '', fraction = '', unit = '' }: Readonly<Record<string, string>>): bigint {
  if (whole === '' && fraction === '') throw wrong(text, 'a number has to come before each unit')
  if (unit === '') throw wrong(text, `${whole}${fraction && `.${fraction}`} has no unit (h, m, s, ms, us or ns)`)
  const size = Object.hasOwn(NANOSECONDS, unit) ? NANOSECONDS[unit] : undefined
  if (size === undefined) throw wrong(text, `${quoteText(unit)} is no unit (h, m, s, ms, us or ns)`)
  if (whole.length > 20) throw wrong(text, 'the longest is about 292 years')
  return BigInt(whole) * size + fractionOf(size, fraction)
}

// In floating point and with at most 63 bits of digits, as in Go, where 0.3333333333333333333h is 20m; exact arithmetic would differ.
function fractionOf(size: bigint, fraction: string): bigint {
  const digits = BigInt(fraction.slice(0, 19)) < 2n ** 63n ? fraction.slice(0, 19) : fraction.slice(0, 18)
  return BigInt(Math.trunc(Number(digits) * (Number(size) / 10 ** digits.length)))
}

const wrong = (text: string, why: string): ValueError => new ValueError(`${quoteText(text)} is not a duration: ${why}`)

/**
 * Milliseconds as Go prints a duration: `1h0m0s`, `1m30s`, `1.5s`, `100ms`, `0s`. Rounds to nanoseconds. Results of `parseDuration` round-trip to the
 * nanosecond up to 49 days; beyond that, a number cannot represent them exactly.
 */
export function formatDuration(durationMs: number): string {
  if (!Number.isFinite(durationMs)) throw new RangeError(`not a duration: ${durationMs}`)
  const wholeMs = Math.trunc(Math.abs(durationMs))
  const nanoseconds = BigInt(wholeMs) * 1_000_000n + BigInt(Math.round((Math.abs(durationMs) - wholeMs) * 1e6))
  if (nanoseconds === 0n) return '0s'
  return `${durationMs < 0 ? '-' : ''}${formatNanoseconds(nanoseconds)}`
}

function formatNanoseconds(nanoseconds: bigint): string {
  if (nanoseconds < 1_000n) return `${nanoseconds}ns`
  if (nanoseconds < 1_000_000n) return `${formatFraction(nanoseconds, 3)}µs`
  if (nanoseconds < 1_000_000_000n) return `${formatFraction(nanoseconds, 6)}ms`
  const minutes = nanoseconds / 60_000_000_000n
  const seconds = `${formatFraction(nanoseconds % 60_000_000_000n, 9)}s`
  if (minutes === 0n) return seconds
  return minutes < 60n ? `${minutes}m${seconds}` : `${minutes / 60n}h${minutes % 60n}m${seconds}`
}

// The count with the decimal point moved left by `places`, without trailing zeros.
function formatFraction(count: bigint, places: number): string {
  const digits = count.toString().padStart(places + 1, '0')
  const fraction = digits.slice(-places).replace(/0+$/, '')
  return `${digits.slice(0, -places)}${fraction && `.${fraction}`}`
}
