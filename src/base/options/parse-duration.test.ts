import { equal, throws } from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { formatDuration, parseDuration } from './parse-duration.ts'
import { ValueError } from './value-error.ts'

describe('parseDuration', () => {
  const right: [text: string, milliseconds: number][] = [
    ['0', 0],
    ['+0', 0],
    ['-0', 0],
    ['0s', 0],
    ['-0s', 0],
    ['15s', 15_000],
    ['+5s', 5_000],
    ['-1s', -1_000],
    ['100ms', 100],
    ['1m30s', 90_000],
    ['1.5h', 5_400_000],
    ['.5s', 500],
    ['1.s', 1_000],
    ['5m', 300_000],
    ['3h30m', 12_600_000],
    ['10.5s4m', 250_500],
    ['-2m3.4s', -123_400],
    ['1h2m3s4ms5us6ns', 3_723_004.005006],
    ['39h9m14.425s', 140_954_425],
    ['0.1s', 100],
    ['0.3s', 300],
    ['1us', 0.001],
    ['1µs', 0.001],
    ['1μs', 0.001],
    ['1ns', 0.000001],
    ['0.9ns', 0],
    ['0.3333333333333333333h', 1_200_000],
    ['0.100000000000000000000h', 360_000],
    ['2562047h47m16.854775807s', 9_223_372_036_854.775],
    ['-2562047h47m16.854775808s', -9_223_372_036_854.775],
  ]
  for (const [text, milliseconds] of right)
    test(`reads ${text} as ${milliseconds} ms`, () => equal(parseDuration(text), milliseconds))

  test('never gives minus zero', () => equal(Object.is(parseDuration('-0.1ns'), 0), true))

  const wrong: [text: string, why: RegExp][] = [
    ['', /"" is not a duration: it is empty/],
    ['-', /"-" is not a duration: it is empty/],
    ['15', /"15" is not a duration: 15 has no unit \(h, m, s/],
    ['1.5', /1\.5 has no unit/],
    ['1m30', /"1m30" is not a duration: 30 has no unit/],
    ['s', /a number has to come before each unit/],
    ['.s', /a number has to come before each unit/],
    ['.', /a number has to come before each unit/],
    ['--1s', /a number has to come before each unit/],
    ['3d', /"d" is no unit/],
    ['1 s', /" s" is no unit/],
    ['1s ', /"s " is no unit/],
    ['1M', /"M" is no unit/],
    ['1toString', /"toString" is no unit/],
    ['1.2.3s', /1\.2 has no unit/],
    ['2562047h47m16.854775808s', /the longest is about 292 years/],
    ['99999999999999999999999999h', /the longest is about 292 years/],
  ]
  for (const [text, why] of wrong) {
    test(`refuses ${JSON.stringify(text)}`, () => {
      throws(
        () => parseDuration(text),
        (error) => error instanceof ValueError && why.test(error.message),
      )
    })
  }
})

describe('formatDuration', () => {
  const cases: [milliseconds: number, text: string][] = [
    [0, '0s'],
    [-0, '0s'],
    [0.000001, '1ns'],
    [0.0011, '1.1µs'],
    [2.2, '2.2ms'],
    [100, '100ms'],
    [1_000, '1s'],
    [1_500, '1.5s'],
    [3_300, '3.3s'],
    [90_000, '1m30s'],
    [245_000, '4m5s'],
    [245_001, '4m5.001s'],
    [3_600_000, '1h0m0s'],
    [18_367_001, '5h6m7.001s'],
    [-1_500, '-1.5s'],
    [480_000.000001, '8m0.000000001s'],
    [0.0000001, '0s'],
    [999.9999999, '1s'],
  ]
  for (const [milliseconds, text] of cases)
    test(`writes ${milliseconds} ms as ${text}`, () => equal(formatDuration(milliseconds), text))

  test('refuses what is no number', () => {
    throws(() => formatDuration(Number.NaN), RangeError)
    throws(() => formatDuration(Number.POSITIVE_INFINITY), RangeError)
  })
})

describe('parseDuration and formatDuration', () => {
  test('agree to the nanosecond up to 49 days', () => {
    const most = 49n * 86_400n * 1_000_000_000n
    fc.assert(
      fc.property(fc.bigInt(-most, most), (nanoseconds) => {
        const printed = formatDuration(parseDuration(`${nanoseconds}ns`))
        equal(formatDuration(parseDuration(printed)), printed)
        equal(parseDuration(printed), parseDuration(`${nanoseconds}ns`))
        equal(sumNanoseconds(printed), nanoseconds)
      }),
    )
  })

  test('agree on whole milliseconds of any length', () => {
    fc.assert(
      fc.property(fc.integer({ min: -(2 ** 43), max: 2 ** 43 }), (ms) =>
        equal(parseDuration(formatDuration(ms)), ms === 0 ? 0 : ms),
      ),
    )
  })

  test('any text is either read or refused with a ValueError', () => {
    const letters = fc
      .array(fc.constantFrom('1', '.', '-', 'h', 'm', 's', 'u', 'µ', 'n', '0'))
      .map((given) => given.join(''))
    fc.assert(
      fc.property(fc.oneof(fc.string(), letters), (given) => {
        try {
          equal(Number.isFinite(parseDuration(given)), true)
        } catch (error) {
          equal(error instanceof ValueError, true)
        }
      }),
    )
  })
})

// Adds up the printed parts without using the code under test.
function sumNanoseconds(text: string): bigint {
  const factors: Record<string, bigint> = {
    h: 36n * 10n ** 11n,
    m: 6n * 10n ** 10n,
    s: 10n ** 9n,
    ms: 10n ** 6n,
    µs: 1000n,
    ns: 1n,
  }
  let sum = 0n
  for (const [, number = '', unit = ''] of text.matchAll(/([\d.]+)([a-zµ]+)/g)) {
    const [whole = '', fraction = ''] = number.split('.')
    const factor = factors[unit] ?? 0n
    sum +=
      BigInt(whole) * factor + (fraction === '' ? 0n : (BigInt(fraction) * factor) / 10n ** BigInt(fraction.length))
  }
  return text.startsWith('-') ? -sum : sum
}
