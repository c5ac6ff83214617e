import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createSimulatedClock } from '../../base/simulated-clock.ts'
import { keepUntilExpiry } from './keep-until-expiry.ts'

function open(lifetimeMs: number) {
  const clock = createSimulatedClock()
  const gates: PromiseWithResolvers<void>[] = []
  let fetched = 0
  const state = { waits: false }
  const kept = keepUntilExpiry(clock, async () => {
    const value = `value ${++fetched}`
    if (state.waits) await (gates[gates.push(Promise.withResolvers<void>()) - 1] as PromiseWithResolvers<void>).promise
    return { value, expiresMs: clock.nowMs() + lifetimeMs }
  })
  return { clock, kept, gates, state }
}

describe('a kept value', () => {
  it('is fetched again only when its time is up', async () => {
    const { clock, kept } = open(60_000)
    assert.equal(await kept.get(), 'value 1')
    await clock.advance(59_999)
    assert.equal(await kept.get(), 'value 1')
    await clock.advance(1)
    assert.equal(await kept.get(), 'value 2')
  })

  it('is fetched once for all who ask at the same time', async () => {
    const { kept, gates, state } = open(60_000)
    state.waits = true
    const asked = Promise.all([kept.get(), kept.get(), kept.get()])
    gates[0]?.resolve()
    assert.deepEqual(await asked, ['value 1', 'value 1', 'value 1'])
  })

  it('is forgotten only when it is the one in question', async () => {
    const { kept } = open(60_000)
    const first = await kept.get()
    assert.equal(
      kept.forget((value) => value === first),
      true,
    )
    const second = await kept.get()
    assert.notEqual(second, first)
    assert.equal(
      kept.forget((value) => value === first),
      true,
    )
    assert.equal(await kept.get(), second)
  })

  it('that never changes is not forgotten, and says so', async () => {
    const { kept } = open(Number.POSITIVE_INFINITY)
    await kept.get()
    assert.equal(
      kept.forget(() => true),
      false,
    )
    assert.equal(await kept.get(), 'value 1')
  })

  it('is asked for anew after a failure', async () => {
    let failures = 1
    const kept = keepUntilExpiry(createSimulatedClock(), () =>
      failures-- > 0
        ? Promise.reject(new Error('away'))
        : Promise.resolve({ value: 1, expiresMs: Number.POSITIVE_INFINITY }),
    )
    await assert.rejects(kept.get(), /away/)
    assert.equal(await kept.get(), 1)
  })
})
