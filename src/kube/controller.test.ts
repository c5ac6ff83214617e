import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { ApiError } from '../api/api-error.ts'
import { createLogger } from '../base/logger.ts'
import { createSeededRandom } from '../base/random.ts'
import { createSimulatedClock } from '../base/simulated-clock.ts'
import { sleep } from '../base/clock.ts'
import { after, DONE, startController } from './controller.ts'
import type { Reconciler } from './controller.ts'
import { createWorkQueue } from './work-queue.ts'

function run(reconcile: Reconciler) {
  const clock = createSimulatedClock()
  const lines: Record<string, unknown>[] = []
  const log = createLogger({
    clock,
    level: 'debug',
    format: 'json',
    write: (line) => void lines.push(JSON.parse(line) as Record<string, unknown>),
  })
  const queue = createWorkQueue({ clock, random: createSeededRandom(1), backoff: { initialMs: 10, maximumMs: 1000 } })
  const times: number[] = []
  const controller = startController({
    name: 'attacher',
    queue,
    log,
    reconcile: (key, context) => {
      times.push(clock.monotonicMs())
      return reconcile(key, context)
    },
  })
  return { clock, queue, controller, lines, times }
}

describe('the controller loop', () => {
  it('leaves a key alone that is done, until it is added again', async () => {
    const { clock, queue, times } = run(() => Promise.resolve(DONE))
    queue.add('a')
    await clock.advance(60_000)
    queue.add('a')
    await clock.advance(60_000)
    assert.deepEqual(times, [0, 60_000])
  })

  it('looks again after the time that the reconciler names', async () => {
    const { clock, queue, times } = run(() => Promise.resolve(times.length < 3 ? after(100) : DONE))
    queue.add('a')
    await clock.advance(60_000)
    assert.deepEqual(times, [0, 100, 200])
  })

  it('logs an error once, with key and pass, and tries again later', async () => {
    const { clock, queue, times, lines } = run(() =>
      times.length < 3 ? Promise.reject(new Error('no room')) : Promise.resolve(DONE),
    )
    queue.add('default/a')
    await clock.advance(60_000)
    assert.deepEqual(times, [0, 10, 30])
    assert.deepEqual(
      lines.map(({ level, controller, key, pass, error }) => ({ level, controller, key, pass, error })),
      [1, 2].map((pass) => ({
        level: 'warn',
        controller: 'attacher',
        key: 'default/a',
        pass,
        error: { message: 'no room' },
      })),
    )
  })

  it('does not alarm anybody about a conflict, and tries again', async () => {
    const { clock, queue, times, lines } = run(() =>
      times.length < 2 ? Promise.reject(new ApiError('Conflict', 'modified')) : Promise.resolve(DONE),
    )
    queue.add('a')
    await clock.advance(1000)
    assert.equal(times.length, 2)
    assert.deepEqual(
      lines.map(({ level }) => level),
      ['debug'],
    )
  })

  it('binds the key to what the reconciler logs', async () => {
    const { clock, queue, lines } = run((_key, { log }) => {
      log.info('volume attached', { node: 'n1' })
      return Promise.resolve(DONE)
    })
    queue.add('a')
    await clock.advance(0)
    assert.deepEqual(
      lines.map(({ message, controller, key, node }) => ({ message, controller, key, node })),
      [{ message: 'volume attached', controller: 'attacher', key: 'a', node: 'n1' }],
    )
  })

  it('tells what is running to give up on stop, waits for it, and does not call that an error', async () => {
    const { clock, queue, controller, lines, times } = run(async (_key, { signal }) => {
      await sleep(clock, 60_000, signal).catch(async (reason: unknown) => {
        await sleep(clock, 5)
        throw reason
      })
      return DONE
    })
    queue.add('a')
    await clock.advance(100)
    let stopped = false
    void controller.stop().then(() => (stopped = true))
    await clock.advance(4)
    assert.equal(stopped, false)
    await clock.advance(1)
    assert.equal(stopped, true)
    assert.deepEqual(lines, [])
    assert.equal(times.length, 1)
    assert.equal(clock.pendingTimers(), 0)
  })
})
