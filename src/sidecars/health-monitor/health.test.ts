import { deepEqual, equal, ok } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { ApiError } from '../../api/api-error.ts'
import { PERSISTENT_VOLUMES } from '../../api/kinds/persistent-volume.ts'
import { CsiError } from '../../csi/csi-error.ts'
import { createOn, reservedFor, volumeOf } from '../../testing/objects.ts'
import { createBound, entryOf, startUnderTest } from './testing/health-monitor-under-test.ts'
import type { Generation } from './testing/health-monitor-under-test.ts'

const MINUTE = 60_000
const ROUND = 5 * MINUTE

const GENERATIONS: Record<Generation, { text: string; calls: RegExp }> = {
  'list-health': { text: 'Degraded (BadDisk): bad disk', calls: /^(list|get v2)$/ },
  'get-health': { text: 'Degraded (BadDisk): bad disk', calls: /^get v\d$/ },
  'list-volumes': { text: 'bad disk', calls: /^list$/ },
  'get-volume': { text: 'bad disk', calls: /^get v\d$/ },
}

for (const [generation, { text, calls }] of Object.entries(GENERATIONS)) {
  describe(`a driver with the calls ${generation}`, () => {
    const startThree = (context: Parameters<typeof startUnderTest>[0]) =>
      startUnderTest(context, { generation: generation as Generation, volumes: 3 })

    test('an abnormal volume is reported on its claim once, and its recovery once', async (context) => {
      const { script, writes, events, advance } = await startThree(context)
      await advance(ROUND)
      deepEqual(await events(), [])
      script.problems.set('v2', [entryOf('bad disk')])
      await advance(ROUND)
      const abnormal = `Warning VolumeConditionAbnormal c2 x1: ${text}`
      deepEqual(await events(), [abnormal])
      await advance(ROUND)
      deepEqual(await events(), [abnormal], 'nothing is said twice')
      script.problems.delete('v2')
      await advance(ROUND)
      const recovered = [abnormal, 'Normal VolumeConditionNormal c2 x1: The Volume returns to the healthy state']
      deepEqual(await events(), recovered)
      for (let round = 0; round < 6; round++) await advance(ROUND)
      deepEqual(await events(), recovered)
      deepEqual(writes, [], 'nothing but events is ever written')
      deepEqual(
        script.calls.filter((call) => !calls.test(call)),
        [],
      )
    })

    test('a driver that fails says nothing about its volumes, neither that they are abnormal nor that they have recovered', async (context) => {
      const { script, events, advance } = await startThree(context)
      script.problems.set('v1', [entryOf('bad disk')])
      await advance(ROUND)
      const reported = await events()
      equal(reported.length, 1)
      script.problems.delete('v1')
      script.before = () => Promise.reject(new CsiError('NOT_FOUND', 'no such volume'))
      const before = script.calls.length
      await advance(2 * ROUND)
      ok(script.calls.length > before)
      deepEqual(await events(), reported)
      script.before = () => Promise.resolve()
      await advance(ROUND)
      equal((await events()).length, 2)
    })

    test('a call that hangs ends with its timeout, and the driver is asked again', async (context) => {
      const { script, events, advance } = await startThree(context)
      script.before = () => new Promise(() => {})
      await advance(ROUND)
      const hung = script.calls.length
      await advance(MINUTE)
      script.before = () => Promise.resolve()
      script.problems.set('v3', [entryOf('bad disk')])
      await advance(2 * ROUND)
      ok(script.calls.length > hung)
      deepEqual(await events(), [`Warning VolumeConditionAbnormal c3 x1: ${text}`])
    })

    test('a process that takes over repeats nothing, and reports a recovery that nobody has seen', async (context) => {
      const { script, events, advance, stop, start } = await startThree(context)
      script.problems.set('v1', [entryOf('bad disk')]).set('v2', [entryOf('bad disk')])
      await advance(ROUND)
      equal((await events()).length, 2)
      await stop()
      await advance(1000)
      script.problems.delete('v2')
      await start()
      await advance(ROUND)
      const all = await events()
      deepEqual(all.slice(2), ['Normal VolumeConditionNormal c2 x1: The Volume returns to the healthy state'])
      await stop()
      await start()
      await advance(ROUND)
      deepEqual(await events(), all)
    })
  })
}

test('a condition that lasts is repeated before its event expires, as one event with a count', async (context) => {
  const { script, events, advance } = await startUnderTest(context)
  script.problems.set('v1', [entryOf('bad disk')])
  for (let round = 0; round < 7; round++) await advance(ROUND)
  deepEqual(await events(), ['Warning VolumeConditionAbnormal c1 x2: Degraded (BadDisk): bad disk'])
})

test('another message is another event', async (context) => {
  const { script, events, advance } = await startUnderTest(context)
  script.problems.set('v1', [entryOf('slow')])
  await advance(ROUND)
  script.problems.set('v1', [entryOf('slow'), entryOf('all is lost', 3, 'Burnt')])
  await advance(ROUND)
  script.problems.set('v1', [entryOf('all is lost', 3, 'Burnt'), entryOf('slow')])
  await advance(ROUND)
  deepEqual(await events(), [
    'Warning VolumeConditionAbnormal c1 x1: Degraded (BadDisk): slow',
    'Warning VolumeConditionAbnormal c1 x1: DataLoss (Burnt): all is lost; Degraded (BadDisk): slow',
  ])
})

test('a volume that a list of abnormal volumes leaves out is asked for before it counts as recovered', async (context) => {
  const { script, events, advance } = await startUnderTest(context, { volumes: 2 })
  script.problems.set('v1', [entryOf('bad disk')])
  await advance(ROUND)
  script.unlisted.add('v1')
  script.calls.length = 0
  await advance(ROUND)
  deepEqual(script.calls, ['list', 'get v1'], 'only the volume that was abnormal is asked for')
  equal((await events()).length, 1)
  script.problems.delete('v1')
  await advance(ROUND)
  equal((await events()).length, 2)
  script.calls.length = 0
  await advance(ROUND)
  deepEqual(script.calls, ['list'])
})

test('a volume that ListVolumes leaves out is in the condition that it was in', async (context) => {
  const { script, events, advance } = await startUnderTest(context, { generation: 'list-volumes', volumes: 5 })
  script.problems.set('v5', [entryOf('bad disk')])
  await advance(ROUND)
  equal((await events()).length, 1, 'all pages are read')
  script.unlisted.add('v5')
  script.problems.delete('v5')
  await advance(3 * ROUND)
  equal((await events()).length, 1)
})

test('each volume is asked for once per interval, spread over it', async (context) => {
  const { script, advance } = await startUnderTest(context, { generation: 'get-volume', volumes: 20 })
  const perSlice: number[] = []
  for (let slice = 0; slice < 4; slice++) {
    const before = script.calls.length
    await advance(MINUTE / 4)
    perSlice.push(script.calls.length - before)
  }
  equal(new Set(script.calls).size, 20)
  equal(script.calls.length, 20)
  ok(Math.max(...perSlice) <= 12, `not all at once: ${perSlice.join(', ')}`)
  for (let minute = 0; minute < 3; minute++) await advance(MINUTE)
  equal(script.calls.length, 80)
})

test('volumes of other drivers, and volumes without a claim, are left alone', async (context) => {
  const { script, events, advance } = await startUnderTest(context, {
    generation: 'get-health',
    volumes: 0,
    before: async ({ api }) => {
      await createBound(api, 1, 'other.example.com')
      await createOn(api, PERSISTENT_VOLUMES, volumeOf({ name: 'v2' }))
      await createOn(api, PERSISTENT_VOLUMES, volumeOf({ name: 'v3', spec: { claimRef: reservedFor('nobody') } }))
    },
  })
  for (const name of ['v1', 'v2', 'v3']) script.problems.set(name, [entryOf('bad disk')])
  await advance(ROUND)
  deepEqual(await events(), [])
  deepEqual(script.calls, [])
})

test('a volume that is bound later is looked at from then on', async (context) => {
  const { script, api, events, advance } = await startUnderTest(context, { generation: 'get-volume', volumes: 0 })
  script.problems.set('v1', [entryOf('bad disk')])
  await createBound(api, 1)
  await advance(MINUTE)
  deepEqual(await events(), ['Warning VolumeConditionAbnormal c1 x1: bad disk'])
})

test('it works without the right to read events', async (context) => {
  const { script, events, advance } = await startUnderTest(context, {
    apiOf: ({ api }) => ({
      ...api,
      list: (type, options) =>
        type.plural === 'events'
          ? Promise.reject(new ApiError('Forbidden', 'events is forbidden'))
          : api.list(type, options),
    }),
  })
  script.problems.set('v1', [entryOf('bad disk')])
  await advance(ROUND)
  equal((await events()).length, 1)
})
