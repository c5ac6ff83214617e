import { deepEqual, equal, ok } from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { collectGarbage } from '../../base/testing/collect-garbage.ts'
import { createWatchStream } from './watch-stream.ts'
import type { StreamEvent } from './watch-stream.ts'

const event = (revision: number, length = 10): StreamEvent => ({
  type: 'MODIFIED',
  stored: { key: 'x', revision, object: { apiVersion: 'v1', kind: 'Pod', metadata: {} }, json: 'x'.repeat(length) },
})
const summary = (given: StreamEvent | undefined): number | string | undefined =>
  given && 'stored' in given ? given.stored.revision : given?.type
const LIMITS = { events: 3, length: 100 }

describe('watch stream', () => {
  test('gives events in order, one by one or all that wait', async () => {
    const stream = createWatchStream([event(1), event(2)])
    stream.push(event(3))
    stream.push(event(4))
    equal(summary(await stream.next()), 1)
    deepEqual(stream.takeAll().map(summary), [2, 3, 4])
    deepEqual(stream.takeAll(), [])
    stream.push(event(5))
    equal(summary(await stream.next()), 5)
  })

  test('wakes who waits', async () => {
    const stream = createWatchStream([])
    const next = stream.next()
    stream.push(event(1))
    equal(summary(await next), 1)
  })

  test('that has ended gives what is left, then nothing, and takes nothing more', async () => {
    const stream = createWatchStream([event(1)])
    let ended = 0
    stream.onEnd(() => void ended++)
    stream.push(event(2))
    stream.end()
    stream.end()
    stream.push(event(3))
    deepEqual([summary(await stream.next()), summary(await stream.next()), await stream.next()], [1, 2, undefined])
    equal(ended, 1)
  })

  test('that ends wakes who waits, with nothing', async () => {
    const stream = createWatchStream([])
    const next = stream.next()
    stream.end()
    equal(await next, undefined)
  })

  test('that is closed drops what is left', async () => {
    const stream = createWatchStream([event(1)])
    stream.push(event(2))
    stream.close()
    equal(await stream.next(), undefined)
  })

  test('too many events in place of a slow reader are one that says so, also when all of them are new objects', () => {
    const added = (revision: number): StreamEvent => ({ ...event(revision), type: 'ADDED' }) as StreamEvent
    const stream = createWatchStream([], LIMITS)
    for (let revision = 1; revision <= 3; revision++) stream.push(added(revision))
    equal(stream.takeAll().length, 3)
    for (let revision = 1; revision <= 4; revision++) stream.push(added(revision))
    const left = stream.takeAll()
    equal(left.length, 1)
    ok(left[0]?.type === 'ERROR' && left[0].error.code === 410)
  })

  test('too much text is too much as well', () => {
    const stream = createWatchStream([], LIMITS)
    stream.push(event(1, 60))
    stream.push(event(2, 60))
    deepEqual(stream.takeAll().map(summary), ['ERROR'])
  })

  test('what it begins with does not count, however much it is', async () => {
    const first = Array.from({ length: 10 }, (_, index) => event(index, 50))
    const stream = createWatchStream(first, LIMITS)
    for (let revision = 10; revision < 13; revision++) stream.push(event(revision))
    const seen: unknown[] = []
    for (let index = 0; index < 13; index++) seen.push(summary(await stream.next()))
    deepEqual(
      seen,
      Array.from({ length: 13 }, (_, index) => index),
    )
  })

  test('whoever keeps up holds nothing that was taken', async () => {
    const stream = createWatchStream([event(0)])
    const taken: WeakRef<StreamEvent>[] = []
    for (let revision = 1; revision <= 20; revision++) {
      taken.push(new WeakRef((await stream.next()) as StreamEvent))
      stream.push(event(revision))
    }
    await collectGarbage()
    deepEqual(
      taken.map((held) => summary(held.deref())),
      Array.from({ length: 20 }, () => undefined),
    )
    equal(summary(await stream.next()), 20)
  })

  test('a long queue that is read one by one takes no longer for each', async () => {
    const count = 100_000
    const stream = createWatchStream(Array.from({ length: count }, (_, index) => event(index)))
    let sum = 0
    for (let index = 0; index < count; index++) sum += Number(summary(await stream.next()))
    equal(sum, (count * (count - 1)) / 2)
  })

  test('loses and repeats nothing, whatever the reader does, until it says that it has', async () => {
    const step = fc.oneof(fc.constant('push' as const), fc.constant('next' as const), fc.constant('takeAll' as const))
    await fc.assert(
      fc.asyncProperty(fc.nat(5), fc.array(step, { maxLength: 60 }), async (initial, steps) => {
        const stream = createWatchStream(
          Array.from({ length: initial }, (_, index) => event(index)),
          LIMITS,
        )
        const taken: StreamEvent[] = []
        let pushed = initial
        for (const one of steps) {
          if (one === 'push') stream.push(event(pushed++))
          else if (one === 'takeAll') taken.push(...stream.takeAll())
          else if (taken.length < pushed && taken.at(-1)?.type !== 'ERROR')
            taken.push((await stream.next()) as StreamEvent)
        }
        taken.push(...stream.takeAll())
        const whole = taken.filter(({ type }) => type !== 'ERROR')
        deepEqual(
          whole.map(summary),
          whole.map((_, index) => index),
        )
        if (taken.at(-1)?.type !== 'ERROR') equal(taken.length, pushed)
      }),
    )
  })
})
