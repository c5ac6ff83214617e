import { deepEqual, equal, ok } from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { KubeObject } from '../../api/object.ts'
import { collectGarbage } from '../../base/testing/collect-garbage.ts'
import type { Change, StoredObject } from './stored-object.ts'
import { createWatchHub, eventFor } from './watch-hub.ts'
import type { HubEvent, WatchHub, WatchScope } from './watch-hub.ts'

type Options = { labels?: Record<string, string>; nodeName?: string; namespace?: string }

const stored = (
  name: string,
  revision: number,
  { labels = {}, nodeName = '', namespace = 'a' }: Options = {},
): StoredObject => {
  const object = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace, labels, resourceVersion: String(revision) },
    spec: { nodeName },
  } as KubeObject
  return { key: `${namespace}/${name}`, revision, object, json: JSON.stringify(object) }
}
const change = (type: Change['type'], after: StoredObject, before?: StoredObject, storage = 'pods'): Change => ({
  revision: after.revision,
  storage,
  key: after.key,
  type,
  after,
  before,
})

function openHub(options: { windowBytes?: number; initialRevisions?: Map<string, number> } = {}) {
  let emit: (change: Change) => void = () => {}
  const hub = createWatchHub({
    initialRevisions: new Map(),
    ...options,
    onChange: (listener) => void (emit = listener),
  })
  return { hub, emit: (next: Change) => emit(next) }
}
const summary = (event: HubEvent): string =>
  event.type === 'BOOKMARK' ? 'BOOKMARK' : `${event.type} ${event.change.key}@${event.change.revision}`
const eventsSince = (hub: WatchHub, scope: WatchScope, revision: number): HubEvent[] | undefined =>
  hub.since(scope.storage, revision)?.flatMap((change) => eventFor(scope, change) ?? [])
const app = (object: object): boolean => (object as KubeObject).metadata.labels?.['app'] === 'x'

describe('watch hub', () => {
  const scopes: [behaviour: string, scope: WatchScope, expected: string[]][] = [
    ['everything of a storage', { storage: 'pods' }, ['ADDED a/p@1', 'MODIFIED a/p@2', 'ADDED b/q@3', 'DELETED a/p@4']],
    ['one namespace', { storage: 'pods', namespace: 'b' }, ['ADDED b/q@3']],
    ['one name', { storage: 'pods', namespace: 'a', name: 'p' }, ['ADDED a/p@1', 'MODIFIED a/p@2', 'DELETED a/p@4']],
    [
      'one node: a pod that is bound to it is ADDED',
      { storage: 'pods', nodeName: 'n1' },
      ['ADDED a/p@2', 'DELETED a/p@4'],
    ],
    ['a selector: leaving it is DELETED', { storage: 'pods', matches: app }, ['ADDED a/p@1', 'DELETED a/p@2']],
    ['another storage sees nothing', { storage: 'secrets' }, []],
  ]
  const history = (): Change[] => {
    const created = stored('p', 1, { labels: { app: 'x' } })
    const boundToNode = stored('p', 2, { nodeName: 'n1' })
    return [
      change('put', created),
      change('put', boundToNode, created),
      change('put', stored('q', 3, { namespace: 'b' })),
      change('delete', stored('p', 4, { nodeName: 'n1' }), boundToNode),
    ]
  }
  for (const [behaviour, scope, expected] of scopes) {
    test(`tells a watcher of ${behaviour}`, () => {
      const { hub, emit } = openHub()
      const seen: string[] = []
      hub.subscribe(scope, (event) => seen.push(summary(event)))
      history().forEach(emit)
      deepEqual(seen, expected)
    })
    test(`a watcher of ${behaviour} that resumes has missed nothing`, () => {
      const { hub, emit } = openHub()
      history().forEach(emit)
      deepEqual(eventsSince(hub, scope, 0)?.map(summary), expected)
    })
  }

  test('a closed watcher hears nothing more', () => {
    const { hub, emit } = openHub()
    const seen: string[] = []
    const subscription = hub.subscribe({ storage: 'pods' }, (event) => seen.push(summary(event)))
    subscription.close()
    subscription.close()
    history().forEach(emit)
    deepEqual([seen, hub.subscribers()], [[], 0])
  })

  test('knows no longer what has left the window, kind by kind', () => {
    const size = stored('p', 1).json.length
    const { hub, emit } = openHub({ windowBytes: size * 3 })
    emit(change('put', stored('quiet', 1), undefined, 'secrets'))
    for (let revision = 2; revision < 12; revision++) emit(change('put', stored('p', revision)))
    equal(eventsSince(hub, { storage: 'pods' }, 2), undefined)
    deepEqual(eventsSince(hub, { storage: 'pods' }, 9)?.map(summary), ['ADDED a/p@10', 'ADDED a/p@11'])
    deepEqual(eventsSince(hub, { storage: 'secrets' }, 1), [], 'a kind in which nothing was lost can be resumed')
    equal(eventsSince(hub, { storage: 'secrets' }, 0), undefined)
  })

  test('holds nothing of what has left the window', async () => {
    const length = 100_000
    const { hub, emit } = openHub({ windowBytes: length * 10 })
    // Each text is unique, and nothing else in the test references it.
    const emitLarge = (revision: number): void =>
      emit(
        change('put', {
          ...stored(`p${revision}`, revision),
          json: JSON.stringify(String(revision).padEnd(length, 'x')),
        }),
      )
    const fill = async (from: number, count: number): Promise<number> => {
      for (let revision = from; revision < from + count; revision++) emitLarge(revision)
      await collectGarbage()
      return process.memoryUsage().heapUsed
    }
    const full = await fill(1, 20)
    const grown = (await fill(21, 500)) - full
    ok(grown < length * 20, `${grown} bytes more after 500 changes that left the window`)
    equal(eventsSince(hub, { storage: 'pods' }, 515)?.length, 5)
  })

  test('after a restart, whoever saw the last change of a kind can go on', () => {
    const { hub } = openHub({ initialRevisions: new Map([['pods', 7]]) })
    deepEqual(eventsSince(hub, { storage: 'pods' }, 7), [])
    equal(eventsSince(hub, { storage: 'pods' }, 6), undefined)
    deepEqual(eventsSince(hub, { storage: 'nodes' }, 1), [])
  })

  test('ends the watches of one storage, or all of them', () => {
    const { hub } = openHub()
    const ended: string[] = []
    const scopes: WatchScope[] = [
      { storage: 'pods' },
      { storage: 'pods', name: 'p' },
      { storage: 'pods', nodeName: 'n' },
      { storage: 'pods', namespace: 'a' },
      { storage: 'secrets' },
    ]
    const subscriptions = scopes.map((scope, index) =>
      hub.subscribe(
        scope,
        () => {},
        () => void ended.push(`${scope.storage} ${index}`),
      ),
    )
    hub.end('pods')
    deepEqual(ended.splice(0), ['pods 0', 'pods 1', 'pods 2', 'pods 3'])
    hub.end('nodes')
    for (const subscription of subscriptions.slice(0, 4)) subscription.close()
    hub.end()
    deepEqual(ended, ['secrets 4'])
  })

  test('a change does not touch watchers of other nodes and names', () => {
    const { hub, emit } = openHub()
    let asked = 0
    const matches = (): boolean => {
      asked++
      return true
    }
    for (let node = 0; node < 1000; node++) hub.subscribe({ storage: 'pods', nodeName: `n${node}`, matches }, () => {})
    emit(change('put', stored('p', 1, { nodeName: 'n7' })))
    equal(asked, 1)
  })
})
