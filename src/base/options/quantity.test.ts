import { equal, throws } from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { formatQuantity } from '../quantity.ts'
import { parseQuantity } from './quantity.ts'
import { ValueError } from './value-error.ts'

const LARGEST = 9_223_372_036_854_775_807n

describe('parseQuantity', () => {
  const right: [text: string, bytes: bigint][] = [
    ['0', 0n],
    ['0Gi', 0n],
    ['0e9999999999', 0n],
    ['1', 1n],
    ['+1', 1n],
    ['007', 7n],
    ['1Ki', 1024n],
    ['7Mi', 7n * 1024n ** 2n],
    ['1Gi', 1_073_741_824n],
    ['100Ti', 100n * 1024n ** 4n],
    ['4Pi', 4n * 1024n ** 5n],
    ['3Ei', 3n * 1024n ** 6n],
    ['8k', 8_000n],
    ['500M', 500_000_000n],
    ['6G', 6_000_000_000n],
    ['2P', 2n * 10n ** 15n],
    ['1E', 10n ** 18n],
    ['1e3', 1_000n],
    ['1E6', 1_000_000n],
    ['1.3E+6', 1_300_000n],
    ['1500e-3', 2n],
    ['1.5Gi', 1_610_612_736n],
    ['0.5Mi', 524_288n],
    ['0.05Gi', 53_687_092n],
    ['100.035Ki', 102_436n],
    ['6.987654321G', 6_987_654_321n],
    ['1.', 1n],
    ['1.G', 10n ** 9n],
    ['.5k', 500n],
    ['100m', 1n],
    ['1000m', 1n],
    ['1001m', 2n],
    ['5n', 1n],
    ['4u', 1n],
    ['0.0000000001', 1n],
    ['1e-999999999', 1n],
    ['-1Ki', -1024n],
    ['-100m', -1n],
    ['9223372036854775807', LARGEST],
    ['9223372036854775806.1', LARGEST],
    ['9007199254740993', 9_007_199_254_740_993n],
  ]
  for (const [text, bytes] of right) test(`reads ${text} as ${bytes}`, () => equal(parseQuantity(text), bytes))

  const wrong: [text: string, why: RegExp][] = [
    ['', /"" is not a quantity: it is empty/],
    ['Gi', /has to begin with a number/],
    ['.', /has to begin with a number/],
    ['-', /has to begin with a number/],
    ['abc', /has to begin with a number/],
    [' 1Gi', /has to begin with a number/],
    ['1Gi ', /"Gi " is no suffix; did you mean Gi\?/],
    ['1GB', /"GB" is no suffix; did you mean G\?/],
    ['1GiB', /"GiB" is no suffix; did you mean Gi\?/],
    ['1gi', /did you mean Gi\?/],
    ['1K', /"K" is no suffix; did you mean k\?/],
    ['1i', /"i" is no suffix; there are Ki, Mi, .* E, m, u, n/],
    ['1e', /is no suffix; did you mean E\?/],
    ['1e1.5', /is no suffix/],
    ['1.1.M', /is no suffix/],
    ['1,5Gi', /is no suffix/],
    ['0x10', /is no suffix/],
    ['8Ei', /the largest is 9223372036854775807/],
    ['10E', /the largest is/],
    ['9223372036854775808', /the largest is/],
    ['9223372036854775807.1', /the largest is/],
    ['-8Ei', /the largest is/],
    ['1e999999999', /the largest is/],
  ]
  for (const [text, why] of wrong) {
    test(`refuses ${JSON.stringify(text)}`, () => {
      throws(
        () => parseQuantity(text),
        (error) => error instanceof ValueError && why.test(error.message),
      )
    })
  }
})

describe('formatQuantity', () => {
  const cases: [bytes: bigint, binary: string, decimal: string][] = [
    [0n, '0', '0'],
    [5n, '5', '5'],
    [1_000n, '1k', '1k'],
    [1_023n, '1023', '1023'],
    [1_024n, '1Ki', '1024'],
    [1_025n, '1025', '1025'],
    [2_000n, '2000', '2k'],
    [1_073_741_824n, '1Gi', '1073741824'],
    [1_610_612_736n, '1536Mi', '1610612736'],
    [1_001n * 1024n ** 3n, '1001Gi', '1074815565824'],
    [500_000_000n, '500000000', '500M'],
    [1_024_000n, '1000Ki', '1024k'],
    [2n * 1024n ** 6n, '2Ei', '2305843009213693952'],
    [3n * 10n ** 18n, '2929687500000000Ki', '3E'],
    [-2048n, '-2Ki', '-2048'],
    [LARGEST, String(LARGEST), String(LARGEST)],
  ]
  for (const [bytes, binary, decimal] of cases) {
    test(`writes ${bytes} as ${binary} and ${decimal}`, () => {
      equal(formatQuantity(bytes), binary)
      equal(formatQuantity(bytes, 'decimal'), decimal)
    })
  }
})

describe('parseQuantity and formatQuantity', () => {
  const bytes = fc.oneof(
    fc.bigInt(-LARGEST, LARGEST),
    fc.tuple(fc.bigInt(-7n, 7n), fc.nat(6)).map(([count, power]) => count * 1024n ** BigInt(power)),
    fc.tuple(fc.bigInt(-9n, 9n), fc.nat(18)).map(([count, power]) => count * 10n ** BigInt(power)),
  )

  test('agree on every size in both forms', () => {
    fc.assert(
      fc.property(bytes, fc.constantFrom('binary' as const, 'decimal' as const), (size, format) => {
        equal(parseQuantity(formatQuantity(size, format)), size)
      }),
    )
  })

  test('leave no larger suffix unused', () => {
    fc.assert(
      fc.property(bytes, (size) => {
        const [, count = '', suffix = ''] = /^-?(\d+)(\D*)$/.exec(formatQuantity(size, 'decimal')) ?? []
        equal(count.endsWith('000') && suffix !== 'E', false)
      }),
    )
  })

  test('a fraction is rounded up by less than one byte', () => {
    fc.assert(
      fc.property(fc.bigInt(0n, 10n ** 15n), fc.nat(999), (whole, thousandths) => {
        const text = `${whole}.${String(thousandths).padStart(3, '0')}`
        equal(parseQuantity(text), thousandths === 0 ? whole : whole + 1n)
        equal(parseQuantity(`${whole * 1000n + BigInt(thousandths)}m`), parseQuantity(text))
      }),
    )
  })

  test('any text is either read or refused with a ValueError', () => {
    const letters = fc
      .array(fc.constantFrom('1', '0', '.', '-', '+', 'e', 'E', 'i', 'K', 'k', 'M', 'm', 'G'))
      .map((given) => given.join(''))
    fc.assert(
      fc.property(fc.oneof(fc.string(), letters), (text) => {
        try {
          equal(typeof parseQuantity(text), 'bigint')
        } catch (error) {
          equal(error instanceof ValueError, true)
        }
      }),
    )
  })
})
