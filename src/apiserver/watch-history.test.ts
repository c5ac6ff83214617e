import { deepEqual, equal, ok } from 'node:assert/strict'
import { connect } from 'node:http2'
import { after, before, describe, test } from 'node:test'
import fc from 'fast-check'
import type { Api, WatchEvent, WatchOptions } from '../api/api.ts'
import { isExpired } from '../api/api-error.ts'
import { CONFIG_MAPS } from '../api/kinds/config-map.ts'
import { PODS } from '../api/kinds/pod.ts'
import type { Pod } from '../api/kinds/pod.ts'
import { createSystemClock } from '../base/clock.ts'
import { createSystemHost } from '../base/host/index.ts'
import { createSeededRandom, createSystemRandom } from '../base/random.ts'
import type { Random } from '../base/random.ts'
import { connectApi, loadKubeconfig } from '../kube/index.ts'
import type { Store } from './core/store.ts'
import { SYSTEM_USER } from './core/user.ts'
import { configMap, pod } from './testing/objects-under-test.ts'
import { openServerUnderTest } from './testing/open-server-under-test.ts'
import { startTestServer } from './testing/start-test-server.ts'
import type { TestServer } from './testing/start-test-server.ts'

type Step = { revision: number; isDelete: boolean; key: string; before: Pod | undefined; after: Pod }

/** Everything that happens to pods, as the store has it: what every watch is measured by. */
function recordSteps(store: Store): Step[] {
  const steps: Step[] = []
  store.onChange(({ storage, revision, type, key, before: old, after: now }) => {
    if (storage === 'pods')
      steps.push({
        revision,
        isDelete: type === 'delete',
        key,
        before: old?.object as Pod | undefined,
        after: now.object as Pod,
      })
  })
  return steps
}

type Scope = {
  options: Pick<WatchOptions, 'namespace' | 'labelSelector' | 'fieldSelector'>
  covers(object: Pod): boolean
}

const isOn = (node: string) => (object: Pod) => object.spec.nodeName === node
const SCOPES: Record<string, Scope> = {
  everything: { options: {}, covers: () => true },
  'one namespace': { options: { namespace: 'default' }, covers: ({ metadata }) => metadata.namespace === 'default' },
  'a label': { options: { labelSelector: 'group=a' }, covers: ({ metadata }) => metadata.labels?.['group'] === 'a' },
  'another label': {
    options: { labelSelector: 'group!=a' },
    covers: ({ metadata }) => metadata.labels?.['group'] !== 'a',
  },
  'one node': { options: { fieldSelector: 'spec.nodeName=n1' }, covers: isOn('n1') },
  'no node': { options: { fieldSelector: 'spec.nodeName=' }, covers: ({ spec }) => !spec.nodeName },
  'one node and a label': {
    options: { fieldSelector: 'spec.nodeName=n1', labelSelector: 'group=a' },
    covers: (object) => isOn('n1')(object) && object.metadata.labels?.['group'] === 'a',
  },
  'one name': {
    options: { namespace: 'default', fieldSelector: 'metadata.name=p-0' },
    covers: ({ metadata }) => metadata.name === 'p-0',
  },
  'all but one name': {
    options: { fieldSelector: 'metadata.name!=p-0' },
    covers: ({ metadata }) => metadata.name !== 'p-0',
  },
}

const textOf = (type: string, revision: number, object: Pod): string =>
  `${type} ${revision} ${JSON.stringify({ ...object, metadata: { ...object.metadata, resourceVersion: '' } })}`

/** What a watch of the scope has to bring after the revision, no more, no less, in this order. */
function expectedEvents(steps: readonly Step[], { covers }: Scope, after: number): string[] {
  return steps
    .filter(({ revision }) => revision > after)
    .flatMap(({ revision, isDelete, before: old, after: now }) => {
      const was = old !== undefined && covers(old)
      const is = !isDelete && covers(now)
      if (is) return [textOf(was ? 'MODIFIED' : 'ADDED', revision, now)]
      // Out of the scope: its last content that was in it. Deleted: its last content.
      return was ? [textOf('DELETED', revision, isDelete ? now : old)] : []
    })
}

function expectedState(steps: readonly Step[], { covers }: Scope, until: number): string[] {
  const state = new Map<string, Step>()
  for (const step of steps) {
    if (step.revision > until) break
    if (step.isDelete) state.delete(step.key)
    else state.set(step.key, step)
  }
  return [...state.values()]
    .filter(({ after: now }) => covers(now))
    .map(({ revision, after: now }) => textOf('ADDED', revision, now))
    .sort()
}

/** One client: how it begins, how it reads, and what it has seen. */
type Habit = {
  scope: Scope
  begins: 'list' | 'watch-list' | 'watch'
  /** Goes away after so many events and comes back; 0: stays. */
  cutAfter: number
  timeoutSeconds?: number
  /** Before each event that it takes. */
  pause?(): Promise<void>
}
type Seen = { from: number; initial: string[]; events: string[]; resumes: number; relists: number }

async function runWatcher(api: Api, habit: Habit, isDone: (object: Pod) => boolean): Promise<Seen> {
  const seen: Seen = { from: 0, initial: [], events: [], resumes: 0, relists: 0 }
  let revision = 0
  let isInitial = false
  let done = false

  const begin = async (): Promise<WatchOptions> => {
    isInitial = habit.begins === 'watch-list'
    if (isInitial) return { sendInitialEvents: true, resourceVersionMatch: 'NotOlderThan', allowBookmarks: true }
    const list = await api.list(PODS, habit.scope.options)
    seen.initial = list.items.map((item) => textOf('ADDED', Number(item.metadata.resourceVersion), item))
    revision = seen.from = Number(list.resourceVersion)
    return { resourceVersion: list.resourceVersion }
  }
  const take = (event: WatchEvent<Pod>): void => {
    if (event.type === 'BOOKMARK') {
      const bookmark = Number(event.resourceVersion)
      ok(bookmark >= revision, `bookmark ${bookmark} after ${revision}`)
      revision = bookmark
      if (event.initialEventsEnd) {
        ok(isInitial)
        isInitial = false
        seen.from = bookmark
      }
      return
    }
    const { type, object } = event
    const number = Number(object.metadata.resourceVersion)
    const text = textOf(type, number, object)
    if (isInitial) return void seen.initial.push(text)
    ok(number > revision, `revision ${number} came after ${revision}`)
    revision = number
    seen.events.push(text)
    done = isDone(object)
  }
  let options: WatchOptions | undefined = await begin()
  while (!done) {
    let taken = 0
    for await (const event of api.watch(PODS, {
      ...habit.scope.options,
      allowBookmarks: true,
      ...options,
      ...(habit.timeoutSeconds ? { timeoutSeconds: habit.timeoutSeconds } : {}),
    })) {
      await habit.pause?.()
      take(event)
      if (done || (habit.cutAfter > 0 && !isInitial && ++taken >= habit.cutAfter)) break
    }
    // A watch-list that was ended before its bookmark begins again.
    if (isInitial) seen.initial = []
    else options = { resourceVersion: String(revision) }
    seen.resumes++
  }
  return seen
}

/** Creates, binds, relabels and deletes pods of its own, now and then one that all share. */
async function runWriter(api: Api, id: number, random: Random, count: number): Promise<Map<number, string>> {
  const acknowledged = new Map<number, string>()
  const acknowledge = (answer: { metadata: { name?: string; resourceVersion?: string } }): void =>
    void acknowledged.set(Number(answer.metadata.resourceVersion), answer.metadata.name ?? '')
  const mine = new Map<string, 'unbound' | 'bound'>()
  for (let step = 0; step < count; step++) {
    const name = `p-${id * 10 + random.below(4)}`
    const at = { namespace: 'default', name }
    const state = mine.get(name)
    const group = random.below(2) === 0 ? 'a' : 'b'
    if (state === undefined) {
      acknowledge(await api.create(PODS, pod(name, { labels: { group } })))
      mine.set(name, 'unbound')
    } else if (random.below(4) === 0) {
      acknowledge((await api.delete(PODS, at, { gracePeriodSeconds: 0 })) as Pod)
      mine.delete(name)
    } else if (state === 'unbound' && random.below(2) === 0) {
      await api.createSubresource(PODS, at, 'binding', { target: { name: `n${random.below(3)}` } })
      mine.set(name, 'bound')
    } else
      acknowledge(
        await api.patch(PODS, at, { type: 'merge', value: { metadata: { labels: { group, step: String(step) } } } }),
      )
  }
  return acknowledged
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

describe('watches over HTTPS', () => {
  let server: TestServer
  let connection: ReturnType<typeof connectApi>
  const clock = createSystemClock()
  before(async () => {
    server = await startTestServer()
    const credentials = await loadKubeconfig({
      path: server.kubeconfigPath,
      parts: { host: createSystemHost(), clock, env: {} },
    })
    connection = connectApi({ credentials, clock, random: createSystemRandom(), userAgent: 'watch-history' })
  })
  after(async () => {
    connection.close()
    await server[Symbol.asyncDispose]()
  })

  test('lose nothing, repeat nothing and keep the order, whoever watches and however', async (context) => {
    const seed = createSystemRandom().below(2 ** 31)
    context.diagnostic(`seed ${seed}`)
    const random = createSeededRandom(seed)
    const { core } = server.server
    const { api } = connection
    const joined = core.as(SYSTEM_USER)
    const steps = recordSteps(core.parts.store)
    const pauses: (Habit['pause'] | undefined)[] = [
      undefined,
      undefined,
      async () => {
        for (let turns = random.below(20); turns > 0; turns--) await turn()
      },
    ]
    const habits = Object.values(SCOPES).flatMap((scope): Habit[] =>
      (['list', 'watch-list'] as const).flatMap((begins) =>
        [0, 1 + random.below(5)].map((cutAfter) => {
          const pause = pauses[random.below(pauses.length)]
          return { scope, begins, cutAfter, ...(pause ? { pause } : {}) }
        }),
      ),
    )
    habits.push(
      { scope: SCOPES['everything'] as Scope, begins: 'list', cutAfter: 0, timeoutSeconds: 1 },
      { scope: SCOPES['a label'] as Scope, begins: 'watch-list', cutAfter: 0, timeoutSeconds: 1 },
    )

    const isDone = ({ metadata }: Pod): boolean => metadata.annotations?.['done'] === 'yes'
    // Some begin before anything is there, some in the middle.
    const [early, late] = [habits.filter((_, index) => index % 2 === 0), habits.filter((_, index) => index % 2 === 1)]
    const start = (habit: Habit, index: number) => ({
      habit,
      seen: runWatcher(index % 3 === 0 ? joined : api, habit, isDone),
    })
    const watchers = early.map(start)
    const writers = Array.from({ length: 6 }, (_, id) =>
      runWriter(id % 2 === 0 ? api : joined, id + 1, createSeededRandom(random.below(2 ** 31)), 60),
    )
    await Promise.race(writers)
    watchers.push(...late.map(start))
    const acknowledged = await Promise.all(writers)

    // Two last ones, of which every scope sees one at least.
    for (const [name, spec, group] of [
      ['p-0', {}, 'b'],
      ['z-1', { nodeName: 'n1' }, 'a'],
    ] as const) {
      await api.create(PODS, pod(name, { labels: { group } }, spec))
      await api.patch(
        PODS,
        { namespace: 'default', name },
        { type: 'merge', value: { metadata: { annotations: { done: 'yes' } } } },
      )
    }
    const revisionAtEnd = steps.at(-1)?.revision ?? 0
    for (const { habit, seen } of watchers) {
      const { from, initial, events } = await seen
      const about = `${JSON.stringify({ ...habit, scope: habit.scope.options })}, seed ${seed}`
      deepEqual(initial.toSorted(), expectedState(steps, habit.scope, from), `the beginning of ${about}`)
      const expected = expectedEvents(steps, habit.scope, from)
      // It stops at the first of the two last ones that it sees.
      deepEqual(events, expected.slice(0, events.length), `the events of ${about}`)
      ok(expected.length - events.length <= 2, `${about} has missed the end`)
    }
    const known = new Map(steps.map(({ revision, after: now }) => [revision, now.metadata.name]))
    for (const answers of acknowledged)
      for (const [revision, name] of answers)
        equal(known.get(revision), name, 'an answer that the store does not know of')
    const resumes = (await Promise.all(watchers.map(({ seen }) => seen))).reduce((sum, seen) => sum + seen.resumes, 0)
    // Clients left in the middle of things; the server has to notice, or its memory would fill.
    while (core.parts.hub.subscribers() > 0) await turn()
    context.diagnostic(
      `${steps.length} changes up to revision ${revisionAtEnd}, ${watchers.length} watchers, resumed ${resumes} times`,
    )
  })

  test('end cleanly when their time is up', async () => {
    const { api } = connection
    const events: string[] = []
    // No error: the iteration just ends.
    for await (const event of api.watch(CONFIG_MAPS, { namespace: 'default', timeoutSeconds: 1 }))
      events.push(event.type)
    deepEqual(events, ['ADDED'])
    const { raw, close } = await openRaw(server, '/api/v1/namespaces/default/configmaps?watch=true&timeoutSeconds=1')
    const text = (await raw.toArray()).join('')
    equal(raw.rstCode, 0)
    ok(text.endsWith('\n') && text.split('\n').length === 2)
    close()
  })

  test('of a client that never reads hold up nobody, and are told so once it does', async () => {
    const { api } = connection
    const { core } = server.server
    const joined = core.as(SYSTEM_USER)
    await joined.create(CONFIG_MAPS, configMap('heavy', {}, { index: '0' }))
    const subscribers = core.parts.hub.subscribers()
    const { raw, close } = await openRaw(
      server,
      '/api/v1/namespaces/default/configmaps?watch=true&fieldSelector=metadata.name%3Dheavy',
    )
    equal(core.parts.hub.subscribers(), subscribers + 1)

    const COUNT = 60
    const stopping = new AbortController()
    const follow = async (): Promise<number[]> => {
      const seen: number[] = []
      for await (const event of api.watch(CONFIG_MAPS, {
        namespace: 'default',
        fieldSelector: 'metadata.name=heavy',
        signal: stopping.signal,
      })) {
        if (event.type !== 'BOOKMARK') seen.push(Number(event.object.data?.['index']))
        if (seen.at(-1) === COUNT) return seen
      }
      return seen
    }
    const following = Promise.all([follow(), follow()])
    const text = 'x'.repeat(1_000_000)
    for (let index = 1; index <= COUNT; index++)
      await joined.patch(
        CONFIG_MAPS,
        { namespace: 'default', name: 'heavy' },
        { type: 'merge', value: { data: { index: String(index), text } } },
      )
    for (const seen of await following)
      deepEqual(
        seen,
        seen.map((_, index) => (seen[0] ?? 0) + index),
        'others get everything, in order',
      )
    while (core.parts.hub.subscribers() > subscribers) await turn()

    const lines = (await raw.toArray())
      .join('')
      .trim()
      .split('\n')
      .map(
        (line) =>
          JSON.parse(line) as {
            type: string
            object: { code?: number; reason?: string; data?: Record<string, string> }
          },
      )
    equal(raw.rstCode, 0)
    const last = lines.pop()
    deepEqual([last?.type, last?.object.code, last?.object.reason], ['ERROR', 410, 'Expired'])
    deepEqual(
      lines.map(({ object }) => Number(object.data?.['index'])),
      lines.map((_, index) => index),
      'what came before is without a gap',
    )
    ok(lines.length < COUNT)
    close()
  })

  test('that are too old are told so, and can begin anew', async () => {
    const { api } = connection
    const heavy = { namespace: 'default', name: 'heavy' }
    const { resourceVersion } = await api.list(CONFIG_MAPS, { namespace: 'default' })
    const text = 'y'.repeat(1_000_000)
    for (let index = 0; index < 40; index++)
      await api.patch(CONFIG_MAPS, heavy, { type: 'merge', value: { data: { index: String(index), text } } })
    const old = api.watch(CONFIG_MAPS, { namespace: 'default', resourceVersion })[Symbol.asyncIterator]()
    await old.next().then(
      () => ok(false, 'a watch that is too old must not begin'),
      (error: unknown) => ok(isExpired(error)),
    )
    const list = await api.list(CONFIG_MAPS, heavy)
    const next = api
      .watch(CONFIG_MAPS, { namespace: 'default', resourceVersion: list.resourceVersion })
      [Symbol.asyncIterator]()
    const event = next.next()
    await api.patch(CONFIG_MAPS, heavy, { type: 'merge', value: { data: { index: 'last', text: 'short' } } })
    const { value } = await event
    ok(value?.type === 'MODIFIED' && value.object.data?.['index'] === 'last')
    await next.return?.()
  })
})

/** A request whose answer is not read until somebody does. */
async function openRaw({ address, identity }: TestServer, path: string) {
  const { keyPem, certificatePem } = await identity.authority.issueClient({ user: 'admin', groups: ['system:masters'] })
  const session = connect(address, { ca: identity.authority.pair.certificatePem, key: keyPem, cert: certificatePem })
  const raw = session.request({ ':path': path })
  const status = await new Promise((resolve, reject) => {
    raw.once('response', (headers) => resolve(headers[':status']))
    raw.once('error', reject)
  })
  equal(status, 200)
  return { raw, close: () => session.destroy() }
}

describe('watches of the joined API', () => {
  // Switching cuts a watch off, and lets it go on the next time.
  type Move =
    | { kind: 'write'; name: number; what: 'label' | 'bind' | 'delete'; group: 'a' | 'b' }
    | { kind: 'switch' }
    | { kind: 'restart'; begins: 'list' | 'watch-list' | 'watch' }
  const write = fc.record({
    kind: fc.constant('write' as const),
    name: fc.nat(2),
    what: fc.constantFrom('label' as const, 'label' as const, 'bind' as const, 'delete' as const),
    group: fc.constantFrom('a' as const, 'b' as const),
  })
  const move: fc.Arbitrary<Move> = fc.oneof(
    { weight: 6, arbitrary: write },
    { weight: 2, arbitrary: fc.constant<Move>({ kind: 'switch' }) },
    {
      weight: 1,
      arbitrary: fc.record({
        kind: fc.constant('restart' as const),
        begins: fc.constantFrom('list' as const, 'watch-list' as const, 'watch' as const),
      }),
    },
  )

  test('agree with the history, wherever they are cut off and go on', async () => {
    const server = await openServerUnderTest()
    const { api } = server
    const steps = recordSteps(server.core.parts.store)

    const apply = async ({ name: number, what, group }: Extract<Move, { kind: 'write' }>): Promise<void> => {
      const at = { namespace: 'default', name: `p-${number}` }
      const current = server.core.parts.store.visible.find('pods', `default/p-${number}`)?.object as Pod | undefined
      if (!current) return void (await api.create(PODS, pod(at.name, { labels: { group } })))
      if (what === 'delete') return void (await api.delete(PODS, at, { gracePeriodSeconds: 0 }))
      if (what === 'bind' && !current.spec.nodeName)
        return void (await api.createSubresource(PODS, at, 'binding', { target: { name: `n${number}` } }))
      await api.patch(PODS, at, { type: 'merge', value: { metadata: { labels: { group } } } })
    }
    const run = async (scope: Scope, moves: readonly Move[]): Promise<void> => {
      for (let number = 0; number < 3; number++) {
        await api.delete(PODS, { namespace: 'default', name: `p-${number}` }, { gracePeriodSeconds: 0 }).catch(() => {})
      }
      let follower = await follow({ api, scope, begins: 'list', settled: () => server.settled() })
      for (const one of moves) {
        if (one.kind === 'write') await apply(one)
        else if (one.kind === 'switch') await follower.switch()
        else {
          await follower.check(steps)
          follower = await follow({ api, scope, begins: one.begins, settled: () => server.settled() })
        }
      }
      await follower.check(steps)
    }
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...Object.keys(SCOPES)), fc.array(move, { maxLength: 25 }), (scope, moves) =>
        run(SCOPES[scope] as Scope, moves),
      ),
      { numRuns: 150 },
    )
    await server.close()
  })

  type FollowOptions = { api: Api; scope: Scope; begins: Habit['begins']; settled(): Promise<void> }

  async function follow({ api, scope, begins, settled }: FollowOptions) {
    const events: WatchEvent<Pod>[] = []
    let stopping = new AbortController()
    let running: Promise<void> = Promise.resolve()
    const open = (options: WatchOptions): void => {
      const { signal } = (stopping = new AbortController())
      running = (async () => {
        for await (const event of api.watch(PODS, { ...scope.options, allowBookmarks: true, ...options, signal }))
          events.push(event)
      })().catch((error: unknown) => {
        if (!signal.aborted) throw error
      })
    }
    const stop = async (): Promise<void> => {
      await settled()
      stopping.abort(new Error('cut'))
      await running
    }
    let initial: string[]
    const revisionOf = (event: WatchEvent<Pod>): number =>
      Number(event.type === 'BOOKMARK' ? event.resourceVersion : event.object.metadata.resourceVersion)
    const texts = (some: readonly WatchEvent<Pod>[]): string[] =>
      some.flatMap((event) => (event.type === 'BOOKMARK' ? [] : [textOf(event.type, revisionOf(event), event.object)]))
    const list = await api.list(PODS, scope.options)
    const from = Number(list.resourceVersion)
    if (begins === 'list') {
      initial = texts(list.items.map((object) => ({ type: 'ADDED', object })))
      open({ resourceVersion: list.resourceVersion })
    } else {
      open(begins === 'watch' ? {} : { sendInitialEvents: true, resourceVersionMatch: 'NotOlderThan' })
      await settled()
      if (begins === 'watch-list') equal(events.at(-1)?.type, 'BOOKMARK')
      initial = texts(events.splice(0))
    }
    let isOpen = true
    const switchOver = async (): Promise<void> => {
      if (isOpen) await stop()
      else open({ resourceVersion: String(Math.max(from, ...events.map(revisionOf))) })
      isOpen = !isOpen
    }
    const check = async (steps: readonly Step[]): Promise<void> => {
      if (!isOpen) await switchOver()
      await stop()
      deepEqual(initial.toSorted(), expectedState(steps, scope, from))
      deepEqual(texts(events), expectedEvents(steps, scope, from))
    }
    return { switch: switchOver, check }
  }
})
