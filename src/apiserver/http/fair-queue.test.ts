import { deepEqual, equal, rejects, throws } from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { createSimulatedClock } from '../../base/simulated-clock.ts'
import { isRefusal } from '../testing/is-refusal.ts'
import { FairLevel } from './fair-level.ts'
import { createFairQueue, createTurn } from './fair-queue.ts'
import type { Seat } from './fair-queue.ts'
import { parseRequestInfo } from './parse-request-info.ts'
import { parseTarget } from './parse-target.ts'
import { priorityOf } from './priority-levels.ts'

const LIMITS = { seats: 2, waitingPerFlow: 3, waiting: 5 }
const info = (method: string, path: string) => parseRequestInfo(method, parseTarget(path))
const user = (name: string, ...groups: string[]) => ({ name, groups: ['system:authenticated', ...groups] })

describe('the turns of a priority level', () => {
  test('a flow with many requests waits for its turn, and the others get theirs', () => {
    const level = new FairLevel(LIMITS)
    const arrivals = ['a', 'a', 'a', 'a', 'a', 'a', 'b', 'b', 'c'].map((flow) => level.arrive(flow))
    deepEqual(arrivals, ['run', 'run', 'wait', 'wait', 'wait', 'reject', 'wait', 'wait', 'reject'])
    deepEqual(
      Array.from({ length: 7 }, () => level.leave()),
      ['a', 'b', 'a', 'b', 'a', undefined, undefined],
    )
    deepEqual([level.running, level.waiting], [0, 0])
  })

  test('a request that is given up makes room', () => {
    const level = new FairLevel({ ...LIMITS, seats: 1 })
    deepEqual([level.arrive('a'), level.arrive('a')], ['run', 'wait'])
    level.abandon('a')
    level.abandon('unknown')
    deepEqual([level.waiting, level.leave(), level.running], [0, undefined, 0])
  })

  test('never runs more than it has seats for, never leaves a seat empty while something waits, and forgets nothing', () => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof(fc.constantFrom('a', 'b', 'c'), fc.constant(undefined)), { maxLength: 200 }),
        (steps) => {
          const level = new FairLevel(LIMITS)
          let [running, waiting] = [0, 0]
          for (const flow of steps) {
            if (flow === undefined) {
              if (running === 0) continue
              const next = level.leave()
              equal(next === undefined, waiting === 0)
              if (next === undefined) running -= 1
              else waiting -= 1
            } else {
              const arrival = level.arrive(flow)
              equal(arrival === 'run', running < LIMITS.seats)
              if (arrival === 'run') running += 1
              if (arrival === 'wait') waiting += 1
            }
            deepEqual([level.running, level.waiting], [running, waiting])
          }
        },
      ),
    )
  })
})

describe('the priority of a request', () => {
  for (const [behaviour, asked, by, level] of [
    ['administrators never wait', info('POST', '/api/v1/nodes'), user('admin', 'system:masters'), 'exempt'],
    ['health checks never wait', info('GET', '/readyz/ping'), user('anyone'), 'exempt'],
    [
      'leases have a lane of their own',
      info('PUT', '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/a'),
      user('system:serviceaccount:a:b', 'system:serviceaccounts'),
      'leader-election',
    ],
    ['so do nodes', info('PATCH', '/api/v1/nodes/n/status'), user('system:node:n', 'system:nodes'), 'node-high'],
    [
      'service accounts',
      info('GET', '/api/v1/pods'),
      user('system:serviceaccount:a:b', 'system:serviceaccounts'),
      'workload-low',
    ],
    ['people', info('GET', '/api/v1/pods'), user('ann'), 'global-default'],
    ['metrics', info('GET', '/metrics'), user('ann'), 'global-default'],
  ] as const)
    test(behaviour, () => equal(priorityOf(asked, by), level))
})

describe('the queue of requests', () => {
  const limits = {
    'leader-election': LIMITS,
    'node-high': LIMITS,
    'workload-low': LIMITS,
    'global-default': { seats: 1, waitingPerFlow: 2, waiting: 10 },
  }
  const PODS = info('GET', '/api/v1/pods')
  const never = (): void => {}

  test('runs the requests of a level in turns of its users, and rejects those beyond the limit with Retry-After', async () => {
    const queue = createFairQueue(createSimulatedClock(), limits)
    const order: string[] = []
    const enter = async (name: string): Promise<Seat> => {
      const seat = await queue.enter(PODS, user(name), never)
      order.push(name)
      return seat
    }
    const first = await enter('flood')
    const others = [enter('flood'), enter('flood'), enter('ann')]
    throws(
      () => queue.enter(PODS, user('flood'), never),
      (error: { details?: { retryAfterSeconds?: number } }) =>
        isRefusal('TooManyRequests', /Too many requests/)(error) && error.details?.retryAfterSeconds === 1,
    )
    first.release()
    first.release()
    ;(await others[0])?.release()
    ;(await others[2])?.release()
    ;(await others[1])?.release()
    deepEqual(order, ['flood', 'flood', 'ann', 'flood'])
    deepEqual(
      queue.use().find(({ level }) => level === 'global-default'),
      { level: 'global-default', running: 0, waiting: 0, rejected: { 'queue-full': 1, 'time-out': 0 } },
    )
  })

  test('gives up a request after 15 seconds, or when its client is gone', async () => {
    const clock = createSimulatedClock()
    const queue = createFairQueue(clock, limits)
    const seat = await queue.enter(PODS, user('a'), never)
    let leave = never
    const gone = Promise.resolve(queue.enter(PODS, user('b'), (callback) => void (leave = callback)))
    const late = Promise.resolve(queue.enter(PODS, user('c'), never))
    leave()
    await rejects(gone, isRefusal('TooManyRequests', /./))
    const rejected = rejects(late, isRefusal('TooManyRequests', /./))
    await clock.advance(15_000)
    await rejected
    seat.release()
    deepEqual(
      queue.use().map(({ running, waiting }) => running + waiting),
      [0, 0, 0, 0],
    )
  })
})

test('a request takes its seat after its content has arrived, and gives it back once', async () => {
  let [entered, released] = [0, 0]
  const enter = (): Seat => {
    entered += 1
    return { release: () => void (released += 1) }
  }
  const turn = createTurn(enter)
  const { promise, resolve } = Promise.withResolvers<string>()
  const content = turn.after(promise)
  equal(entered, 0)
  resolve('body')
  deepEqual([await content, entered, released], ['body', 1, 0])
  turn.end()
  equal(released, 1)
  equal(createTurn(enter).after('at once'), 'at once')
  const late = createTurn(() => Promise.resolve(enter()))
  const waiting = late.after('x')
  late.end()
  await waiting
  equal(released, 2)
})
