import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { backoffDelayMs } from './backoff.ts'
import { createSeededRandom } from './random.ts'

const random = createSeededRandom(1)

describe('backoffDelayMs', () => {
  it('doubles from the initial delay up to the maximum', () => {
    const delays = [1, 2, 3, 4, 5, 6].map((failures) =>
      backoffDelayMs({ initialMs: 100, maximumMs: 1000 }, failures, random),
    )
    assert.deepEqual(delays, [100, 200, 400, 800, 1000, 1000])
  })

  it('grows by another factor', () => {
    assert.equal(backoffDelayMs({ initialMs: 10, maximumMs: 1e6, factor: 3 }, 4, random), 270)
  })

  it('treats no failure as the first', () =>
    assert.equal(backoffDelayMs({ initialMs: 10, maximumMs: 100 }, 0, random), 10))

  it('adds at most the given share at random', () => {
    const options = { initialMs: 100, maximumMs: 1000, jitter: 0.5 }
    const source = (fraction: number) => ({ ...random, fraction: () => fraction })
    assert.equal(backoffDelayMs(options, 2, source(0)), 200)
    assert.equal(backoffDelayMs(options, 2, source(0.5)), 250)
  })

  it('is a number between the initial delay and the maximum after any number of failures', () => {
    const options = fc.record({
      initialMs: fc.nat(1000),
      maximumMs: fc.integer({ min: 1000, max: 1e6 }),
      factor: fc.double({ min: 1, max: 10, noNaN: true }),
    })
    fc.assert(
      fc.property(options, fc.integer({ min: 1, max: 1e6 }), (given, failures) => {
        const delayMs = backoffDelayMs(given, failures, random)
        assert.ok(delayMs >= given.initialMs && delayMs <= given.maximumMs, String(delayMs))
      }),
    )
  })
})
