import { equal, rejects } from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Api } from '../../api/api.ts'
import { CONFIG_MAPS } from '../../api/kinds/config-map.ts'
import { createSimulatedClock } from '../../base/simulated-clock.ts'
import { limitRequests } from './limit-requests.ts'

const REF = { namespace: 'default', name: 'a' }

/** A server that never answers, and the requests that it received. */
function open(timeoutMs?: number) {
  const clock = createSimulatedClock()
  const stopping = new AbortController()
  const signals: AbortSignal[] = []
  const get: Api['get'] = (_type, _ref, options) => {
    if (options?.signal) signals.push(options.signal)
    return new Promise(() => {})
  }
  // Only `get` is called.
  const api = limitRequests({ get } as Api, {
    clock,
    signal: stopping.signal,
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  })
  return { api, clock, stopping, signals }
}

describe('a request with a deadline', () => {
  test('is given up when no answer comes, and the server is told', async () => {
    const { api, clock, signals } = open()
    const asking = rejects(api.get(CONFIG_MAPS, REF), /^Error: the API server did not answer within 30 s$/)
    await clock.advance(29_999)
    equal(signals[0]?.aborted, false)
    await clock.advance(1)
    await asking
    equal(signals[0]?.aborted, true)
  })

  test('has all of its time, however old those before it are', async () => {
    const { api, clock, signals } = open(1000)
    const first = rejects(api.get(CONFIG_MAPS, REF), /1 s/)
    await clock.advance(600)
    const second = rejects(api.get(CONFIG_MAPS, REF), /1 s/)
    await clock.advance(400)
    await first
    equal(signals[1]?.aborted, false)
    await clock.advance(600)
    await second
  })

  test('ends at once when the controller stops, and so do later ones', async () => {
    const { api, stopping } = open()
    const asking = rejects(api.get(CONFIG_MAPS, REF), /^Error: stopped$/)
    stopping.abort(new Error('stopped'))
    await asking
    await rejects(api.get(CONFIG_MAPS, REF), /^Error: stopped$/)
  })

  test("ends with the caller's own signal, and no other does", async () => {
    const { api, signals } = open()
    const own = new AbortController()
    const asking = rejects(api.get(CONFIG_MAPS, REF, { signal: own.signal }), /^Error: enough$/)
    void api.get(CONFIG_MAPS, REF)
    own.abort(new Error('enough'))
    await asking
    equal(signals[1]?.aborted, false)
  })

  test('leaves no timer behind once it is answered', async () => {
    const clock = createSimulatedClock()
    let timers = 0
    const counting = {
      ...clock,
      setTimer: (...args: Parameters<typeof clock.setTimer>) => {
        timers++
        const timer = clock.setTimer(...args)
        return {
          cancel: () => {
            timers--
            timer.cancel()
          },
        }
      },
    }
    const get = (() => Promise.resolve({})) as unknown as Api['get']
    const api = limitRequests({ get } as Api, { clock: counting, signal: new AbortController().signal })
    await Promise.all([api.get(CONFIG_MAPS, REF), api.get(CONFIG_MAPS, REF)])
    equal(timers, 0)
  })
})
