import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { isCsiError } from '../csi-error.ts'
import { chooseCapacity, fitsCapacity } from './choose-capacity.ts'

const RULES = { defaultBytes: 100n, minimumBytes: 10n, maximumBytes: 1000n }

describe('chooseCapacity', () => {
  const cases: [behaviour: string, requiredBytes: bigint, limitBytes: bigint, size: bigint | 'OUT_OF_RANGE'][] = [
    ['takes the default when nothing is asked for', 0n, 0n, 100n],
    ['takes what is required', 50n, 0n, 50n],
    ['takes what is required, not the limit', 50n, 500n, 50n],
    ['takes exactly the limit where that is required', 50n, 50n, 50n],
    ['stays within a limit below the default', 0n, 50n, 50n],
    ['takes the default below a higher limit', 0n, 500n, 100n],
    ['rounds a small wish up to the minimum', 1n, 0n, 10n],
    ['rounds up to the minimum within the limit', 1n, 10n, 10n],
    ['refuses a limit below the minimum', 1n, 9n, 'OUT_OF_RANGE'],
    ['refuses a limit alone below the minimum', 0n, 9n, 'OUT_OF_RANGE'],
    ['takes the maximum', 1000n, 0n, 1000n],
    ['refuses more than the maximum', 1001n, 0n, 'OUT_OF_RANGE'],
  ]
  for (const [behaviour, requiredBytes, limitBytes, size] of cases) {
    it(behaviour, () => {
      const choose = (): bigint => chooseCapacity({ requiredBytes, limitBytes }, RULES)
      if (size === 'OUT_OF_RANGE') assert.throws(choose, (error) => isCsiError(error, 'OUT_OF_RANGE'))
      else assert.equal(choose(), size)
    })
  }

  it('takes the default without a range', () => assert.equal(chooseCapacity(undefined, RULES), 100n))

  it('always chooses what fits the request and the rules, or refuses', () => {
    const bytes = fc.bigInt({ min: 0n, max: 2000n })
    fc.assert(
      fc.property(bytes, bytes, (requiredBytes, limitBytes) => {
        try {
          const size = chooseCapacity({ requiredBytes, limitBytes }, RULES)
          assert.ok(fitsCapacity(size, { requiredBytes, limitBytes }))
          assert.ok(size >= RULES.minimumBytes && size <= RULES.maximumBytes)
        } catch (error) {
          assert.ok(isCsiError(error, 'OUT_OF_RANGE'), String(error))
          const isPossible =
            requiredBytes <= RULES.maximumBytes &&
            (limitBytes === 0n || (limitBytes >= RULES.minimumBytes && requiredBytes <= limitBytes))
          assert.equal(isPossible, false)
        }
      }),
    )
  })
})

describe('fitsCapacity', () => {
  it('compares a size with both bounds, of which 0 is none', () => {
    assert.equal(fitsCapacity(50n, undefined), true)
    assert.equal(fitsCapacity(50n, { requiredBytes: 50n, limitBytes: 50n }), true)
    assert.equal(fitsCapacity(50n, { requiredBytes: 51n, limitBytes: 0n }), false)
    assert.equal(fitsCapacity(50n, { requiredBytes: 0n, limitBytes: 49n }), false)
    assert.equal(fitsCapacity(50n, { requiredBytes: 0n, limitBytes: 0n }), true)
  })
})
