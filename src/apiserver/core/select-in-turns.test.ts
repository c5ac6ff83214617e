import { deepEqual, equal, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { CONFIG_MAPS } from '../../api/kinds/config-map.ts'
import { nextTurn } from '../../base/next-turn.ts'
import { configMap } from '../testing/objects-under-test.ts'
import { openServerUnderTest, recordWatch } from '../testing/open-server-under-test.ts'

// Large enough that searching takes many turns.
const SELECTOR = `listed,${Array.from({ length: 5000 }, (_, index) => `!k${index}`).join(',')}`
const COUNT = 300

async function openFilledServer() {
  const server = await openServerUnderTest()
  const create = (name: string) => server.api.create(CONFIG_MAPS, configMap(name, { labels: { listed: '' } }))
  await Promise.all(Array.from({ length: COUNT }, (_, index) => create(`n${index}`)))
  return { ...server, create, [Symbol.asyncDispose]: server.close }
}

async function countTurns<T>(work: Promise<T>): Promise<{ result: T; turns: number }> {
  let isDone = false
  const done = work.finally(() => void (isDone = true))
  let turns = 0
  for (; !isDone; turns++) await nextTurn()
  return { result: await done, turns }
}

test('a list that takes long shows one state, and others are served meanwhile', async () => {
  await using server = await openFilledServer()
  const listing = countTurns(server.api.list(CONFIG_MAPS, { namespace: 'default', labelSelector: SELECTOR }))
  await nextTurn()
  await server.create('late')
  await server.api.delete(CONFIG_MAPS, { namespace: 'default', name: 'n99' })
  const { result, turns } = await listing
  ok(turns > 5, `${turns} turns`)
  equal(result.items.length, COUNT)
  ok(result.items.some(({ metadata }) => metadata.name === 'n99'))
  ok(result.items.every(({ metadata }) => Number(metadata.resourceVersion) <= Number(result.resourceVersion)))
})

for (const from of ['the state', 'a revision']) {
  test(`a watch that takes long to begin with ${from} misses nothing that happens meanwhile, and shows it in order`, async () => {
    await using server = await openFilledServer()
    const resourceVersion =
      from === 'a revision'
        ? ((await server.api.get(CONFIG_MAPS, { namespace: 'default', name: 'n0' })).metadata.resourceVersion ?? '')
        : ''
    using watch = recordWatch((signal) =>
      server.api.watch(CONFIG_MAPS, { namespace: 'default', labelSelector: SELECTOR, resourceVersion, signal }),
    )
    await nextTurn()
    equal(watch.events.length, 0)
    await server.create('late')
    await server.api.delete(CONFIG_MAPS, { namespace: 'default', name: 'late' })
    const { turns } = await countTurns(watchUntil(() => watch.texts().includes('DELETED late')))
    ok(turns > 1)
    equal(watch.events.length, (from === 'a revision' ? COUNT - 1 : COUNT) + 2)
    deepEqual(watch.texts().slice(-2), ['ADDED late', 'DELETED late'])
  })
}

async function watchUntil(isSeen: () => boolean): Promise<void> {
  while (!isSeen()) await nextTurn()
}

test('a watch that is refused while it begins leaves nothing behind', async () => {
  await using server = await openFilledServer()
  const before = server.core.parts.hub.subscribers()
  const watch = recordWatch((signal) =>
    server.api.watch(CONFIG_MAPS, {
      namespace: 'default',
      sendInitialEvents: true,
      resourceVersionMatch: 'NotOlderThan',
      fieldSelector: 'spec.unknown=1',
      signal,
    }),
  )
  ok((await watch.ended) instanceof Error)
  equal(server.core.parts.hub.subscribers(), before)
})
