import assert from 'node:assert/strict'
import { getEventListeners } from 'node:events'
import { describe, it } from 'node:test'
import { abandonOnAbort, startDeadline, unreachable } from './abort.ts'
import { createSimulatedClock } from './simulated-clock.ts'

const late = (): Error => new Error('late')
const listenersOf = (signal: AbortSignal): number => getEventListeners(signal, 'abort').length

describe('startDeadline', () => {
  it('aborts with its reason after the delay and not before', async () => {
    const clock = createSimulatedClock()
    using deadline = startDeadline(clock, 100, late)
    await clock.advance(99)
    assert.equal(deadline.signal.aborted, false)
    await clock.advance(1)
    assert.equal(deadline.signal.reason.message, 'late')
  })

  it("aborts with the parent's reason when that comes first", async () => {
    const clock = createSimulatedClock()
    const parent = new AbortController()
    using deadline = startDeadline(clock, 100, late, parent.signal)
    const reason = new Error('stopping')
    parent.abort(reason)
    assert.equal(deadline.signal.reason, reason)
    await clock.advance(100)
    assert.equal(deadline.signal.reason, reason)
  })

  it('has aborted from the start when the parent has, and sets no timer', () => {
    const clock = createSimulatedClock()
    const reason = new Error('stopped')
    using deadline = startDeadline(clock, 100, late, AbortSignal.abort(reason))
    assert.equal(deadline.signal.reason, reason)
    assert.equal(clock.pendingTimers(), 0)
  })

  it('leaves neither a timer nor a listener once it is let go', () => {
    const clock = createSimulatedClock()
    const parent = new AbortController()
    const deadline = startDeadline(clock, 100, late, parent.signal)
    assert.deepEqual([clock.pendingTimers(), listenersOf(parent.signal)], [1, 1])
    deadline[Symbol.dispose]()
    assert.deepEqual([clock.pendingTimers(), listenersOf(parent.signal)], [0, 0])
    parent.abort()
    assert.equal(deadline.signal.aborted, false)
  })
})

describe('abandonOnAbort', () => {
  it('gives the result of the work and leaves no listener', async () => {
    const { signal } = new AbortController()
    assert.equal(await abandonOnAbort(Promise.resolve(7), signal), 7)
    assert.equal(listenersOf(signal), 0)
  })

  it('gives the failure of the work and leaves no listener', async () => {
    const { signal } = new AbortController()
    const failure = new Error('failed')
    await assert.rejects(abandonOnAbort(Promise.reject(failure), signal), failure)
    assert.equal(listenersOf(signal), 0)
  })

  it('needs no signal', async () => assert.equal(await abandonOnAbort(Promise.resolve(7), undefined), 7))

  it("rejects with the signal's reason while the work goes on", async () => {
    const controller = new AbortController()
    const work = Promise.withResolvers<number>()
    const result = abandonOnAbort(work.promise, controller.signal)
    controller.abort(late())
    await assert.rejects(result, { message: 'late' })
    work.resolve(1)
  })

  it('swallows the failure of work that nobody waits for any more', async () => {
    const reason = new Error('stopped')
    const work = Promise.withResolvers<never>()
    const [before, during] = [new AbortController(), new AbortController()]
    before.abort(reason)
    const results = [before.signal, during.signal].map((signal) => abandonOnAbort(work.promise, signal))
    during.abort(reason)
    for (const result of results) await assert.rejects(result, reason)
    // An unhandled rejection would fail this test file.
    work.reject(new Error('too late to matter'))
  })
})

describe('unreachable', () => {
  it('names the value that should not be', () => {
    assert.throws(() => unreachable({ kind: 'odd' } as never), /unexpected value: \{"kind":"odd"\}/)
  })
})
