import { deepEqual, equal, ok, rejects } from 'node:assert/strict'
import { test } from 'node:test'
import { createAdaptiveLimit } from './adaptive-limit.ts'
import type { AdaptiveLimit, Urgency } from './adaptive-limit.ts'
import { sleep } from './clock.ts'
import { createSimulatedClock } from './simulated-clock.ts'
import type { SimulatedClock } from './simulated-clock.ts'

/** A server that works on so many calls at a time, each for so long, and refuses those beyond its patience. */
type Server = { workers: number; callMs: number; most: number }

/** Many callers at once for that time. Returns the answers, and the most calls that were under way. */
async function load(
  clock: SimulatedClock,
  limit: AdaptiveLimit,
  server: Server,
  forMs: number,
): Promise<{ answered: number; refused: number; most: number }> {
  const result = { answered: 0, refused: 0, most: 0 }
  const endMs = clock.monotonicMs() + forMs
  const freeAtMs = Array.from({ length: server.workers }, () => 0)
  let inFlight = 0
  const call = async (): Promise<void> => {
    await limit.enter()
    const startedMs = clock.monotonicMs()
    result.most = Math.max(result.most, ++inFlight)
    const isRefused = inFlight > server.most
    // The worker that is free first takes it.
    const worker = freeAtMs.indexOf(Math.min(...freeAtMs))
    const doneMs = isRefused ? startedMs + 1 : Math.max(startedMs, freeAtMs[worker] ?? 0) + server.callMs
    if (!isRefused) freeAtMs[worker] = doneMs
    await sleep(clock, doneMs - startedMs)
    inFlight--
    result[isRefused ? 'refused' : 'answered']++
    limit.leave(startedMs, isRefused)
  }
  const caller = async (): Promise<void> => {
    while (clock.monotonicMs() < endMs) await call()
  }
  const all = Promise.all(Array.from({ length: 300 }, caller))
  await clock.advance(forMs + 600_000)
  await all
  return result
}
const start = (ceiling = 100) => {
  const clock = createSimulatedClock()
  return { clock, limit: createAdaptiveLimit(clock, { start: 10, floor: 1, ceiling, restMs: 10_000 }) }
}

test('grows to what a server can use, and not far beyond', async () => {
  const { clock, limit } = start()
  const { answered } = await load(clock, limit, { workers: 40, callMs: 1000, most: Infinity }, 120_000)
  ok(limit.limit() >= 33 && limit.limit() <= 67, `the limit is ${limit.limit()}`)
  // Ten at a time would be 1,200.
  ok(answered > 3500, `${answered} answers`)
})

test('stays where it is if more calls at once are of no use', async () => {
  const { clock, limit } = start()
  const { most } = await load(clock, limit, { workers: 1, callMs: 10, most: Infinity }, 60_000)
  equal(limit.limit() <= 15, true)
  ok(most <= 15)
})

test('never exceeds its ceiling', async () => {
  const { clock, limit } = start(12)
  const { most } = await load(clock, limit, { workers: 1000, callMs: 100, most: Infinity }, 30_000)
  equal(most, 12)
})

test('shrinks until a server no longer refuses, and seldom asks for more', async () => {
  const { clock, limit } = start()
  const { answered, refused } = await load(clock, limit, { workers: 6, callMs: 100, most: 6 }, 120_000)
  ok(limit.limit() <= 9)
  ok(refused < answered / 10, `${refused} refused of ${answered}`)
})

test('steps back when a server becomes slow, and grows again with it', async () => {
  const { clock, limit } = start()
  await load(clock, limit, { workers: 60, callMs: 100, most: Infinity }, 30_000)
  const before = limit.limit()
  await load(clock, limit, { workers: 5, callMs: 1000, most: Infinity }, 120_000)
  ok(limit.limit() < before, `${limit.limit()} after ${before}`)
  await load(clock, limit, { workers: 60, callMs: 100, most: Infinity }, 120_000)
  ok(limit.limit() >= 40, `${limit.limit()}`)
})

test('what makes a volume usable goes first, and few of what nobody waits for are under way', async () => {
  const clock = createSimulatedClock()
  const limit = createAdaptiveLimit(clock, { start: 2, floor: 1, ceiling: 2, restMs: 1000 })
  const order: string[] = []
  const ask = (urgency: Urgency, name: string): void =>
    void Promise.resolve(limit.enter(urgency)).then(() => order.push(name))
  equal(limit.enter(), undefined)
  equal(limit.enter(), undefined)
  ask('last', 'event 1')
  ask('last', 'event 2')
  ask('later', 'delete')
  ask('first', 'create')
  ask('now', 'journal')
  for (let index = 0; index < 2; index++) limit.leave(0, false)
  await clock.advance(1)
  deepEqual(order, ['journal', 'create'])
  limit.leave(0, false, 'now')
  await clock.advance(1)
  deepEqual(order, ['journal', 'create', 'delete'])
  limit.leave(0, false)
  limit.leave(0, false, 'later')
  await clock.advance(1)
  // One of two turns stays free for something better.
  deepEqual(order, ['journal', 'create', 'delete', 'event 1'])
  equal(limit.enter(), undefined)
  limit.leave(0, false, 'last')
  await clock.advance(1)
  deepEqual(order.at(-1), 'event 2')
})

test('what nobody waits for does not compete with others, but gets its turn in the end', async () => {
  const clock = createSimulatedClock()
  const limit = createAdaptiveLimit(clock, { start: 32, floor: 1, ceiling: 32, restMs: 1000 })
  for (let index = 0; index < 4; index++) equal(limit.enter(), undefined)
  let isAdmitted = false
  const ask = (): void => void limit.enter('last')?.then(() => void (isAdmitted = true))
  ask()
  // There are 28 free turns, but others are under way.
  await clock.advance(100)
  equal(isAdmitted, false)
  limit.leave(0, false)
  await clock.advance(0)
  equal(isAdmitted, true)
  equal(limit.enter('last'), undefined)
  limit.leave(0, false, 'last')
  limit.leave(0, false, 'last')
  equal(limit.enter(), undefined)
  isAdmitted = false
  ask()
  for (let seconds = 0; seconds < 4; seconds++) {
    equal(isAdmitted, false)
    equal(limit.enter(), undefined)
    await clock.advance(1000)
    limit.leave(0, false)
  }
  await clock.advance(0)
  equal(isAdmitted, true)
})

test('nothing waits forever behind what is more urgent', async () => {
  const clock = createSimulatedClock()
  const limit = createAdaptiveLimit(clock, { start: 1, floor: 1, ceiling: 1, restMs: 1000 })
  const order: Urgency[] = []
  void limit.enter()
  for (const urgency of ['last', 'later'] as const) void limit.enter(urgency)?.then(() => order.push(urgency))
  for (let index = 0; index < 50; index++) {
    void limit.enter('first')?.then(() => order.push('first'))
    await clock.advance(100)
    limit.leave(0, false, order.at(-1) ?? 'first')
    await clock.advance(0)
  }
  const [later, last] = [order.indexOf('later'), order.indexOf('last')]
  ok(later >= 8 && later <= 12, `${later}`)
  ok(last >= 28 && last <= 32, `${last}`)
})

test('who gives up waiting has no turn', async () => {
  const clock = createSimulatedClock()
  const limit = createAdaptiveLimit(clock, { start: 1, floor: 1, ceiling: 1, restMs: 1000 })
  void limit.enter()
  const controller = new AbortController()
  const given = rejects(Promise.resolve(limit.enter('first', controller.signal)), /no patience/)
  const next = limit.enter()
  controller.abort(new Error('no patience'))
  await given
  limit.leave(0, false)
  await next
  await rejects(Promise.resolve(limit.enter('first', controller.signal)), /no patience/)
})
