import assert from 'node:assert/strict'
import { describe, it, mock } from 'node:test'
import { createSystemClock, repeat, sleep } from './clock.ts'
import { createSimulatedClock } from './simulated-clock.ts'

describe('the system clock', () => {
  it('tells the wall time and a time that only grows', () => {
    const clock = createSystemClock()
    const [wallMs, firstMs] = [clock.nowMs(), clock.monotonicMs()]
    assert.ok(Math.abs(wallMs - Date.now()) < 60_000)
    assert.ok(clock.monotonicMs() >= firstMs)
  })

  it('fires a timer once', async () => {
    const clock = createSystemClock()
    let fired = 0
    await new Promise<void>((resolve) => {
      clock.setTimer(0, () => {
        fired++
        resolve()
      })
    })
    await sleep(clock, 0)
    assert.equal(fired, 1)
  })

  it('takes a negative delay as none', () =>
    new Promise<void>((resolve) => void createSystemClock().setTimer(-5, resolve)))

  describe('with timers that a test moves', () => {
    const LONGEST_MS = 2 ** 31 - 1
    const withMockedTimers = (body: (tick: (byMs: number) => void) => void) => (): void => {
      mock.timers.enable({ apis: ['setTimeout'] })
      try {
        body((byMs) => mock.timers.tick(byMs))
      } finally {
        mock.timers.reset()
      }
    }

    it(
      'waits the whole delay even when it is longer than setTimeout can wait',
      withMockedTimers((tick) => {
        let fired = 0
        createSystemClock().setTimer(2 * LONGEST_MS + 10, () => fired++)
        tick(LONGEST_MS)
        tick(LONGEST_MS)
        tick(9)
        assert.equal(fired, 0)
        tick(1)
        assert.equal(fired, 1)
      }),
    )

    it(
      'cancels a long timer after its first part too',
      withMockedTimers((tick) => {
        let fired = 0
        const timer = createSystemClock().setTimer(LONGEST_MS + 10, () => fired++)
        tick(LONGEST_MS)
        timer.cancel()
        tick(LONGEST_MS)
        assert.equal(fired, 0)
      }),
    )

    it(
      'never fires a timer that is set for never',
      withMockedTimers((tick) => {
        let fired = 0
        createSystemClock().setTimer(Number.POSITIVE_INFINITY, () => fired++)
        for (let round = 0; round < 3; round++) tick(LONGEST_MS)
        assert.equal(fired, 0)
      }),
    )

    it(
      'does not mind a cancel after the timer has fired',
      withMockedTimers((tick) => {
        let fired = 0
        const timer = createSystemClock().setTimer(5, () => fired++)
        tick(5)
        timer.cancel()
        assert.equal(fired, 1)
      }),
    )
  })
})

describe('sleep', () => {
  it('resolves after the delay and not before', async () => {
    const clock = createSimulatedClock()
    let awake = false
    const slept = sleep(clock, 100).then(() => (awake = true))
    await clock.advance(99)
    assert.equal(awake, false)
    await clock.advance(1)
    await slept
    assert.equal(awake, true)
  })

  it("rejects with the signal's reason and leaves no timer behind", async () => {
    const clock = createSimulatedClock()
    const controller = new AbortController()
    const reason = new Error('enough')
    const slept = sleep(clock, 100, controller.signal)
    controller.abort(reason)
    await assert.rejects(slept, reason)
    assert.equal(clock.pendingTimers(), 0)
  })

  it('rejects at once when the signal has aborted before, without a timer', async () => {
    const clock = createSimulatedClock()
    const reason = new Error('too late')
    await assert.rejects(sleep(clock, 100, AbortSignal.abort(reason)), reason)
    assert.equal(clock.pendingTimers(), 0)
  })

  it('stays resolved when the signal aborts afterwards', async () => {
    const clock = createSimulatedClock()
    const controller = new AbortController()
    const slept = sleep(clock, 1, controller.signal)
    await clock.advance(1)
    controller.abort()
    await slept
  })
})

describe('repeat', () => {
  it('calls back every period with the time since the start, until it is disposed', async () => {
    const clock = createSimulatedClock()
    const elapsed: number[] = []
    const repeating = repeat(clock, 100, (elapsedMs) => elapsed.push(elapsedMs))
    await clock.advance(250)
    repeating[Symbol.dispose]()
    await clock.advance(250)
    assert.deepEqual(elapsed, [100, 200])
    assert.equal(clock.pendingTimers(), 0)
  })
})
