import { deepEqual, equal, ok, rejects } from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { KubeObject } from '../../api/object.ts'
import { StorageFullError } from '../storage/backend.ts'
import type { Backend, BackendChange } from '../storage/backend.ts'
import { createMemoryBackend } from '../storage/memory-backend.ts'
import { openStore } from './store.ts'
import { TextObject } from './stored-object.ts'
import type { Change } from './stored-object.ts'

const pod = (name: string, note = ''): KubeObject & { note: string } => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'a' },
  note,
})
const put = (object: KubeObject) => () => ({ kind: 'put', object }) as const

/** A backend whose commits wait until the test releases them, or fail. */
function gatedBackend() {
  const commits: { changes: readonly BackendChange[]; resolve(): void; reject(error: Error): void }[] = []
  const backend: Backend = {
    ...createMemoryBackend(),
    commit: (changes) => new Promise((resolve, reject) => void commits.push({ changes, resolve, reject })),
  }
  return { backend, commits }
}
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

describe('store', () => {
  test('gives every change a revision of its own, growing over all kinds', async () => {
    const store = await openStore(createMemoryBackend())
    const first = await store.write('pods', 'a/x', put(pod('x')))
    const second = await store.write('secrets', 'a/y', put(pod('y')))
    deepEqual([first?.revision, second?.revision, store.revision()], [1, 2, 2])
    equal(first?.object.metadata.resourceVersion, '1')
    equal(JSON.parse(first?.json ?? '').metadata.resourceVersion, '1')
  })

  test('goes on from the revision of the backend', async () => {
    const loaded = { revision: 41, objects: [], lastRevisions: new Map([['pods', 41]]) }
    const store = await openStore({ ...createMemoryBackend(), load: () => Promise.resolve(loaded) })
    equal((await store.write('pods', 'a/x', put(pod('x'))))?.revision, 42)
  })

  test('shows a write to nobody before it is durable, but decides the next one on it', async () => {
    const { backend, commits } = gatedBackend()
    const store = await openStore(backend)
    const seen: Change[] = []
    store.onChange((change) => seen.push(change))
    const first = store.write('pods', 'a/x', put(pod('x', 'one')))
    await turn()
    const second = store.write('pods', 'a/x', (current) => {
      equal((current?.object as { note?: string } | undefined)?.note, 'one')
      return { kind: 'put', object: pod('x', 'two') }
    })
    await turn()
    equal(store.visible.find('pods', 'a/x'), undefined)
    equal(store.decided.find('pods', 'a/x')?.revision, 2)
    deepEqual([store.revision(), seen.length, commits.length], [0, 0, 1])
    commits[0]?.resolve()
    await first
    equal(store.visible.find('pods', 'a/x')?.revision, 1)
    equal(store.decided.find('pods', 'a/x')?.revision, 2)
    await turn()
    commits[1]?.resolve()
    await second
    deepEqual(
      seen.map(({ revision, before }) => [revision, before?.revision]),
      [
        [1, undefined],
        [2, 1],
      ],
    )
  })

  test('commits what waits together as one group, in order', async () => {
    const { backend, commits } = gatedBackend()
    const store = await openStore(backend)
    const writes = ['x', 'y', 'z'].map((name) => store.write('pods', `a/${name}`, put(pod(name))))
    await turn()
    deepEqual(
      commits.map(({ changes }) => changes.map(({ key, revision }) => [key, revision])),
      [
        [
          ['a/x', 1],
          ['a/y', 2],
          ['a/z', 3],
        ],
      ],
    )
    commits[0]?.resolve()
    await Promise.all(writes)
  })

  test('lets those who react at once to one group into the next, beside what waited already', async () => {
    const { backend, commits } = gatedBackend()
    const store = await openStore({ ...backend, gather: turn })
    const first = store.write('pods', 'a/first', put(pod('first')))
    await turn()
    await turn()
    const waited = store.write('pods', 'a/waited', put(pod('waited')))
    // Some promises later, like a controller that reacts to the first write.
    const reaction = first.then(() => undefined).then(() => store.write('pods', 'a/reaction', put(pod('reaction'))))
    commits[0]?.resolve()
    await turn()
    await turn()
    commits[1]?.resolve()
    await Promise.all([waited, reaction])
    deepEqual(
      commits.map(({ changes }) => changes.map(({ key }) => key)),
      [['a/first'], ['a/waited', 'a/reaction']],
    )
  })

  test('fails a group with all that was decided on top of it, and goes on afterwards with new revisions', async () => {
    const { backend, commits } = gatedBackend()
    const store = await openStore(backend)
    const first = store.write('pods', 'a/x', put(pod('x', 'one')))
    await turn()
    const second = store.write('pods', 'a/x', put(pod('x', 'two')))
    const unchanged = store.write('pods', 'a/x', () => ({ kind: 'keep' }))
    commits[0]?.reject(new Error('disk full'))
    await rejects(first, /disk full/)
    await rejects(second, /disk full/)
    await rejects(unchanged, /disk full/)
    equal(store.decided.find('pods', 'a/x'), undefined)
    const third = store.write('pods', 'a/x', put(pod('x', 'three')))
    await turn()
    commits[1]?.resolve()
    equal((await third)?.revision, 3)
  })

  test('an answer that changes nothing waits for the write that it rests on', async () => {
    const { backend, commits } = gatedBackend()
    const store = await openStore(backend)
    const order: string[] = []
    const write = store.write('pods', 'a/x', put(pod('x'))).then(() => order.push('write'))
    await turn()
    const keep = store
      .write('pods', 'a/x', () => ({ kind: 'keep' }))
      .then((stored) => order.push(`keep ${stored?.revision}`))
    await turn()
    deepEqual(order, [])
    commits[0]?.resolve()
    await Promise.all([write, keep])
    deepEqual(order, ['write', 'keep 1'])
  })

  test('a deletion has a revision of its own and shows the last state', async () => {
    const store = await openStore(createMemoryBackend())
    await store.write('pods', 'a/x', put(pod('x', 'last')))
    const seen: Change[] = []
    store.onChange((change) => seen.push(change))
    await store.write('pods', 'a/x', (current) => ({ kind: 'delete', object: current?.object ?? pod('x') }))
    deepEqual(
      seen.map(({ type, revision, after }) => [type, revision, after.object.metadata.resourceVersion]),
      [['delete', 2, '2']],
    )
    deepEqual(store.visible.list('pods'), [])
  })

  test('knows the newest decided state when an object comes and goes within one group', async () => {
    const { backend, commits } = gatedBackend()
    const store = await openStore(backend)
    const remove = () => ({ kind: 'delete', object: pod('x') }) as const
    const writes = [store.write('pods', 'a/x', put(pod('x')))]
    await turn()
    for (const decide of [remove, put(pod('x', 'again')), remove, put(pod('x', 'last')), remove])
      writes.push(store.write('pods', 'a/x', decide))
    store.onChange(() => equal(store.decided.find('pods', 'a/x'), undefined))
    commits[0]?.resolve()
    await writes[0]
    equal(store.visible.find('pods', 'a/x')?.revision, 1)
    deepEqual(store.decided.list('pods'), [])
    await turn()
    commits[1]?.resolve()
    await Promise.all(writes)
    deepEqual([store.visible.list('pods'), store.revision()], [[], 6])
  })

  test('is settled when all that was decided is visible', async () => {
    const { backend, commits } = gatedBackend()
    const store = await openStore(backend)
    await store.settled()
    const write = store.write('pods', 'a/x', put(pod('x')))
    await turn()
    const settled = store.settled().then(() => store.visible.find('pods', 'a/x')?.revision)
    commits[0]?.resolve()
    equal(await settled, 1)
    await write
  })

  test('is not settled when what was decided is lost', async () => {
    const { backend, commits } = gatedBackend()
    const store = await openStore(backend)
    const write = store.write('pods', 'a/x', put(pod('x')))
    await turn()
    const settled = store.settled()
    commits[0]?.reject(new Error('disk full'))
    await rejects(settled, /disk full/)
    await rejects(write, /disk full/)
    await store.settled()
  })

  test('shows what the backend had, frozen and the same each time', async () => {
    const json = JSON.stringify({ ...pod('x', 'kept'), metadata: { name: 'x', labels: { a: 'b' } } })
    const loaded = {
      revision: 7,
      objects: [{ storage: 'pods', key: 'a/x', revision: 7, json }],
      lastRevisions: new Map([['pods', 7]]),
    }
    const store = await openStore({ ...createMemoryBackend(), load: () => Promise.resolve(loaded) })
    const stored = store.visible.find('pods', 'a/x')
    deepEqual([stored?.revision, stored?.json, stored?.object], [7, json, JSON.parse(json)])
    equal(stored?.object, store.decided.find('pods', 'a/x')?.object)
    equal(Object.isFrozen(stored?.object.metadata.labels), true)
  })

  test('closes once everything that was decided is durable', async () => {
    const { backend, commits } = gatedBackend()
    const seen: (number | undefined)[] = []
    const store = await openStore({
      ...backend,
      close: () => Promise.resolve(void seen.push(store.visible.find('pods', 'a/x')?.revision)),
    })
    const write = store.write('pods', 'a/x', put(pod('x')))
    const closing = store.close()
    await turn()
    deepEqual(seen, [])
    commits[0]?.resolve()
    await Promise.all([write, closing])
    deepEqual(seen, [1])
  })

  test('what decide throws comes back and changes nothing', async () => {
    const store = await openStore(createMemoryBackend())
    const refuse = (): never => {
      throw new Error('no')
    }
    await rejects(store.write('pods', 'a/x', refuse), /no/)
    equal(store.revision(), 0)
  })

  test('lists in order of key, a namespace apart from those that begin like it', async () => {
    const store = await openStore(createMemoryBackend())
    for (const key of ['b/x', 'a/y', 'a-b/z', 'a/x']) await store.write('pods', key, put(pod(key)))
    deepEqual(
      store.visible.list('pods').map(({ key }) => key),
      ['a-b/z', 'a/x', 'a/y', 'b/x'],
    )
    deepEqual(
      store.visible.list('pods', 'a').map(({ key }) => key),
      ['a/x', 'a/y'],
    )
    deepEqual(
      store.decided.list('pods', 'a').map(({ key }) => key),
      ['a/x', 'a/y'],
    )
  })

  test('stored objects are frozen all the way down', async () => {
    const store = await openStore(createMemoryBackend())
    const stored = await store.write('pods', 'a/x', put({ ...pod('x'), metadata: { name: 'x', labels: { a: 'b' } } }))
    equal(Object.isFrozen(stored?.object.metadata.labels), true)
  })

  test('takes only what needs no more room while the disk is full, and looks for room before each write', async () => {
    let isFull = false
    let looks = 0
    const store = await openStore({
      ...createMemoryBackend(),
      isFull: () => isFull,
      checkRoom: () => Promise.resolve((looks++, isFull)),
    })
    await store.write('pods', 'a/x', put(pod('x', 'y'.repeat(5000))))
    await store.write('pods', 'a/z', put(pod('z')))
    isFull = true
    await rejects(store.write('pods', 'a/new', put(pod('new'))), StorageFullError)
    await rejects(store.write('pods', 'a/z', put(pod('z', 'y'.repeat(5000)))), /no space left on device/)
    equal((await store.write('pods', 'a/x', put(pod('x', 'y'.repeat(5500)))))?.key, 'a/x')
    await store.write('pods', 'a/x', () => ({ kind: 'delete', object: pod('x') }))
    deepEqual(
      store.visible.list('pods').map(({ key }) => key),
      ['a/z'],
    )
    equal(looks, 4)
    isFull = false
    await store.write('pods', 'a/new', put(pod('new')))
    equal(store.visible.list('pods').length, 2)
  })

  test('keeps only the text of what it is told to', async () => {
    const store = await openStore(createMemoryBackend(), { asText: ['events'] })
    const written = await store.write('events', 'a/x', put(pod('x', 'note')))
    const kept = store.visible.find('events', 'a/x')
    ok(kept instanceof TextObject)
    deepEqual(kept.object, written?.object)
    equal(Object.isFrozen(kept.object.metadata), true)
  })
})
