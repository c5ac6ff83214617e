import { deepEqual, equal, ok, rejects } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { sleep } from '../base/clock.ts'
import { createSimulatedClock } from '../base/simulated-clock.ts'
import { CsiError } from '../csi/csi-error.ts'
import type { Driver } from '../csi/rpc.ts'
import { limitDriver, workersOf } from './limit-driver.ts'
import type { Workers } from './limit-driver.ts'

/** A driver that needs a second for each call, however many there are, and its busiest moment. */
function start(workers: Workers, fail?: () => Error | undefined) {
  const clock = createSimulatedClock()
  const inFlight = { createVolume: 0, deleteVolume: 0 }
  const most = { createVolume: 0, deleteVolume: 0 }
  const call =
    (name: 'createVolume' | 'deleteVolume') => async (_request: object, options?: { signal?: AbortSignal }) => {
      most[name] = Math.max(most[name], ++inFlight[name])
      await sleep(clock, 1000, options?.signal).finally(() => inFlight[name]--)
      const error = fail?.()
      if (error) throw error
      return {}
    }
  const slow = {
    createVolume: call('createVolume'),
    deleteVolume: call('deleteVolume'),
    probe: () => Promise.resolve({}),
  }
  return { clock, most, inFlight, driver: limitDriver(slow as unknown as Driver, clock, workers) }
}
const many = (count: number, act: () => Promise<unknown>): Promise<unknown> =>
  Promise.allSettled(Array.from({ length: count }, act))

describe('calls to a driver', () => {
  test('begin with the default of the Go sidecar, and grow with a driver that gains from it', async () => {
    const { clock, most, driver } = start(workersOf(undefined, 10))
    const all = many(1500, () => driver.createVolume({}))
    await clock.advance(1000)
    equal(most.createVolume, 10)
    await clock.advance(100_000)
    await all
    ok(most.createVolume > 50, `${most.createVolume}`)
  })

  test('are never more than the given number', async () => {
    const { clock, most, driver } = start(workersOf(7, 10))
    const all = many(200, () => driver.createVolume({}))
    await clock.advance(60_000)
    await all
    equal(most.createVolume, 7)
    equal(workersOf(7, 10).passes, 7)
  })

  for (const code of ['RESOURCE_EXHAUSTED', 'UNAVAILABLE', 'ABORTED', 'DEADLINE_EXCEEDED'] as const)
    test(`become fewer after ${code}, and never stop`, async () => {
      const { clock, inFlight, driver } = start(
        workersOf(undefined, 10),
        () => new CsiError(code, 'too much', { rpc: 'CreateVolume' }),
      )
      const all = many(40, () => driver.createVolume({}))
      await clock.advance(3500)
      equal(inFlight.createVolume, 2)
      await clock.advance(60_000)
      await all
    })

  test('do not become fewer after an error that is no overload', async () => {
    const { clock, inFlight, driver } = start(
      workersOf(undefined, 10),
      () => new CsiError('INVALID_ARGUMENT', 'no', { rpc: 'CreateVolume' }),
    )
    const all = many(60, () => driver.createVolume({}))
    await clock.advance(2500)
    ok(inFlight.createVolume >= 10)
    await clock.advance(60_000)
    await all
  })

  test('of one kind do not wait for those of another', async () => {
    const { clock, inFlight, driver } = start(workersOf(3, 10))
    const all = many(20, () => driver.deleteVolume({}))
    const created = driver.createVolume({})
    await clock.advance(0)
    deepEqual(inFlight, { createVolume: 1, deleteVolume: 3 })
    await driver.probe({})
    await clock.advance(10_000)
    await all
    await created
  })

  test('that wait for their turn can be given up', async () => {
    const { clock, driver } = start(workersOf(1, 10))
    const first = driver.createVolume({})
    const controller = new AbortController()
    const second = rejects(driver.createVolume({}, { signal: controller.signal }), /no patience/)
    controller.abort(new Error('no patience'))
    await second
    await clock.advance(1000)
    await first
  })
})
