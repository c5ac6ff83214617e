import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { ApiError } from '../../api/api-error.ts'
import type { WatchEvent } from '../../api/api.ts'
import { CONFIG_MAPS } from '../../api/kinds/config-map.ts'
import type { ConfigMap } from '../../api/kinds/config-map.ts'
import type { KubeObject } from '../../api/object.ts'
import { sleep } from '../../base/clock.ts'
import { createLogger, createSilentLogger } from '../../base/logger.ts'
import { nextTurn } from '../../base/next-turn.ts'
import { createSeededRandom } from '../../base/random.ts'
import { createSimulatedClock } from '../../base/simulated-clock.ts'
import { startInformer } from './informer.ts'
import type { Informer } from './informer.ts'
import type { CacheChange, IndexFunction } from './object-cache.ts'
import { createScriptedApi } from '../testing/scripted-api.ts'
import type { ApiCall } from '../testing/scripted-api.ts'

const configMap = (name: string, value = '', metadata: object = {}): ConfigMap => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { namespace: 'default', name, ...metadata },
  data: { value },
})

/** A server with some objects; `start` begins to follow it. */
function openServer() {
  const clock = createSimulatedClock()
  const server = createScriptedApi(clock)
  const lines: string[] = []
  const log = createLogger({ clock, level: 'info', format: 'text', write: (line) => void lines.push(line) })
  const start = (indexes: Record<string, IndexFunction<ConfigMap>> = {}): Informer<ConfigMap> =>
    startInformer(CONFIG_MAPS, {}, { api: server.api, clock, random: createSeededRandom(1), log }, indexes)
  const put = (name: string, value = '', metadata: object = {}): ConfigMap =>
    server.put(CONFIG_MAPS, configMap(name, value, metadata))
  const remove = (name: string): void => server.remove(CONFIG_MAPS, { namespace: 'default', name })
  return { clock, server, start, put, remove, lines }
}

const contentOf = (informer: Pick<Informer<ConfigMap>, 'all'>): Record<string, string | undefined> =>
  Object.fromEntries(Array.from(informer.all(), ({ metadata, data }) => [metadata.name, data?.['value']]))
const describeCall = ({ verb, options }: ApiCall): string =>
  `${verb} ${options.sendInitialEvents ? 'all' : (options.resourceVersion ?? options.continueToken ?? '')}`.trim()

/** Records changes as `+a`, `~a` and `-a`. */
function record(informer: Informer<ConfigMap>): string[] {
  const seen: string[] = []
  informer.onChange(
    ({ key, before, after }) => void seen.push(`${before ? (after ? '~' : '-') : '+'}${key.slice('default/'.length)}`),
  )
  return seen
}

describe('the informer, to begin with', () => {
  it('takes everything and what follows from one stream, and is synced at the bookmark', async () => {
    const { clock, server, start, put, remove } = openServer()
    put('a', '1')
    put('b', '1')
    const informer = start()
    const seen = record(informer)
    assert.equal(informer.isSynced(), false)
    await informer.synced()
    assert.deepEqual(contentOf(informer), { a: '1', b: '1' })
    put('a', '2')
    put('c', '1')
    remove('b')
    await clock.advance(0)
    assert.deepEqual(contentOf(informer), { a: '2', c: '1' })
    assert.deepEqual(seen, ['+a', '+b', '~a', '+c', '-b'])
    assert.deepEqual(server.calls.map(describeCall), ['watch all'])
    await informer.stop()
  })

  it('lets timers and sockets in while it tells of many objects, and is synced when it has told all', async () => {
    const { start, put } = openServer()
    for (let index = 0; index < 3000; index++) put(`a${index}`)
    const informer = start()
    const seen = record(informer)
    const counts: number[] = []
    let isSynced = false
    void informer.synced().then(() => void (isSynced = true))
    for (let turn = 0; turn < 50 && !isSynced; turn++) {
      await nextTurn()
      counts.push(seen.length)
      if (seen.length > 0 && seen.length < 3000) assert.equal(informer.isSynced(), false)
    }
    assert.deepEqual([seen.length, isSynced], [3000, true])
    const most = Math.max(...counts.map((count, turn) => count - (counts[turn - 1] ?? 0)))
    assert.ok(most <= 1000, `told ${most} in one turn`)
    await informer.stop()
  })

  it('tells a listener that is added meanwhile about each object once, and a removed one nothing more', async () => {
    const { start, put } = openServer()
    for (let index = 0; index < 1200; index++) put(`a${index}`)
    const informer = start()
    const first: string[] = []
    const removed: string[] = []
    const late: string[] = []
    informer.onChange(({ key }) => {
      first.push(key)
      if (first.length !== 10) return
      endRemoved()
      informer.onChange((change) => void late.push(change.key))
    })
    const endRemoved = informer.onChange(({ key }) => void removed.push(key))
    await informer.synced()
    assert.deepEqual([first.length, removed.length, late.length, new Set(late).size], [1200, 9, 1200, 1200])
    await informer.stop()
  })

  it('is not synced before the bookmark, and shows nothing of what was changed on the way', async () => {
    const { clock, server, put } = openServer()
    const [a, b, later] = [put('a'), put('b', '1'), put('b', '2')]
    const gate = Promise.withResolvers<void>()
    const watch = async function* (): AsyncGenerator<WatchEvent<never>, void> {
      yield { type: 'ADDED', object: a as never }
      yield { type: 'ADDED', object: b as never }
      yield { type: 'BOOKMARK', resourceVersion: '1', initialEventsEnd: false }
      await gate.promise
      yield { type: 'DELETED', object: a as never }
      yield { type: 'MODIFIED', object: later as never }
      yield { type: 'BOOKMARK', resourceVersion: later.metadata.resourceVersion ?? '', initialEventsEnd: true }
      await sleep(clock, 400_000)
    }
    const informer = startInformer(
      CONFIG_MAPS,
      {},
      { api: { ...server.api, watch }, clock, random: createSeededRandom(1), log: createSilentLogger() },
    )
    const seen = record(informer)
    await clock.advance(1000)
    assert.deepEqual([informer.isSynced(), informer.size(), seen], [false, 0, []])
    gate.resolve()
    await informer.synced()
    assert.deepEqual(contentOf(informer), { b: '2' })
    assert.deepEqual(seen, ['+b'])
    await Promise.all([informer.stop(), clock.advance(400_000)])
  })

  for (const reason of ['Invalid', 'BadRequest', 'NotAcceptable']) {
    it(`reads pages and watches from there where the server answers ${reason} to a streamed list`, async () => {
      const { clock, server, start, put } = openServer()
      server.before = ({ options }) => {
        if (options.sendInitialEvents) throw new ApiError(reason, 'sendInitialEvents is forbidden')
      }
      server.pageSize = 2
      for (const name of ['a', 'b', 'c', 'd', 'e']) put(name)
      const listedAt = server.revision()
      const informer = start()
      await informer.synced()
      await clock.advance(0)
      assert.equal(informer.size(), 5)
      put('f')
      await clock.advance(0)
      assert.equal(informer.size(), 6)
      assert.deepEqual(server.calls.map(describeCall), ['watch all', 'list', 'list 2', 'list 4', `watch ${listedAt}`])
      assert.equal(informer.lastError(), undefined)
      await informer.stop()
    })
  }

  it('reads pages where a server ignores that a streamed list was asked for and ends the stream', async () => {
    const { clock, server, put } = openServer()
    put('a')
    const plainApi = server.api
    // Everything as ADDED, without the final bookmark.
    const api: typeof plainApi = {
      ...plainApi,
      watch: (type, options = {}) => {
        const { sendInitialEvents: _ignored, ...rest } = options
        return plainApi.watch(type, rest)
      },
    }
    const informer = startInformer(
      CONFIG_MAPS,
      {},
      { api, clock, random: createSeededRandom(1), log: createSilentLogger() },
    )
    await clock.advance(0)
    assert.equal(informer.isSynced(), false)
    server.endWatches()
    await clock.advance(0)
    assert.equal(informer.isSynced(), true)
    assert.deepEqual(contentOf(informer), { a: '' })
    await informer.stop()
  })

  it('gives up a streamed list that stands still, and reads pages', async () => {
    const { clock, server, start, put } = openServer()
    put('a')
    server.before = ({ options }) => (options.sendInitialEvents ? new Promise(() => {}) : undefined)
    const informer = start()
    await clock.advance(631_000)
    assert.deepEqual(contentOf(informer), { a: '' })
    await informer.stop()
  })

  it('begins the list anew when a page has expired', async () => {
    const { clock, server, start, put } = openServer()
    for (const name of ['a', 'b', 'c']) put(name)
    server.pageSize = 2
    let expired = false
    server.before = ({ verb, options }) => {
      if (options.sendInitialEvents) throw new ApiError('Invalid', 'no')
      if (verb === 'list' && options.continueToken && !expired) {
        expired = true
        throw new ApiError('Expired', 'the continue token is too old')
      }
    }
    const informer = start()
    await clock.advance(0)
    assert.equal(informer.isSynced(), false)
    await clock.advance(2000)
    assert.equal(informer.size(), 3)
    await informer.stop()
  })

  it('gives up a list that does not answer, and asks again', async () => {
    const { clock, server, start, put } = openServer()
    put('a')
    let hangs = true
    server.before = ({ verb, options }) => {
      if (options.sendInitialEvents) throw new ApiError('Invalid', 'no')
      return verb === 'list' && hangs ? new Promise(() => {}) : undefined
    }
    const informer = start()
    await clock.advance(120_000)
    assert.match(informer.lastError()?.message ?? '', /longer than 120 s/)
    hangs = false
    await clock.advance(2000)
    assert.equal(informer.isSynced(), true)
    await informer.stop()
  })
})

describe('the informer, when the stream ends', () => {
  it('goes on from the last change it saw, at once, and tells nothing twice', async () => {
    const { clock, server, start, put } = openServer()
    put('a')
    const informer = start()
    const seen = record(informer)
    await informer.synced()
    await clock.advance(5000)
    put('b')
    await clock.advance(0)
    const lastSeen = server.revision()
    server.endWatches()
    put('c')
    await clock.advance(0)
    assert.deepEqual(server.calls.map(describeCall), ['watch all', `watch ${lastSeen}`])
    assert.deepEqual(seen, ['+a', '+b', '+c'])
    await informer.stop()
  })

  it('goes on from a bookmark, which is later than the last change of its own kind', async () => {
    const { clock, server, start, put } = openServer()
    put('a')
    const informer = start()
    await informer.synced()
    server.put({ ...CONFIG_MAPS, plural: 'others' }, configMap('other'))
    server.bookmark()
    await clock.advance(5000)
    server.compact()
    server.endWatches()
    put('b')
    await clock.advance(0)
    assert.deepEqual(server.calls.map(describeCall), ['watch all', `watch ${server.revision() - 1}`])
    assert.deepEqual(contentOf(informer), { a: '', b: '' })
    await informer.stop()
  })

  it('reads everything again when it is too old, and tells only what differs', async () => {
    const { clock, server, start, put, remove } = openServer()
    for (const name of ['same', 'changed', 'gone']) put(name)
    const informer = start()
    const seen = record(informer)
    await informer.synced()
    await clock.advance(5000)
    seen.length = 0
    server.failWatches(new ApiError('InternalError', 'etcd is away'))
    put('changed', '2')
    remove('gone')
    put('new')
    server.compact()
    await clock.advance(2000)
    assert.deepEqual(seen, ['~changed', '+new', '-gone'])
    assert.deepEqual(server.calls.map(describeCall).at(-1), 'watch all')
    assert.equal(informer.lastError(), undefined)
    await informer.stop()
  })

  it('reads everything again when the server does not have that version yet, as after a restore', async () => {
    const { clock, server, start, put } = openServer()
    put('a')
    const informer = start()
    await informer.synced()
    await clock.advance(5000)
    server.before = ({ options }) => {
      if (options.resourceVersion)
        throw new ApiError('Timeout', 'Too large resource version', {
          details: { causes: [{ reason: 'ResourceVersionTooLarge' }] },
        })
    }
    server.endWatches()
    put('b')
    await clock.advance(0)
    assert.deepEqual(contentOf(informer), { a: '', b: '' })
    await informer.stop()
  })

  it('does not ask without end a server that forgets at once', async () => {
    const { clock, server, start } = openServer()
    server.before = ({ options }) => {
      if (options.sendInitialEvents) throw new ApiError('Invalid', 'no')
      if (options.resourceVersion) throw new ApiError('Expired', 'too old')
    }
    const informer = start()
    await clock.advance(10_000)
    assert.ok(server.calls.length < 40, `${server.calls.length} calls in 10 s`)
    await informer.stop()
  })

  it('waits longer after each failure, with jitter, and not shorter than it is asked to', async () => {
    const { clock, server, start } = openServer()
    const times: number[] = []
    const asked: { details?: { retryAfterSeconds: number } } = {}
    server.before = () => {
      times.push(clock.monotonicMs())
      throw new ApiError('ServiceUnavailable', 'starting up', asked)
    }
    const informer = start()
    await clock.advance(12_000)
    const gaps = times.slice(1).map((time, index) => time - (times[index] ?? 0))
    for (const [index, gap] of gaps.entries())
      assert.ok(gap >= 800 * 2 ** index && gap <= 1600 * 2 ** index, `gap ${index} is ${gap}`)
    assert.ok(gaps.length >= 2 && gaps.some((gap) => gap % 800 !== 0), gaps.join())
    assert.match(informer.lastError()?.message ?? '', /starting up/)
    asked.details = { retryAfterSeconds: 300 }
    times.length = 0
    await clock.advance(700_000)
    assert.ok((times[1] ?? 0) - (times[0] ?? 0) === 300_000, times.join())
    server.before = () => {}
    await clock.advance(300_000)
    assert.equal(informer.isSynced(), true)
    assert.equal(informer.lastError(), undefined)
    await informer.stop()
  })

  it('counts a watch that ends at once without a change as a failure', async () => {
    const { clock, server, start } = openServer()
    const informer = start()
    await informer.synced()
    await clock.advance(2000)
    server.after = ({ verb }) => {
      if (verb === 'watch') queueMicrotask(() => server.endWatches())
    }
    server.endWatches()
    server.calls.length = 0
    await clock.advance(10_000)
    assert.ok(server.calls.length > 1 && server.calls.length < 10, `${server.calls.length} calls in 10 s`)
    assert.match(informer.lastError()?.message ?? '', /ended the watch at once/)
    await informer.stop()
  })

  it('gives up a watch that outlives its time, and goes on from where it was', async () => {
    const { clock, server, start, put } = openServer()
    put('a')
    server.endsWatches = false
    const informer = start()
    await informer.synced()
    await clock.advance(0)
    const timeoutSeconds = server.calls[0]?.options.timeoutSeconds ?? 0
    assert.ok(timeoutSeconds >= 300 && timeoutSeconds < 600, `${timeoutSeconds} s`)
    await clock.advance(timeoutSeconds * 1000 + 29_000)
    assert.equal(server.calls.length, 1)
    await clock.advance(1000 + 2000)
    assert.equal(server.calls.length, 2)
    put('b')
    await clock.advance(0)
    assert.deepEqual(contentOf(informer), { a: '', b: '' })
    await informer.stop()
  })

  it('surfaces what it could not understand, and goes on', async () => {
    const { clock, server, start, put, lines } = openServer()
    const informer = start()
    await informer.synced()
    server.failWatches(new ApiError('InternalError', 'GET /api/v1/configmaps: the answer is not JSON'))
    await clock.advance(0)
    assert.match(informer.lastError()?.message ?? '', /not JSON/)
    assert.match(lines.join(''), /following failed.*not JSON/)
    await clock.advance(2000)
    put('a')
    await clock.advance(0)
    assert.deepEqual(contentOf(informer), { a: '' })
    assert.equal(informer.lastError(), undefined)
    await informer.stop()
  })
})

describe('the informer and those who use it', () => {
  it('ignores what it knows already, and what is older', async () => {
    const { clock, server, start, put } = openServer()
    const old = put('a', 'old')
    const now = put('a', 'new')
    const informer = start()
    const seen = record(informer)
    await informer.synced()
    for (const object of [old, now] as KubeObject[]) server.tell({ type: 'MODIFIED', object })
    server.tell({ type: 'DELETED', object: old })
    await clock.advance(0)
    assert.deepEqual(contentOf(informer), { a: 'new' })
    assert.deepEqual(seen, ['+a'])
    await informer.stop()
  })

  it('keeps its indexes up to date', async () => {
    const { clock, start, put, remove } = openServer()
    put('a', 'x')
    const informer = start({ value: ({ data }) => [data?.['value'] ?? ''] })
    await informer.synced()
    put('b', 'x')
    put('a', 'y')
    await clock.advance(0)
    assert.deepEqual(
      informer.byIndex('value', 'x').map(({ metadata }) => metadata.name),
      ['b'],
    )
    remove('b')
    await clock.advance(0)
    assert.deepEqual(informer.byIndex('value', 'x'), [])
    await informer.stop()
  })

  it('holds objects without managedFields, and frozen to the bottom', async () => {
    for (const streams of [true, false]) {
      const { clock, server, start, put } = openServer()
      server.before = ({ options }) => {
        if (options.sendInitialEvents && !streams) throw new ApiError('Invalid', 'no')
      }
      put('a', '1', { labels: { x: 'y' }, managedFields: [{ manager: 'kubectl' }] })
      const informer = start()
      await informer.synced()
      await clock.advance(0)
      put('b', '1', { labels: { x: 'y' }, managedFields: [{ manager: 'kubectl' }] })
      await clock.advance(0)
      for (const object of [informer.get('default/a'), informer.get('default/b')]) {
        assert.ok(object)
        assert.equal('managedFields' in object.metadata, false)
        assert.deepEqual(object.metadata.labels, { x: 'y' })
        for (const part of [object, object.metadata, object.metadata.labels, object.data])
          assert.ok(Object.isFrozen(part))
      }
      await informer.stop()
    }
  })

  it('tells a listener that comes late what is there, and no more once it has left', async () => {
    const { clock, start, put } = openServer()
    put('a')
    const informer = start()
    await informer.synced()
    const seen: string[] = []
    const leave = informer.onChange(({ key }) => void seen.push(key))
    assert.deepEqual(seen, ['default/a'])
    put('b')
    await clock.advance(0)
    leave()
    put('c')
    await clock.advance(0)
    assert.deepEqual(seen, ['default/a', 'default/b'])
    await informer.stop()
  })

  it('does not let one listener that fails cost the others a change', async () => {
    const { clock, start, put, lines } = openServer()
    const informer = start()
    informer.onChange(() => {
      throw new Error('a mistake')
    })
    const seen = record(informer)
    await informer.synced()
    put('a')
    await clock.advance(0)
    put('b')
    await clock.advance(0)
    assert.deepEqual(seen, ['+a', '+b'])
    assert.equal(informer.lastError(), undefined)
    assert.match(lines.join(''), /a listener failed.*a mistake/)
    await informer.stop()
  })

  it('shows a listener a cache that is already as it is told', async () => {
    const { clock, start, put } = openServer()
    put('a')
    put('b')
    const informer = start()
    const sizes: number[] = []
    informer.onChange(() => void sizes.push(informer.size()))
    await informer.synced()
    put('c')
    await clock.advance(0)
    assert.deepEqual(sizes, [2, 2, 3])
    await informer.stop()
  })

  it('stops while it waits, while it watches and while it asks, leaves no timer and tells those who wait for it', async () => {
    const waiting = openServer()
    waiting.server.before = () => {
      throw new ApiError('ServiceUnavailable', 'away')
    }
    const asking = openServer()
    asking.server.before = () => new Promise(() => {})
    const watching = openServer()
    for (const { clock, start, server } of [waiting, asking, watching]) {
      const informer = start()
      await clock.advance(100)
      const synced = server === watching.server ? informer.synced() : assert.rejects(informer.synced(), /was stopped/)
      await informer.stop()
      await synced
      await clock.advance(0)
      assert.equal(clock.pendingTimers(), 0)
      assert.equal(server.watches(), 0)
    }
  })

  it('lets a caller give up waiting, without leaving anything behind', async () => {
    const { clock, server, start } = openServer()
    server.before = () => new Promise(() => {})
    const informer = start()
    const controller = new AbortController()
    const given = assert.rejects(informer.synced(controller.signal), /no patience/)
    controller.abort(new Error('no patience'))
    await given
    await clock.advance(0)
    await informer.stop()
  })
})

describe('the informer, whatever happens', () => {
  type Step =
    | { kind: 'put'; name: string; value: string }
    | { kind: 'remove'; name: string }
    | { kind: 'advance'; byMs: number }
    | { kind: 'end' | 'fail' | 'compact' | 'bookmark' | 'listen' }
  const name = fc.constantFrom('a', 'b', 'c', 'd')
  const step: fc.Arbitrary<Step> = fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({ kind: fc.constant('put' as const), name, value: fc.string({ maxLength: 2 }) }),
    },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('remove' as const), name }) },
    {
      weight: 3,
      arbitrary: fc.record({ kind: fc.constant('advance' as const), byMs: fc.constantFrom(0, 1, 500, 5000, 400_000) }),
    },
    {
      weight: 3,
      arbitrary: fc.record({
        kind: fc.constantFrom(
          'end' as const,
          'fail' as const,
          'compact' as const,
          'bookmark' as const,
          'listen' as const,
        ),
      }),
    },
  )

  it('ends with what the server has, and each listener can replay it', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { maxLength: 60 }),
        fc.boolean(),
        fc.integer({ min: 0, max: 1000 }),
        async (steps, streams, seed) => {
          const { clock, server, put, remove } = openServer()
          const random = createSeededRandom(seed)
          server.pageSize = 2
          server.before = ({ options }) => {
            if (options.sendInitialEvents && !streams) throw new ApiError('Invalid', 'no')
            if (random.below(5) === 0) throw new ApiError('ServiceUnavailable', 'away')
          }
          const informer = startInformer(
            CONFIG_MAPS,
            {},
            { api: server.api, clock, random, log: createSilentLogger() },
            { value: ({ data }) => [data?.['value'] ?? ''] },
          )
          const replays: Map<string, ConfigMap>[] = []
          // Keys for which `before` differs from the last reported state.
          const broken: string[] = []
          const listen = (): void => {
            const replay = new Map<string, ConfigMap>()
            replays.push(replay)
            informer.onChange(({ key, before, after }: CacheChange<ConfigMap>) => {
              if (before !== replay.get(key)) broken.push(key)
              if (after) replay.set(key, after)
              else replay.delete(key)
            })
          }
          listen()
          const perform = async (each: Step): Promise<void> => {
            switch (each.kind) {
              case 'put':
                return void put(each.name, each.value)
              case 'remove':
                return server.objects(CONFIG_MAPS).some(({ metadata }) => metadata.name === each.name)
                  ? remove(each.name)
                  : undefined
              case 'advance':
                return clock.advance(each.byMs)
              case 'end':
                return server.endWatches()
              case 'fail':
                return server.failWatches(new ApiError('InternalError', 'cut'))
              case 'compact':
                return server.compact()
              case 'bookmark':
                return server.bookmark()
              case 'listen':
                return listen()
            }
          }
          for (const each of steps) await perform(each)
          server.before = ({ options }) => {
            if (options.sendInitialEvents && !streams) throw new ApiError('Invalid', 'no')
          }
          await clock.advance(120_000)
          const wanted = new Map(
            server.objects(CONFIG_MAPS).map((object) => [`default/${object.metadata.name}`, object]),
          )
          const content = new Map(Array.from(informer.all(), (object) => [`default/${object.metadata.name}`, object]))
          assert.deepEqual(content, wanted)
          for (const replay of replays) assert.deepEqual(replay, wanted)
          assert.deepEqual(broken, [])
          for (const [, object] of wanted)
            assert.ok(
              informer
                .byIndex('value', (object as ConfigMap).data?.['value'] ?? '')
                .some(({ metadata }) => metadata.uid === object.metadata.uid),
            )
          await informer.stop()
          await clock.advance(0)
          assert.equal(clock.pendingTimers(), 0)
        },
      ),
      { numRuns: 200 },
    )
  })
})
