import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { nextTurn } from '../../base/next-turn.ts'
import { createSeededRandom } from '../../base/random.ts'
import { createSimulatedClock } from '../../base/simulated-clock.ts'
import { sleep } from '../../base/clock.ts'
import { createWorkQueue } from './work-queue.ts'
import type { QueueObserver, WorkQueueOptions, WorkResult } from './work-queue.ts'

const DONE: WorkResult = { kind: 'done' }
const FAILED: WorkResult = { kind: 'failed' }

/** A queue whose passes end when the test decides; records each with its time. */
function openQueue(options: Partial<WorkQueueOptions> = {}) {
  const clock = createSimulatedClock()
  const queue = createWorkQueue({ clock, random: createSeededRandom(1), ...options })
  const passes: [key: string, atMs: number][] = []
  const start = (work: (key: string) => Promise<WorkResult> = () => Promise.resolve(DONE)): void =>
    queue.start((key) => {
      passes.push([key, clock.monotonicMs()])
      return work(key)
    })
  return { clock, queue, passes, start }
}

describe('the work queue', () => {
  it('works on a key once, however often it was added in one moment', async () => {
    const { clock, queue, passes, start } = openQueue()
    start()
    queue.add('a')
    queue.add('b')
    queue.add('a')
    await clock.advance(0)
    assert.deepEqual(passes, [
      ['a', 0],
      ['b', 0],
    ])
  })

  it('lets timers and sockets in between the passes of a large backlog', async () => {
    const { queue, passes, start } = openQueue()
    for (let index = 0; index < 1000; index++) queue.add(String(index))
    start()
    const seen: number[] = []
    for (let turn = 0; turn < 20 && passes.length < 1000; turn++) {
      await nextTurn()
      seen.push(passes.length)
    }
    assert.equal(passes.length, 1000)
    const most = Math.max(...seen.map((count, turn) => count - (seen[turn - 1] ?? 0)))
    assert.ok(most <= 200, `${most} passes in one turn`)
    await queue.idle()
  })

  it('keeps what was added before it was started', async () => {
    const { clock, queue, passes, start } = openQueue()
    queue.add('a')
    await clock.advance(10)
    assert.deepEqual([passes.length, queue.depth()], [0, 1])
    start()
    await queue.idle()
    assert.deepEqual(passes, [['a', 10]])
  })

  it('does not work on a key twice at once, and once more when it was added meanwhile', async () => {
    const { clock, queue, passes, start } = openQueue()
    start(() => sleep(clock, 100).then(() => DONE))
    queue.add('a')
    await clock.advance(10)
    queue.add('a')
    queue.add('a')
    await clock.advance(1000)
    assert.deepEqual(passes, [
      ['a', 0],
      ['a', 100],
    ])
  })

  it('works on no more keys at once than a lane has workers, in the order in which they were added', async () => {
    const { clock, queue, passes, start } = openQueue({ lanes: { only: 2 } })
    start(() => sleep(clock, 100).then(() => DONE))
    for (const key of ['a', 'b', 'c', 'd', 'e']) queue.add(key)
    await clock.advance(1000)
    assert.deepEqual(passes, [
      ['a', 0],
      ['b', 0],
      ['c', 100],
      ['d', 100],
      ['e', 200],
    ])
  })

  it('does not let one lane starve another', async () => {
    const { clock, queue, passes, start } = openQueue({ lanes: { attach: 1, detach: 1 } })
    start((key) => (key.startsWith('slow') ? sleep(clock, 60_000).then(() => DONE) : Promise.resolve(DONE)))
    for (let index = 0; index < 5; index++) queue.add(`slow${index}`, 'detach')
    queue.add('quick', 'attach')
    await clock.advance(10)
    assert.deepEqual(passes, [
      ['quick', 0],
      ['slow0', 0],
    ])
  })

  it('moves a key that waits to the lane in which it was last added', async () => {
    const { clock, queue, passes, start } = openQueue({ lanes: { attach: 1, detach: 1 } })
    start(() => sleep(clock, 100).then(() => DONE))
    queue.add('busy', 'detach')
    queue.add('a', 'detach')
    await clock.advance(10)
    queue.add('a', 'attach')
    await clock.advance(1000)
    assert.deepEqual(passes, [
      ['busy', 0],
      ['a', 10],
    ])
  })

  it('refuses a lane that it does not have, before anything is waiting in it', () => {
    const { queue } = openQueue({ lanes: { attach: 1 } })
    assert.throws(() => queue.add('a', 'detach'), /no lane detach: lanes are attach/)
    assert.throws(() => queue.addAfter('a', 100, 'detach'), /no lane detach/)
  })

  it('comes back to a failed key with delays that grow up to a bound', async () => {
    const { clock, queue, passes, start } = openQueue({ backoff: { initialMs: 10, maximumMs: 40 } })
    start(() => Promise.resolve(FAILED))
    queue.add('a')
    await clock.advance(150)
    assert.deepEqual(
      passes.map(([, atMs]) => atMs),
      [0, 10, 30, 70, 110, 150],
    )
  })

  it('begins with the shortest delay again after a success, and for each key by itself', async () => {
    const { clock, queue, passes, start } = openQueue({ backoff: { initialMs: 10, maximumMs: 1000 } })
    const results = [FAILED, FAILED, DONE, FAILED, DONE]
    start((key) => Promise.resolve(key === 'a' ? (results.shift() ?? DONE) : FAILED))
    queue.add('a')
    await clock.advance(100)
    queue.add('a')
    queue.add('b')
    await clock.advance(20)
    assert.deepEqual(
      passes.filter(([key]) => key === 'a').map(([, atMs]) => atMs),
      [0, 10, 30, 100, 110],
    )
    assert.deepEqual(
      passes.filter(([key]) => key === 'b').map(([, atMs]) => atMs),
      [100, 110],
    )
  })

  it('counts an error that was thrown as a failure of that key alone', async () => {
    const { clock, queue, passes, start } = openQueue({ backoff: { initialMs: 10, maximumMs: 10 } })
    start((key) => {
      if (key === 'thrown') throw new Error('at once')
      return key === 'rejected' ? Promise.reject(new Error('later')) : Promise.resolve(DONE)
    })
    for (const key of ['thrown', 'rejected', 'fine']) queue.add(key)
    await clock.advance(10)
    assert.deepEqual(passes, [
      ['thrown', 0],
      ['rejected', 0],
      ['fine', 0],
      ['thrown', 10],
      ['rejected', 10],
    ])
  })

  it('comes back to a failed key at once when there is another reason to', async () => {
    const { clock, queue, passes, start } = openQueue({ backoff: { initialMs: 1000, maximumMs: 1000 } })
    start(() => Promise.resolve(FAILED))
    queue.add('a')
    await clock.advance(10)
    queue.add('a')
    await clock.advance(1000)
    assert.deepEqual(
      passes.map(([, atMs]) => atMs),
      [0, 10, 1010],
    )
  })

  it('comes back after the time that a pass asked for', async () => {
    const { clock, queue, passes, start } = openQueue()
    start(() => Promise.resolve(passes.length === 1 ? { kind: 'after', delayMs: 500 } : DONE))
    queue.add('a')
    await clock.advance(5000)
    assert.deepEqual(passes, [
      ['a', 0],
      ['a', 500],
    ])
  })

  it('takes the sooner of two times, whichever was said first', async () => {
    for (const delays of [
      [100, 300],
      [300, 100],
    ]) {
      const { clock, queue, passes, start } = openQueue()
      start()
      for (const delayMs of delays) queue.addAfter('a', delayMs)
      await clock.advance(1000)
      assert.deepEqual(passes, [['a', 100]])
    }
  })

  it('forgets a time once the key was worked on for another reason', async () => {
    const { clock, queue, passes, start } = openQueue()
    start()
    queue.addAfter('a', 100)
    queue.add('a')
    await clock.advance(1000)
    assert.deepEqual(passes, [['a', 0]])
  })

  it('is idle when nothing is ready or running, though a key waits for its time', async () => {
    const { clock, queue, start } = openQueue()
    start(() => sleep(clock, 100).then(() => DONE))
    queue.add('a')
    queue.addAfter('b', 60_000)
    let idle = false
    void queue.idle().then(() => (idle = true))
    await clock.advance(50)
    assert.equal(idle, false)
    await clock.advance(50)
    assert.equal(idle, true)
  })

  it('waits on stop for what is running, takes nothing more up and leaves no timer', async () => {
    const { clock, queue, passes, start } = openQueue({ lanes: { only: 1 } })
    start(() => sleep(clock, 100).then(() => FAILED))
    queue.add('running')
    queue.add('ready')
    queue.addAfter('later', 10)
    await clock.advance(5)
    queue.add('running')
    let stopped = false
    void queue.stop().then(() => (stopped = true))
    queue.add('too late')
    await clock.advance(90)
    assert.equal(stopped, false)
    await clock.advance(10)
    assert.equal(stopped, true)
    assert.deepEqual(passes, [['running', 0]])
    assert.equal(clock.pendingTimers(), 0)
  })

  it('lets those go who wait for it to be idle when it is stopped before it was started', async () => {
    const { queue } = openQueue()
    queue.add('a')
    const idle = queue.idle()
    await queue.stop()
    await idle
  })

  it('tells its observer what happened in which lane', async () => {
    const seen: unknown[][] = []
    const note =
      (what: string) =>
      (...values: unknown[]) =>
        void seen.push([what, ...values])
    const observe: QueueObserver = {
      added: note('added'),
      depth: note('depth'),
      started: note('started'),
      finished: note('finished'),
      retried: note('retried'),
    }
    const { clock, queue, start } = openQueue({ observe, backoff: { initialMs: 50, maximumMs: 50 } })
    start(() => sleep(clock, 20).then(() => FAILED))
    queue.add('a')
    queue.add('a')
    await clock.advance(5)
    queue.add('a')
    queue.add('a')
    await clock.advance(15)
    await clock.advance(10)
    assert.deepEqual(seen, [
      ['added', 'default'],
      ['depth', 'default', 1],
      ['depth', 'default', 0],
      ['started', 'default', 'a', 0],
      ['added', 'default'],
      ['finished', 'default', 'a', 20],
      ['retried', 'default'],
      ['depth', 'default', 1],
      ['depth', 'default', 0],
      ['started', 'default', 'a', 15],
    ])
  })

  it('works on every key after it was last asked for, and never twice at once, whatever happens', async () => {
    const key = fc.constantFrom('a', 'b', 'c')
    const lane = fc.constantFrom('first', 'second')
    const step = fc.oneof(
      fc.record({ kind: fc.constant('add' as const), key, lane }),
      fc.record({ kind: fc.constant('addAfter' as const), key, lane, delayMs: fc.nat(50) }),
      fc.record({ kind: fc.constant('advance' as const), byMs: fc.nat(30) }),
    )
    const pass = fc.record({
      tookMs: fc.nat(20),
      result: fc.oneof(
        fc.constant(DONE),
        fc.constant(FAILED),
        fc.nat(40).map((delayMs): WorkResult => ({ kind: 'after', delayMs })),
      ),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), fc.array(pass, { maxLength: 30 }), async (steps, script) => {
        const clock = createSimulatedClock()
        const queue = createWorkQueue({
          clock,
          random: createSeededRandom(1),
          lanes: { first: 1, second: 2 },
          backoff: { initialMs: 5, maximumMs: 50 },
        })
        const running = new Set<string>()
        const wanted = new Set<string>()
        const twiceAtOnce: string[] = []
        queue.start(async (taken) => {
          if (running.has(taken)) twiceAtOnce.push(taken)
          running.add(taken)
          wanted.delete(taken)
          const { tookMs, result } = script.shift() ?? { tookMs: 1, result: DONE }
          await sleep(clock, tookMs)
          running.delete(taken)
          if (result.kind !== 'done') wanted.add(taken)
          return result
        })
        for (const each of steps) {
          if (each.kind === 'advance') await clock.advance(each.byMs)
          else {
            wanted.add(each.key)
            if (each.kind === 'add') queue.add(each.key, each.lane)
            else queue.addAfter(each.key, each.delayMs, each.lane)
          }
        }
        await clock.advance(10_000)
        assert.deepEqual([...wanted], [])
        assert.deepEqual(twiceAtOnce, [])
        assert.equal(queue.depth(), 0)
        assert.equal(clock.pendingTimers(), 0)
      }),
      { numRuns: 300 },
    )
  })
})
