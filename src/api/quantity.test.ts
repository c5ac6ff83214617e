import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  addQuantities,
  canonicalQuantity,
  compareQuantities,
  QuantityError,
  quantityOfBytes,
  quantityToBytes,
} from './quantity.ts'

const FORMAT =
  /quantities must match the regular expression '\^\(\[\+-\]\?\[0-9\.\]\+\)\(\[eEinumkKMGTP\]\*\[-\+\]\?\[0-9\]\*\)\$'/

const canonical: [text: string | number, stored: string, why: string][] = [
  ['1024Mi', '1Gi', 'takes the largest suffix'],
  ['1.5Gi', '1536Mi', 'takes the largest suffix that leaves no fraction'],
  ['0.5', '500m', 'writes fractions in milli'],
  ['1000', '1k', 'counts plain numbers as decimal'],
  ['1000Ki', '1000Ki', 'stays in its family'],
  ['1500M', '1500M', 'stays in its family'],
  ['1e3', '1e3', 'keeps the exponent'],
  ['1500e3', '1500e3', 'keeps the exponent a multiple of three'],
  ['12e4', '120e3', 'makes the exponent a multiple of three'],
  ['1E3', '1e3', 'writes the exponent with a small letter'],
  ['1E', '1E', 'knows exa from an exponent'],
  ['5e0', '5', 'drops an exponent of zero'],
  ['1.1Ki', '1126400m', 'leaves binary where it would need a fraction'],
  ['1.953125Ki', '2000', 'has no decimal suffix for a binary amount'],
  ['0.5Ki', '512', 'writes less than a kibi without suffix'],
  ['1023', '1023', 'leaves what has no shorter form'],
  ['-1.5Gi', '-1536Mi', 'knows negative amounts'],
  ['+5', '5', 'drops a plus sign'],
  ['007', '7', 'drops leading zeros'],
  ['1.500', '1500m', 'drops trailing zeros'],
  ['5.', '5', 'takes a point with nothing after it'],
  ['.5', '500m', 'takes a point with nothing before it'],
  ['0Gi', '0', 'writes zero without suffix'],
  ['-0', '0', 'writes zero without sign'],
  ['0.1n', '1n', 'rounds up to a nano'],
  ['1.00000000001', '1000000001n', 'rounds up to a nano'],
  ['-0.1n', '-1n', 'rounds away from zero'],
  ['8Ei', '9223372036854775807', 'ends binary amounts at 2⁶³−1'],
  ['-9Ei', '-9223372036854775807', 'ends negative binary amounts there too'],
  ['10E', '10E', 'does not end decimal amounts there'],
  ['1000E', '1000E', 'has no suffix beyond exa'],
  ['1e30', '1e30', 'writes large exponents'],
  ['1e999999999', '1e999999999', 'does not write out absurd exponents'],
  ['12345678901234567890123', '12345678901234567890123', 'is exact beyond 64 bits'],
  [' 1Gi ', '1Gi', 'ignores space around it'],
  [5, '5', 'takes a number'],
  [0.5, '500m', 'takes a number with a fraction'],
  [1e21, '1e21', 'takes a number that is printed with an exponent'],
]
for (const [text, stored, why] of canonical)
  test(`${why}: ${JSON.stringify(text)} is stored as ${stored}`, () => assert.equal(canonicalQuantity(text), stored))

const refused: [text: string, message: RegExp][] = [
  ['', FORMAT],
  ['x', FORMAT],
  ['1Zi', FORMAT],
  ['1KB', FORMAT],
  ['1.2.3', FORMAT],
  ['1 Gi', FORMAT],
  ['--1', FORMAT],
  ['Ki', FORMAT],
  ['-', FORMAT],
  ['.', /unable to parse numeric part of quantity/],
  ['1ki', /unable to parse quantity's suffix/],
  ['1Kii', /unable to parse quantity's suffix/],
  ['1e', /unable to parse quantity's suffix/],
  ['1e+', /unable to parse quantity's suffix/],
  ['1e99999999999', /unable to parse quantity's suffix/],
  ['1'.repeat(1001), /unable to parse numeric part of quantity/],
]
for (const [text, message] of refused) {
  test(`refuses ${JSON.stringify(text.slice(0, 20))} with the message of Kubernetes`, () => {
    assert.throws(
      () => canonicalQuantity(text),
      (error) => error instanceof QuantityError && message.test(error.message),
    )
  })
}

const SUFFIXES = ['', 'm', 'u', 'n', 'k', 'M', 'G', 'T', 'Ki', 'Mi', 'Gi', 'Ti', 'e3', 'e-2', 'E5']
const quantityBelow = (bound: bigint, suffixes: readonly string[]): fc.Arbitrary<string> =>
  fc
    .tuple(fc.constantFrom('', '-'), fc.bigInt(0n, bound), fc.option(fc.nat(999_999)), fc.constantFrom(...suffixes))
    .map(([sign, whole, fraction, unit]) => `${sign}${whole}${fraction === null ? '' : `.${fraction}`}${unit}`)
const quantity = quantityBelow(10n ** 12n, [...SUFFIXES, 'P', 'E', 'Pi', 'Ei'])
// Sums of these stay below 2⁶³, the limit for text with a binary suffix.
const summand = quantityBelow(10n ** 6n, SUFFIXES)

test('the stored form is stored as it is, unless it lost its binary suffix', () => {
  fc.assert(
    fc.property(quantity, (text) => {
      const once = canonicalQuantity(text)
      const twice = canonicalQuantity(once)
      if (!text.endsWith('i')) assert.equal(twice, once)
      assert.equal(canonicalQuantity(twice), twice)
    }),
  )
})

test('the stored form is the same amount', () => {
  fc.assert(fc.property(quantity, (text) => assert.equal(compareQuantities(text, canonicalQuantity(text)), 0)))
})

test('compares amounts and not texts', () => {
  assert.equal(compareQuantities('1Gi', '1024Mi'), 0)
  assert.equal(compareQuantities('1G', '1Gi'), -1)
  assert.equal(compareQuantities('1500m', '1'), 1)
  assert.equal(compareQuantities('-1', '1n'), -1)
  assert.equal(compareQuantities('-2', '-1'), -1)
  assert.equal(compareQuantities('-1e999999999', '-1'), -1)
  assert.equal(compareQuantities('1e999999999', '1e999999998'), 1)
  assert.equal(compareQuantities('0', '-0'), 0)
})

test('compares whole numbers as whole numbers compare', () => {
  const number = fc.bigInt(-(2n ** 62n), 2n ** 62n)
  fc.assert(
    fc.property(number, number, (one, other) => {
      assert.equal(compareQuantities(`${one}`, `${other}`), one < other ? -1 : one > other ? 1 : 0)
    }),
  )
})

test('adds exactly, in the family of the first that is not zero', () => {
  assert.equal(addQuantities('1Gi', '1Gi'), '2Gi')
  assert.equal(addQuantities('1Gi', '1G'), '2073741824')
  assert.equal(addQuantities('1G', '1Gi'), '2073741824')
  assert.equal(addQuantities('0', '1Gi'), '1Gi')
  assert.equal(addQuantities('0.1', '0.2'), '300m')
  assert.equal(addQuantities('1Gi', '-1Gi'), '0')
  assert.equal(addQuantities('1Ki', '1m'), '1024001m')
  assert.throws(() => addQuantities('1e999999999', '1'), QuantityError)
})

test('adding commutes in amount and has its inverse', () => {
  fc.assert(
    fc.property(summand, summand, (one, other) => {
      const sum = addQuantities(one, other)
      assert.equal(compareQuantities(sum, addQuantities(other, one)), 0)
      const negated = other.startsWith('-') ? other.slice(1) : `-${other}`
      assert.equal(compareQuantities(addQuantities(sum, negated), one), 0)
    }),
  )
})

test('counts a part of a byte as a whole one, away from zero', () => {
  assert.equal(quantityToBytes('1Gi'), 1n << 30n)
  assert.equal(quantityToBytes('100m'), 1n)
  assert.equal(quantityToBytes('-100m'), -1n)
  assert.equal(quantityToBytes('1.5'), 2n)
  assert.equal(quantityToBytes('8Ei'), 2n ** 63n - 1n)
})

test('refuses more bytes than a driver can be asked for', () => {
  for (const text of ['10E', '1e19', '1e999999999', '9223372036854775808']) {
    assert.throws(
      () => quantityToBytes(text),
      (error) => error instanceof QuantityError && error.message.includes(text),
    )
  }
})

test('shows bytes with a binary suffix where one fits', () => {
  assert.equal(quantityOfBytes(3n << 30n), '3Gi')
  assert.equal(quantityOfBytes(1536n), '1536')
  assert.equal(quantityOfBytes(5_000_000_000n), '5G')
  assert.equal(quantityOfBytes(0n), '0')
})

test('bytes come back from the quantity that shows them', () => {
  const bytes = fc.oneof(
    fc.bigInt(-(2n ** 63n) + 1n, 2n ** 63n - 1n),
    fc.bigInt(0n, 2n ** 20n).map((count) => count << 30n),
  )
  fc.assert(
    fc.property(bytes, (count) => {
      const text = quantityOfBytes(count)
      assert.equal(quantityToBytes(text), count)
      assert.equal(canonicalQuantity(text), text)
    }),
  )
})
