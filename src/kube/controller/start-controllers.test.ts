import { deepEqual, equal, rejects } from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { TestContext } from 'node:test'
import type { Api } from '../../api/api.ts'
import { CONFIG_MAPS } from '../../api/kinds/config-map.ts'
import type { ConfigMap } from '../../api/kinds/config-map.ts'
import { refOf } from '../../api/object-key.ts'
import { openTestCore } from '../../apiserver/testing/open-test-core.ts'
import { createSilentLogger } from '../../base/logger.ts'
import { createSeededRandom } from '../../base/random.ts'
import { configMap } from '../testing/api-under-test.ts'
import { createEventRecorder } from './event-recorder.ts'
import { createInformers } from '../cache/informers.ts'
import type { Informers } from '../cache/informers.ts'
import { createChangeSource } from './change-source.ts'
import { atStart, defineController, keyIfPresent, on, onceSynced } from './controller-definition.ts'
import { startControllers } from './start-controllers.ts'
import type { ControllerRole } from './start-controllers.ts'

type View = { readonly map: ConfigMap }
type Step =
  | { readonly kind: 'wait'; readonly reason: { readonly code: string } }
  | { readonly kind: 'count'; readonly next: number }

/** Increments `data.count` of each ConfigMap with the label up to three. */
const counter = ({ api, follow }: ControllerRole, seen: string[] = []) => {
  const maps = follow(CONFIG_MAPS, { scope: { namespace: 'default' } })
  return defineController({
    name: 'counter',
    watch: [on(maps, keyIfPresent)],
    view: (key): View | undefined => {
      const map = maps.get(key)
      return map?.data?.['count'] === undefined ? undefined : { map }
    },
    decide: ({ map }: View): Step => {
      const count = Number(map.data?.['count'])
      seen.push(`${map.metadata.name} ${count}`)
      return count < 3 ? { kind: 'count', next: count + 1 } : { kind: 'wait', reason: { code: 'Counted' } }
    },
    perform: {
      count: async ({ next }, { view: { map } }) => {
        await api.patch(CONFIG_MAPS, refOf(map), {
          type: 'merge',
          value: { metadata: { resourceVersion: map.metadata.resourceVersion }, data: { count: `${next}` } },
        })
      },
    },
  })
}

async function open(context: TestContext, apiOf: (api: Api) => Api = (api) => api) {
  const core = await openTestCore(context)
  const { clock, server } = core
  const [api, random, log] = [apiOf(core.api), createSeededRandom(1), createSilentLogger()]
  const informers = createInformers({ api: core.api, clock, random, log })
  context.after(() => informers.stop())
  const world = {
    api,
    informers,
    events: createEventRecorder({ api, clock, log, component: 'test' }),
    clock,
    random,
    log,
  }
  const settle = async (isIdle: () => boolean): Promise<void> => {
    for (let quiet = 0; quiet < 8; quiet = isIdle() ? quiet + 1 : 0) {
      await clock.advance(0)
      await server.idle()
    }
  }
  const start = async (assemble: Parameters<typeof startControllers>[2]) => {
    let running: Awaited<ReturnType<typeof startControllers>> | undefined
    void startControllers(world, new AbortController().signal, assemble).then((started) => (running = started))
    while (!running) await clock.advance(0)
    const { isIdle, stop, failed } = running
    context.after(stop)
    await settle(isIdle)
    return { stop, settled: () => settle(isIdle), isIdle, failed }
  }
  const countOf = async (name: string): Promise<string | undefined> =>
    (await core.api.get(CONFIG_MAPS, { namespace: 'default', name })).data?.['count']
  return { ...core, world, start, countOf }
}

describe('running controllers', () => {
  test('work on what is there and on what comes', async (context) => {
    const { api, start, countOf } = await open(context)
    await api.create(CONFIG_MAPS, configMap('a', { count: '0' }))
    const { settled } = await start((role) => [counter(role)])
    equal(await countOf('a'), '3')
    await api.create(CONFIG_MAPS, configMap('b', { count: '2' }))
    await settled()
    equal(await countOf('b'), '3')
  })

  test('decide each step on what the last one wrote, before the server tells of it', async (context) => {
    const { api, start } = await open(context)
    await api.create(CONFIG_MAPS, configMap('a', { count: '0' }))
    const seen: string[] = []
    await start((role) => [counter(role, seen)])
    deepEqual(seen.slice(0, 4), ['a 0', 'a 1', 'a 2', 'a 3'])
  })

  test('hear of changes, and of what they wrote before the server tells of it', async (context) => {
    const { api, start } = await open(context)
    await api.create(CONFIG_MAPS, configMap('a', { count: '0' }))
    const heard = new Set<string>()
    await start((role) => {
      const maps = role.follow(CONFIG_MAPS, { scope: { namespace: 'default' } })
      maps.onUpdate((key) => heard.add(`${key} ${maps.get(key)?.data?.['count']}`))
      return [counter(role)]
    })
    const ofMap = [...heard].filter((each) => each.startsWith('default/a '))
    deepEqual(ofMap, ['default/a 0', 'default/a 1', 'default/a 2', 'default/a 3'])
  })

  test('hear nothing more once they have stopped', async (context) => {
    const { api, start, world, clock } = await open(context)
    const heard: string[] = []
    const { stop } = await start((role) => {
      const maps = role.follow(CONFIG_MAPS, { scope: { namespace: 'default' } })
      maps.onChange(({ key }) => heard.push(key))
      maps.onUpdate((key) => heard.push(key))
      return []
    })
    heard.length = 0
    await stop()
    const late = Promise.withResolvers<void>()
    world.informers.get(CONFIG_MAPS, { namespace: 'default' }).onChange(({ key }) => {
      if (key === 'default/late') late.resolve()
    })
    await api.create(CONFIG_MAPS, configMap('late', {}))
    await clock.advance(0)
    await late.promise
    deepEqual(heard, [])
  })

  test('fail as a whole when one of them says so', async (context) => {
    const { start } = await open(context)
    const { failed } = await start((role) => {
      role.fail(new Error('the journal is lost'))
      return []
    })
    await rejects(failed ?? Promise.resolve(), /the journal is lost/)
  })

  test('share what they follow and what they wrote', async (context) => {
    const { api, start } = await open(context)
    await api.create(CONFIG_MAPS, configMap('a', { count: '3' }))
    let same: boolean | undefined
    await start((role) => {
      same = role.follow(CONFIG_MAPS) === role.follow(CONFIG_MAPS)
      return []
    })
    equal(same, true)
  })

  test('watch what is not an API object, through a source of changes', async (context) => {
    const { start } = await open(context)
    const temperatures = createChangeSource<{ readonly place: string; readonly degrees: number }>()
    const seen: string[] = []
    const { settled, stop } = await start(() => [
      defineController({
        name: 'frost',
        watch: [on(temperatures, ({ place, degrees }) => (degrees < 0 ? place : undefined))],
        view: (place) => ({ place }),
        decide: ({ place }: { place: string }) => {
          seen.push(place)
          return { kind: 'wait' as const, reason: { code: 'Frost' } }
        },
        perform: {},
      }),
    ])
    temperatures.tell({ place: 'attic', degrees: -3 })
    temperatures.tell({ place: 'kitchen', degrees: 20 })
    await settled()
    deepEqual(seen, ['attic'])
    await stop()
    temperatures.tell({ place: 'cellar', degrees: -1 })
    await settled()
    deepEqual(seen, ['attic'])
  })

  test('are not idle while a pass is under way', async (context) => {
    const answer = Promise.withResolvers<void>()
    const { api, start, clock } = await open(context, (inner) => ({
      ...inner,
      patch: async (...args) => (await answer.promise, inner.patch(...args)),
    }))
    const { isIdle, settled } = await start((role) => [counter(role)])
    equal(isIdle(), true)
    await api.create(CONFIG_MAPS, configMap('a', { count: '0' }))
    for (let turns = 0; turns < 50; turns++) await clock.advance(0)
    equal(isIdle(), false)
    answer.resolve()
    await settled()
    equal(isIdle(), true)
  })

  test('stop at once, though the server does not answer', async (context) => {
    const { api, start, clock } = await open(context, (inner) => ({ ...inner, patch: () => new Promise(() => {}) }))
    const { stop } = await start((role) => [counter(role)])
    await api.create(CONFIG_MAPS, configMap('a', { count: '0' }))
    for (let turns = 0; turns < 50; turns++) await clock.advance(0)
    await stop()
  })

  test('begin without a kind that they do not wait for, and are woken once it is complete', async (context) => {
    const { world, clock } = await open(context)
    const answer = Promise.withResolvers<void>()
    let isSynced = false
    const informers: Informers = {
      ...world.informers,
      get: (...args) => ({
        ...world.informers.get(...args),
        synced: () => answer.promise.then(() => void (isSynced = true)),
        isSynced: () => isSynced,
      }),
    }
    const looks: string[] = []
    const running = await startControllers({ ...world, informers }, new AbortController().signal, (role) => {
      const maps = role.follow(CONFIG_MAPS, { isAwaited: false })
      const view = (key: string): object => {
        looks.push(`${key}: ${maps.isSynced() ? 'known' : 'unknown'}`)
        return {}
      }
      const decide = (): Step => ({ kind: 'wait', reason: { code: 'Looked' } })
      const perform = { count: () => {} }
      return [
        defineController({
          name: 'looker',
          watch: [atStart('start'), onceSynced(maps, 'synced')],
          view,
          decide,
          perform,
        }),
      ]
    })
    context.after(running.stop)
    await clock.advance(0)
    deepEqual(looks, ['start: unknown'])
    answer.resolve()
    await clock.advance(0)
    deepEqual(looks, ['start: unknown', 'synced: known'])
  })

  test('that cannot be put together leave nothing running', async (context) => {
    const { world } = await open(context)
    const stopped: string[] = []
    const starting = startControllers(world, new AbortController().signal, (role) => {
      role.onStop(() => stopped.push('part'))
      throw new Error('no driver')
    })
    await rejects(starting, /no driver/)
    deepEqual(stopped, ['part'])
  })
})
