import assert from 'node:assert/strict'
import { it } from 'node:test'
import { createSimulatedClock } from '../../base/simulated-clock.ts'
import { createRateLimit } from './rate-limit.ts'

it('lets a burst pass at once and the rest in order, at the rate', async () => {
  const clock = createSimulatedClock()
  const limit = createRateLimit(clock, { qps: 5, burst: 2 })
  const passed: [request: number, atMs: number][] = []
  const requests = [1, 2, 3, 4].map((request) => limit().then(() => passed.push([request, clock.monotonicMs()])))
  await clock.advance(1000)
  await Promise.all(requests)
  assert.deepEqual(passed, [
    [1, 0],
    [2, 0],
    [3, 200],
    [4, 400],
  ])
})

it('never saves up more than a burst', async () => {
  const clock = createSimulatedClock()
  const limit = createRateLimit(clock, { qps: 5, burst: 2 })
  await clock.advance(60_000)
  let passed = 0
  for (let index = 0; index < 4; index++) void limit().then(() => passed++)
  await clock.advance(0)
  assert.equal(passed, 2)
})

it('gives back the turn of a request that is given up', async () => {
  const clock = createSimulatedClock()
  const limit = createRateLimit(clock, { qps: 1, burst: 1 })
  await limit()
  const controller = new AbortController()
  const given = assert.rejects(limit(controller.signal), /given up/)
  controller.abort(new Error('given up'))
  await given
  assert.equal(clock.pendingTimers(), 0)
  let passedMs = 0
  void limit().then(() => (passedMs = clock.monotonicMs()))
  await clock.advance(5000)
  assert.equal(passedMs, 1000)
})
