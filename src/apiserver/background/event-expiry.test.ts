import { deepEqual, equal, ok } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { EVENTS } from '../../api/kinds/event.ts'
import type { Event } from '../../api/kinds/event.ts'
import { createSimulatedClock } from '../../base/simulated-clock.ts'
import { createSimulatedBackend } from '../../testing/simulated-backend.ts'
import { openServerUnderTest } from '../testing/open-server-under-test.ts'
import type { ServerUnderTest } from '../testing/open-server-under-test.ts'

const MINUTE_MS = 60_000
const event = (name: string, more: Partial<Event> = {}): Event => ({
  apiVersion: 'v1',
  kind: 'Event',
  metadata: { namespace: 'default', name },
  involvedObject: { kind: 'Pod', namespace: 'default', name: 'p' },
  reason: 'Happened',
  type: 'Normal',
  ...more,
})
const left = async (server: ServerUnderTest): Promise<(string | undefined)[]> => {
  await server.settled()
  return (await server.api.list(EVENTS)).items.map(({ metadata }) => metadata.name)
}

describe('events', () => {
  test('go an hour after they were last written', async () => {
    await using server = await openServerUnderTest()
    await server.api.create(EVENTS, event('once'))
    await server.api.create(EVENTS, event('again'))
    await server.clock.advance(30 * MINUTE_MS)
    await server.api.patch(EVENTS, { namespace: 'default', name: 'again' }, { type: 'merge', value: { count: 2 } })
    await server.clock.advance(29 * MINUTE_MS)
    deepEqual(await left(server), ['again', 'once'])
    await server.clock.advance(2 * MINUTE_MS)
    deepEqual(await left(server), ['again'])
    await server.clock.advance(30 * MINUTE_MS)
    deepEqual(await left(server), [])
  })

  test('go in their time after a restart too, whatever their names', async () => {
    const backend = createSimulatedBackend()
    const clock = createSimulatedClock()
    const first = await openServerUnderTest({ backend, clock })
    await first.api.create(EVENTS, event('z-old'))
    await clock.advance(40 * MINUTE_MS)
    await first.api.create(EVENTS, event('a-young'))
    await first.close()
    await using server = await openServerUnderTest({ backend, clock })
    await clock.advance(21 * MINUTE_MS)
    deepEqual(await left(server), ['a-young'])
    await clock.advance(40 * MINUTE_MS)
    deepEqual(await left(server), [])
  })

  test('that are old and were seen again lately stay over a restart', async () => {
    const backend = createSimulatedBackend()
    const clock = createSimulatedClock()
    const first = await openServerUnderTest({ backend, clock })
    await first.api.create(EVENTS, event('recurring'))
    await clock.advance(59 * MINUTE_MS)
    const lastTimestamp = new Date(clock.nowMs()).toISOString().replace('.000Z', 'Z')
    await first.api.patch(
      EVENTS,
      { namespace: 'default', name: 'recurring' },
      { type: 'merge', value: { count: 2, lastTimestamp } },
    )
    await first.close()
    await using server = await openServerUnderTest({ backend, clock })
    await clock.advance(30 * MINUTE_MS)
    deepEqual(await left(server), ['recurring'])
    await clock.advance(31 * MINUTE_MS)
    deepEqual(await left(server), [])
  })

  test('that somebody else has removed are no trouble', async () => {
    await using server = await openServerUnderTest()
    await server.api.create(EVENTS, event('gone'))
    await server.api.create(EVENTS, event('stays'))
    await server.api.delete(EVENTS, { namespace: 'default', name: 'gone' })
    await server.clock.advance(62 * MINUTE_MS)
    deepEqual(await left(server), [])
  })

  test('are bounded in number: the oldest go first, and a burst settles below the limit', async () => {
    await using server = await openServerUnderTest({ eventLimits: { mostEvents: 100 } })
    for (let index = 0; index < 100; index++) await server.api.create(EVENTS, event(numbered(index)))
    equal((await left(server)).length, 100)
    await server.api.patch(EVENTS, { namespace: 'default', name: numbered(0) }, { type: 'merge', value: { count: 2 } })
    await server.api.create(EVENTS, event(numbered(100)))
    const names = await left(server)
    equal(names.length, 90)
    deepEqual([names[0], names[1], names.at(-1)], [numbered(0), numbered(12), numbered(100)])
    await Promise.all(
      Array.from({ length: 1000 }, (_, index) => server.api.create(EVENTS, event(numbered(1000 + index)))),
    )
    const after = await left(server)
    ok(after.length <= 100, `${after.length} are left`)
    equal(after.at(-1), numbered(1999))
  })

  test('are bounded in size', async () => {
    await using server = await openServerUnderTest({ eventLimits: { mostBytes: 50_000 } })
    for (let index = 0; index < 100; index++)
      await server.api.create(EVENTS, event(numbered(index), { message: 'x'.repeat(900) }))
    const names = await left(server)
    ok(names.length > 20 && names.length < 50, `${names.length} are left`)
    equal(names.at(-1), numbered(99))
  })

  test('that a restart finds beyond the limit go at once', async () => {
    const backend = createSimulatedBackend()
    const first = await openServerUnderTest({ backend })
    for (let index = 0; index < 50; index++) await first.api.create(EVENTS, event(numbered(index)))
    await first.close()
    await using server = await openServerUnderTest({ backend, eventLimits: { mostEvents: 20 } })
    equal((await left(server)).length, 18)
  })
})

const numbered = (index: number): string => `e-${String(index).padStart(5, '0')}`
