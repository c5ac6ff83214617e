import { deepEqual, equal } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createLogger } from '../../base/logger.ts'
import { createSeededRandom } from '../../base/random.ts'
import { createSimulatedClock } from '../../base/simulated-clock.ts'
import { createBackgroundTasks } from './background-tasks.ts'

function openTasks() {
  const clock = createSimulatedClock()
  const lines: string[] = []
  const log = createLogger({ clock, write: (line) => void lines.push(line), format: 'json' })
  return { clock, lines, tasks: createBackgroundTasks({ clock, random: createSeededRandom(1), log }) }
}

describe('background tasks', () => {
  test('run after the turn in which they were asked for', async () => {
    const { tasks } = openTasks()
    const order: string[] = []
    tasks.schedule('a', async () => void order.push('ran'))
    order.push('asked')
    await tasks.idle()
    deepEqual(order, ['asked', 'ran'])
  })

  test('of one key run one at a time; asked for meanwhile, once more with the newest work', async () => {
    const { tasks } = openTasks()
    const gate = Promise.withResolvers<void>()
    const ran: string[] = []
    let running = 0
    const work = (name: string, wait?: Promise<void>) => async () => {
      equal(++running, 1)
      ran.push(name)
      await wait
      running--
    }
    tasks.schedule('a', work('first', gate.promise))
    await Promise.resolve()
    for (const name of ['second', 'third', 'fourth']) tasks.schedule('a', work(name))
    gate.resolve()
    await tasks.idle()
    deepEqual(ran, ['first', 'fourth'])
  })

  test('of different keys do not wait for each other', async () => {
    const { tasks } = openTasks()
    const gate = Promise.withResolvers<void>()
    let ran = false
    tasks.schedule('slow', () => gate.promise)
    tasks.schedule('quick', async () => void (ran = true))
    await Promise.resolve()
    await Promise.resolve()
    equal(ran, true)
    gate.resolve()
    await tasks.idle()
  })

  test('that fail are logged and repeated, with growing pauses', async () => {
    const { tasks, clock, lines } = openTasks()
    const timesMs: number[] = []
    tasks.schedule('a', async () => {
      timesMs.push(clock.monotonicMs())
      if (timesMs.length < 5) throw new Error('not yet')
    })
    await tasks.idle()
    equal(timesMs.length, 1, 'what waits for its time does not keep anybody from being idle')
    await clock.advance(60_000)
    equal(timesMs.length, 5)
    const pauses = timesMs.slice(1).map((ms, index) => ms - (timesMs[index] ?? 0))
    deepEqual(
      pauses,
      pauses.toSorted((one, other) => one - other),
    )
    equal(lines.length, 4)
    await clock.advance(60_000)
    equal(timesMs.length, 5, 'what succeeded is not repeated')
  })

  test('that are asked for again do not wait for the pause', async () => {
    const { tasks } = openTasks()
    let runs = 0
    const work = async (): Promise<void> => {
      if (++runs === 1) throw new Error('once')
    }
    tasks.schedule('a', work)
    await tasks.idle()
    tasks.schedule('a', work)
    await tasks.idle()
    equal(runs, 2)
  })

  test('can be set for later', async () => {
    const { tasks, clock } = openTasks()
    let ran = 0
    tasks.after('a', 1000, async () => void ran++)
    tasks.after('a', 2000, async () => void ran++)
    await clock.advance(1999)
    equal(ran, 0)
    await clock.advance(1)
    equal(ran, 1)
  })

  test('that were stopped run no more, and those that run are waited for', async () => {
    const { tasks, clock } = openTasks()
    const gate = Promise.withResolvers<void>()
    const ran: string[] = []
    tasks.schedule('running', async () => {
      await gate.promise
      ran.push('running')
    })
    tasks.after('later', 1000, async () => void ran.push('later'))
    await Promise.resolve()
    tasks.schedule('running', async () => void ran.push('again'))
    const stopped = tasks.stop()
    gate.resolve()
    await stopped
    tasks.schedule('new', async () => void ran.push('new'))
    await clock.advance(5000)
    deepEqual(ran, ['running'])
    equal(clock.pendingTimers(), 0)
  })
})
