import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { sleep } from './clock.ts'
import { createSimulatedClock } from './simulated-clock.ts'

describe('the simulated clock', () => {
  it('stands still until it is told to move', async () => {
    const clock = createSimulatedClock(Date.UTC(2031, 0, 1))
    assert.equal(clock.nowMs(), Date.UTC(2031, 0, 1))
    await clock.advance(1500)
    assert.equal(clock.nowMs(), Date.UTC(2031, 0, 1) + 1500)
    assert.equal(clock.monotonicMs(), 1500)
  })

  it('fires timers in order of time, and those of one instant in the order in which they were set', async () => {
    const clock = createSimulatedClock()
    const fired: string[] = []
    const note = (name: string) => () => void fired.push(`${name}@${clock.monotonicMs()}`)
    clock.setTimer(20, note('late'))
    clock.setTimer(10, note('first'))
    clock.setTimer(10, note('second'))
    clock.setTimer(-1, note('overdue'))
    await clock.advance(15)
    assert.deepEqual(fired, ['overdue@0', 'first@10', 'second@10'])
    await clock.advance(5)
    assert.deepEqual(fired.at(-1), 'late@20')
    assert.equal(clock.pendingTimers(), 0)
  })

  it('runs what a timer sets off before the next one fires, however long the chain', async () => {
    const clock = createSimulatedClock()
    const seen: string[] = []
    const chain = async (): Promise<void> => {
      for (let step = 0; step < 50; step++) await Promise.resolve()
      seen.push('chain')
    }
    clock.setTimer(1, () => void chain())
    clock.setTimer(1, () => seen.push('next'))
    await clock.advance(1)
    assert.deepEqual(seen, ['chain', 'next'])
  })

  it('fires within the same move what a timer sets for later in it', async () => {
    const clock = createSimulatedClock()
    const woken: number[] = []
    const sleeper = async (): Promise<void> => {
      for (let round = 0; round < 3; round++) {
        await sleep(clock, 10)
        woken.push(clock.monotonicMs())
      }
    }
    const done = sleeper()
    await clock.advance(100)
    await done
    assert.deepEqual(woken, [10, 20, 30])
  })

  it('does not fire what was cancelled, even by a timer of the same instant', async () => {
    const clock = createSimulatedClock()
    let fired = 0
    clock.setTimer(10, () => doomed.cancel())
    const doomed = clock.setTimer(10, () => fired++)
    await clock.advance(10)
    assert.equal(fired, 0)
    assert.equal(clock.pendingTimers(), 0)
  })

  it('moves to the next timer and says whether there was one', async () => {
    const clock = createSimulatedClock()
    let fired = 0
    clock.setTimer(7000, () => fired++)
    assert.equal(await clock.advanceToNextTimer(), true)
    assert.deepEqual([fired, clock.monotonicMs()], [1, 7000])
    assert.equal(await clock.advanceToNextTimer(), false)
    assert.equal(clock.monotonicMs(), 7000)
  })

  it('keeps a timer that is set for never pending, and does not jump to the end of time for it', async () => {
    const clock = createSimulatedClock()
    clock.setTimer(Number.POSITIVE_INFINITY, () => assert.fail('must not fire'))
    assert.equal(await clock.advanceToNextTimer(), false)
    assert.equal(clock.monotonicMs(), 0)
    assert.equal(clock.pendingTimers(), 1)
  })

  it('never goes back when two moves run side by side', async () => {
    const clock = createSimulatedClock()
    await Promise.all([clock.advance(10), clock.advance(5)])
    assert.ok(clock.monotonicMs() >= 10)
  })

  it('fires exactly the timers that are due, sorted, for any set of timers', async () => {
    const delays = fc.array(fc.nat(50), { maxLength: 20 })
    await fc.assert(
      fc.asyncProperty(delays, fc.nat(60), async (delaysMs, byMs) => {
        const clock = createSimulatedClock()
        const fired: number[] = []
        for (const delayMs of delaysMs) clock.setTimer(delayMs, () => fired.push(delayMs))
        await clock.advance(byMs)
        const due = delaysMs.filter((delayMs) => delayMs <= byMs)
        assert.deepEqual(
          fired,
          due.toSorted((a, b) => a - b),
        )
        assert.equal(clock.pendingTimers(), delaysMs.length - due.length)
      }),
      { numRuns: 30 },
    )
  })
})
