import { deepEqual, equal, ok, rejects } from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { WatchEvent, WatchOptions } from '../../api/api.ts'
import { ApiError } from '../../api/api-error.ts'
import { CONFIG_MAPS } from '../../api/kinds/config-map.ts'
import type { ConfigMap } from '../../api/kinds/config-map.ts'
import { EVENTS } from '../../api/kinds/event.ts'
import { EVENTS_V1_EVENTS } from '../../api/kinds/events-v1-event.ts'
import { NAMESPACES } from '../../api/kinds/namespace.ts'
import { PODS } from '../../api/kinds/pod.ts'
import { createSimulatedBackend } from '../../testing/simulated-backend.ts'
import { isRefusal } from '../testing/is-refusal.ts'
import { configMap, pod } from '../testing/objects-under-test.ts'
import { openServerUnderTest, recordWatch } from '../testing/open-server-under-test.ts'
import type { RecordedWatch, ServerUnderTest } from '../testing/open-server-under-test.ts'

const NAMESPACE = 'w'
const at = (name: string) => ({ namespace: NAMESPACE, name })
const map = (name: string, labels: Record<string, string> = {}): ConfigMap =>
  configMap(name, { namespace: NAMESPACE, labels })

async function openWithNamespace(options: Parameters<typeof openServerUnderTest>[0] = {}): Promise<ServerUnderTest> {
  const server = await openServerUnderTest(options)
  await server.api.create(NAMESPACES, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } })
  await server.settled()
  // Without the default objects of every namespace, which would interfere.
  return server
}
const own = { namespace: NAMESPACE, fieldSelector: 'metadata.name!=kube-root-ca.crt' }

async function startWatch(server: ServerUnderTest, options: WatchOptions = {}): Promise<RecordedWatch<ConfigMap>> {
  const watch = recordWatch((signal) => server.api.watch(CONFIG_MAPS, { ...own, ...options, signal }))
  await server.settled()
  return watch
}
const relabel = (server: ServerUnderTest, name: string, labels: Record<string, string | null>) =>
  server.api.patch(CONFIG_MAPS, at(name), { type: 'merge', value: { metadata: { labels } } })
const versionOf = (event: WatchEvent<ConfigMap> | undefined): number =>
  Number(
    !event ? Number.NaN : event.type === 'BOOKMARK' ? event.resourceVersion : event.object.metadata.resourceVersion,
  )

describe('watch', () => {
  let server: ServerUnderTest
  before(async () => void (server = await openWithNamespace()))
  after(() => server.close())

  test('begins with everything there is, then goes on with changes', async () => {
    for (const [index, resourceVersion] of [undefined, '', '0'].entries()) {
      const name = `begin-${index}`
      await server.api.create(CONFIG_MAPS, map(name, { test: name }))
      using watch = await startWatch(server, {
        labelSelector: `test=${name}`,
        ...(resourceVersion === undefined ? {} : { resourceVersion }),
      })
      await relabel(server, name, { more: 'x' })
      await server.api.delete(CONFIG_MAPS, at(name))
      await server.settled()
      deepEqual(watch.texts(), [`ADDED ${name}`, `MODIFIED ${name}`, `DELETED ${name}`])
    }
  })

  test('goes on after a revision, with nothing lost and nothing twice', async () => {
    const { metadata } = await server.api.create(CONFIG_MAPS, map('resumed'))
    await relabel(server, 'resumed', { n: '1' })
    using watch = await startWatch(server, {
      fieldSelector: 'metadata.name=resumed',
      resourceVersion: metadata.resourceVersion ?? '',
    })
    await relabel(server, 'resumed', { n: '2' })
    await server.settled()
    deepEqual(
      watch.events.map((event) => event.type === 'MODIFIED' && event.object.metadata.labels?.['n']),
      ['1', '2'],
    )
    using fromThere = await startWatch(server, {
      fieldSelector: 'metadata.name=resumed',
      resourceVersion: String(versionOf(watch.events[0])),
    })
    deepEqual(
      fromThere.events.map((event) => event.type === 'MODIFIED' && event.object.metadata.labels?.['n']),
      ['2'],
    )
  })

  test('sees what enters a selection as ADDED and what leaves it as DELETED, with its last content and the new revision', async () => {
    using watch = await startWatch(server, { labelSelector: 'in=yes' })
    await server.api.create(CONFIG_MAPS, map('moving', { in: 'no' }))
    await relabel(server, 'moving', { in: 'yes' })
    await relabel(server, 'moving', { other: 'x' })
    const left = await relabel(server, 'moving', { in: 'no' })
    await relabel(server, 'moving', { other: 'y' })
    await server.settled()
    deepEqual(watch.texts(), ['ADDED moving', 'MODIFIED moving', 'DELETED moving'])
    const last = watch.events.at(-1)
    ok(last?.type === 'DELETED')
    deepEqual(last.object.metadata.labels, { in: 'yes', other: 'x' })
    equal(last.object.metadata.resourceVersion, left.metadata.resourceVersion)
  })

  test('of a node sees a pod from the moment that it is bound', async () => {
    using watch = recordWatch((signal) => server.api.watch(PODS, { fieldSelector: 'spec.nodeName=n1', signal }))
    using unbound = recordWatch((signal) => server.api.watch(PODS, { fieldSelector: 'spec.nodeName=', signal }))
    await server.settled()
    await server.api.create(PODS, pod('p', { namespace: NAMESPACE }))
    await server.api.createSubresource(PODS, at('p'), 'binding', { target: { name: 'n1' } })
    await server.settled()
    deepEqual([watch.texts(), unbound.texts()], [['ADDED p'], ['ADDED p', 'DELETED p']])
  })

  test('shows objects in the version that was asked for, and selects by its fields', async () => {
    using core = recordWatch((signal) => server.api.watch(EVENTS, { fieldSelector: 'involvedObject.name=p', signal }))
    using events = recordWatch((signal) =>
      server.api.watch(EVENTS_V1_EVENTS, { fieldSelector: 'regarding.name=p', signal }),
    )
    await server.settled()
    const involvedObject = { kind: 'Pod', namespace: NAMESPACE, name: 'p' }
    await server.api.create(EVENTS, {
      apiVersion: 'v1',
      kind: 'Event',
      metadata: at('e'),
      involvedObject,
      reason: 'Started',
      type: 'Normal',
    })
    await server.settled()
    deepEqual([core.texts(), events.texts()], [['ADDED e'], ['ADDED e']])
    const [event] = events.events
    ok(event?.type === 'ADDED')
    deepEqual([event.object.apiVersion, event.object.regarding?.name], ['events.k8s.io/v1', 'p'])
  })

  test('from a revision that does not exist yet is refused', async () => {
    const watch = await startWatch(server, { resourceVersion: '999999' })
    isRefusal('Timeout', /Too large resource version: 999999/)(await watch.ended)
  })

  test('refuses a selector or a revision that makes no sense', async () => {
    for (const [options, reason] of [
      [{ fieldSelector: 'data=x' }, 'BadRequest'],
      [{ labelSelector: 'a=b=c' }, 'BadRequest'],
      [{ resourceVersion: 'x' }, 'BadRequest'],
    ] as const) {
      isRefusal(reason, /./)(await (await startWatch(server, options)).ended)
    }
  })

  test('that is stopped by its reader ends with the reason, and is forgotten', async () => {
    const subscribers = server.core.parts.hub.subscribers()
    const watch = await startWatch(server)
    equal(server.core.parts.hub.subscribers(), subscribers + 1)
    watch.stop()
    ok((await watch.ended) instanceof Error)
    equal(server.core.parts.hub.subscribers(), subscribers)
  })

  test('that is stopped while it opens does not stay open', async () => {
    const subscribers = server.core.parts.hub.subscribers()
    const stopping = new AbortController()
    const iterator = server.api.watch(CONFIG_MAPS, { signal: stopping.signal })[Symbol.asyncIterator]()
    const first = iterator.next()
    stopping.abort(new Error('changed my mind'))
    await rejects(first, /changed my mind/)
    equal(server.core.parts.hub.subscribers(), subscribers)
  })
})

describe('watch with initial events', () => {
  let server: ServerUnderTest
  before(async () => {
    server = await openWithNamespace()
    for (const name of ['a', 'b']) await server.api.create(CONFIG_MAPS, map(name))
  })
  after(() => server.close())
  const initial = { sendInitialEvents: true, resourceVersionMatch: 'NotOlderThan', allowBookmarks: true } as const

  test('sends them, then a bookmark with the revision of that state, then changes', async () => {
    const revision = server.core.parts.store.revision()
    for (const resourceVersion of ['', '0', '1', String(revision)]) {
      using watch = await startWatch(server, { ...initial, resourceVersion })
      deepEqual(watch.events.slice(-1), [
        { type: 'BOOKMARK', resourceVersion: String(revision), initialEventsEnd: true },
      ])
      deepEqual(watch.texts(), ['ADDED a', 'ADDED b', 'BOOKMARK'])
    }
    using watch = await startWatch(server, initial)
    await server.api.create(CONFIG_MAPS, map('c'))
    await server.settled()
    deepEqual(watch.texts(), ['ADDED a', 'ADDED b', 'BOOKMARK', 'ADDED c'])
    await server.api.delete(CONFIG_MAPS, at('c'))
  })

  test('ends them with a bookmark only for those who know bookmarks', async () => {
    using watch = await startWatch(server, { ...initial, allowBookmarks: false })
    deepEqual(watch.texts(), ['ADDED a', 'ADDED b'])
  })

  test('sends none when asked not to', async () => {
    for (const resourceVersion of ['', '0']) {
      using watch = await startWatch(server, { ...initial, sendInitialEvents: false, resourceVersion })
      deepEqual(watch.texts(), [])
    }
    const made = await server.api.create(CONFIG_MAPS, map('later'))
    await relabel(server, 'later', { x: 'y' })
    using watch = await startWatch(server, {
      ...initial,
      sendInitialEvents: false,
      resourceVersion: made.metadata.resourceVersion ?? '',
    })
    deepEqual(watch.texts(), ['MODIFIED later'])
    await server.api.delete(CONFIG_MAPS, at('later'))
  })

  test('has to say that a newer state will do, and nothing else may say it', async () => {
    const without = await (await startWatch(server, { sendInitialEvents: true })).ended
    isRefusal(
      'Invalid',
      /^ListOptions\.meta\.k8s\.io "" is invalid: resourceVersionMatch: Forbidden: sendInitialEvents requires setting resourceVersionMatch to NotOlderThan$/,
    )(without)
    const alone = await (await startWatch(server, { resourceVersionMatch: 'NotOlderThan' })).ended
    isRefusal('Invalid', /resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided/)(alone)
  })

  test('from a revision that does not exist yet is refused', async () => {
    isRefusal('Timeout', /Too large/)(await (await startWatch(server, { ...initial, resourceVersion: '999999' })).ended)
  })
})

describe('time of a watch', () => {
  test('brings a bookmark every minute and just before the end, to those who asked for it', async () => {
    await using server = await openWithNamespace()
    using watch = await startWatch(server, { ...own, resourceVersion: '1', allowBookmarks: true, timeoutSeconds: 150 })
    using silent = await startWatch(server, { resourceVersion: '1', timeoutSeconds: 150 })
    const marks: [number, string][] = []
    for (let second = 1; second <= 150; second++) {
      await server.clock.advance(1000)
      while (marks.length < watch.events.length) marks.push([second, watch.texts()[marks.length] ?? ''])
    }
    deepEqual(marks, [
      [60, 'BOOKMARK'],
      [120, 'BOOKMARK'],
      [148, 'BOOKMARK'],
    ])
    equal(await watch.ended, undefined)
    equal(await silent.ended, undefined)
    deepEqual(silent.events, [])
  })

  test('a bookmark says up to where everything was seen', async () => {
    await using server = await openWithNamespace()
    using watch = await startWatch(server, { resourceVersion: '1', allowBookmarks: true, labelSelector: 'no=match' })
    await server.api.create(CONFIG_MAPS, map('unseen'))
    await server.clock.advance(60_000)
    deepEqual(watch.events, [
      { type: 'BOOKMARK', resourceVersion: String(server.core.parts.store.revision()), initialEventsEnd: false },
    ])
    using next = await startWatch(server, { resourceVersion: String(versionOf(watch.events[0])) })
    deepEqual(next.events, [])
  })

  test('ends the stream after what was asked for, exactly', async () => {
    await using server = await openWithNamespace()
    const watch = await startWatch(server, { timeoutSeconds: 5 })
    await server.clock.advance(4999)
    const subscribers = server.core.parts.hub.subscribers()
    await server.clock.advance(1)
    equal(await watch.ended, undefined)
    equal(server.core.parts.hub.subscribers(), subscribers - 1)
  })

  test('is half an hour to an hour when nothing was asked for', async () => {
    await using server = await openWithNamespace()
    for (const timeoutSeconds of [undefined, 0]) {
      const subscribers = server.core.parts.hub.subscribers()
      const watch = await startWatch(server, timeoutSeconds === undefined ? {} : { timeoutSeconds })
      await server.clock.advance(1_799_000)
      equal(server.core.parts.hub.subscribers(), subscribers + 1)
      await server.clock.advance(1_801_000)
      equal(await watch.ended, undefined)
    }
  })

  test('leaves no timers behind', async () => {
    await using server = await openWithNamespace()
    const pending = server.clock.pendingTimers()
    const watch = await startWatch(server, { allowBookmarks: true, timeoutSeconds: 100 })
    await server.clock.advance(61_000)
    watch.stop()
    await watch.ended
    equal(server.clock.pendingTimers(), pending)
  })
})

describe('history of a watch', () => {
  test('that is older than what is remembered is expired', async () => {
    await using server = await openWithNamespace()
    const big = { ...map('big'), data: { text: 'x'.repeat(1_000_000) } }
    const first = await server.api.create(CONFIG_MAPS, map('first'))
    for (let index = 0; index < 40; index++)
      await server.api[index === 0 ? 'create' : 'update'](CONFIG_MAPS, {
        ...big,
        data: { ...big.data, index: String(index) },
      })
    const watch = await startWatch(server, { resourceVersion: first.metadata.resourceVersion ?? '' })
    const error = await watch.ended
    isRefusal('Expired', /too old resource version: \d+ \(\d+\)/)(error)
    ok(error instanceof ApiError && error.code === 410)
    deepEqual(watch.events, [])
    // For another kind, nothing was lost.
    using quiet = recordWatch((signal) =>
      server.api.watch(PODS, { resourceVersion: first.metadata.resourceVersion ?? '', signal }),
    )
    await server.api.create(PODS, pod('p', { namespace: NAMESPACE }))
    await server.settled()
    deepEqual(quiet.texts(), ['ADDED p'])
  })

  test('goes on over a restart for whoever saw the last change of the kind; others are told to list again', async () => {
    const backend = createSimulatedBackend()
    const before = await openWithNamespace({ backend })
    const first = await before.api.create(CONFIG_MAPS, map('a'))
    const last = await before.api.create(CONFIG_MAPS, map('b'))
    await before.close()
    await using server = await openServerUnderTest({ backend })
    using missed = await startWatch(server, { resourceVersion: first.metadata.resourceVersion ?? '' })
    isRefusal('Expired', /too old/)(await missed.ended)
    using watch = await startWatch(server, { resourceVersion: last.metadata.resourceVersion ?? '' })
    await server.api.create(CONFIG_MAPS, map('c'))
    await server.api.delete(CONFIG_MAPS, at('a'))
    await server.settled()
    deepEqual(watch.texts(), ['ADDED c', 'DELETED a'])
    const revisions = watch.events.map(versionOf)
    ok(
      revisions.every((revision) => revision > Number(last.metadata.resourceVersion)),
      'revisions grow over the restart',
    )
  })

  test('a reader that is too slow is told to list again, and loses nothing of what it had taken', async () => {
    await using server = await openWithNamespace()
    const iterator = server.api.watch(CONFIG_MAPS, own)[Symbol.asyncIterator]()
    const first = iterator.next()
    await server.api.create(CONFIG_MAPS, map('slow'))
    equal((await first).value?.type, 'ADDED')
    const text = 'x'.repeat(1_000_000)
    for (let index = 0; index < 40; index++)
      await server.api.update(CONFIG_MAPS, { ...map('slow'), data: { text, index: String(index) } })
    await rejects(iterator.next(), isRefusal('Expired', /too slow to follow/))
  })

  test('of a server that closes ends cleanly', async () => {
    const server = await openWithNamespace()
    const watch = await startWatch(server)
    await server.close()
    equal(await watch.ended, undefined)
  })
})
