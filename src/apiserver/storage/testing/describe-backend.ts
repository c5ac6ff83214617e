import { deepEqual, equal } from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import type { Backend, BackendChange, LoadedState } from '../backend.ts'

/** A location that stores state. Opening it again shows what a restart would find; only one may be open at a time. */
export type BackendUnderTest = AsyncDisposable & { open(): Backend }

type State = { revision: number; objects: Record<string, string>; lastRevisions: Record<string, number> }

const put = (revision: number, storage: string, key: string, json = `{"at":${revision}}`): BackendChange => ({
  revision,
  storage,
  key,
  json,
})
const remove = (revision: number, storage: string, key: string): BackendChange => ({
  revision,
  storage,
  key,
  json: undefined,
})

const summary = ({ revision, objects, lastRevisions }: LoadedState): State => ({
  revision,
  objects: Object.fromEntries(
    Array.from(objects, (object) => [`${object.storage} ${object.key}@${object.revision}`, object.json]),
  ),
  lastRevisions: Object.fromEntries(lastRevisions),
})

/** The contract of every backend that stores anything. */
export function describeBackend(
  name: string,
  start: () => Promise<BackendUnderTest>,
  { runs }: { runs: number },
): void {
  /** Each group is one commit; between the lists the server restarts. */
  const commitAll = async (place: BackendUnderTest, ...lives: BackendChange[][][]): Promise<void> => {
    for (const groups of lives) {
      const backend = place.open()
      await backend.load()
      for (const group of groups) await backend.commit(group)
      await backend.close()
    }
  }
  const reload = async (place: BackendUnderTest): Promise<State> => {
    const backend = place.open()
    const state = summary(await backend.load())
    await backend.close()
    return state
  }

  describe(`${name} backend`, () => {
    test('has nothing at first', async () => {
      await using place = await start()
      deepEqual(await reload(place), { revision: 0, objects: {}, lastRevisions: {} })
    })

    test('gives back what was committed, the newest of each object', async () => {
      await using place = await start()
      await commitAll(place, [[put(1, 'pods', 'a/x'), put(2, 'pods', 'a/y')], [put(3, 'pods', 'a/x')]])
      const objects = { 'pods a/x@3': '{"at":3}', 'pods a/y@2': '{"at":2}' }
      deepEqual(await reload(place), { revision: 3, objects, lastRevisions: { pods: 3 } })
    })

    test('keeps the last revision of each storage, removals included', async () => {
      await using place = await start()
      await commitAll(place, [
        [put(1, 'pods', 'a/x'), put(2, 'secrets', 'a/x'), put(3, 'nodes', 'n')],
        [remove(4, 'pods', 'a/x')],
      ])
      deepEqual((await reload(place)).lastRevisions, { pods: 4, secrets: 2, nodes: 3 })
    })

    test('remembers the highest revision when everything is deleted', async () => {
      await using place = await start()
      await commitAll(place, [[put(6, 'pods', 'a/x')], [remove(7, 'pods', 'a/x')]])
      deepEqual(await reload(place), { revision: 7, objects: {}, lastRevisions: { pods: 7 } })
    })

    test('takes the changes of one group in their order', async () => {
      await using place = await start()
      const made = [put(1, 'pods', 'a/x'), remove(2, 'pods', 'a/x'), put(3, 'pods', 'a/x', '"again"')]
      await commitAll(place, [[...made, put(4, 'pods', 'a/y'), remove(5, 'pods', 'a/y')]])
      deepEqual((await reload(place)).objects, { 'pods a/x@3': '"again"' })
    })

    test('keeps storages with the same keys apart', async () => {
      await using place = await start()
      await commitAll(place, [[put(1, 'pods', 'a/x'), put(2, 'secrets', 'a/x')], [remove(3, 'pods', 'a/x')]])
      deepEqual((await reload(place)).objects, { 'secrets a/x@2': '{"at":2}' })
    })

    test('keeps text as it is, however long and in whatever script', async () => {
      await using place = await start()
      const text = JSON.stringify({ long: 'x'.repeat(1_500_000), script: 'ключ 鍵 🔑 \u0000 \' " \\' })
      await commitAll(place, [[put(1, 'configmaps', 'a/x', text)]])
      equal((await reload(place)).objects['configmaps a/x@1'], text)
    })

    test('goes on after a restart where it was', async () => {
      await using place = await start()
      await commitAll(place, [[put(1, 'pods', 'a/x')]], [[put(2, 'pods', 'a/y')]], [[remove(3, 'pods', 'a/x')]])
      deepEqual(await reload(place), { revision: 3, objects: { 'pods a/y@2': '{"at":2}' }, lastRevisions: { pods: 3 } })
    })

    test('agrees with a plain map over any run of groups and restarts', async () => {
      const change = fc.record({
        storage: fc.constantFrom('pods', 'nodes'),
        key: fc.constantFrom('a/x', 'a/y', 'b/x'),
        present: fc.boolean(),
      })
      const lives = fc.array(fc.array(fc.array(change, { minLength: 1, maxLength: 4 }), { maxLength: 4 }), {
        maxLength: 3,
      })
      await fc.assert(
        fc.asyncProperty(lives, async (given) => {
          await using place = await start()
          let revision = 0
          const numbered = given.map((groups) =>
            groups.map((group) =>
              group.map(({ storage, key, present }) =>
                present ? put(++revision, storage, key) : remove(++revision, storage, key),
              ),
            ),
          )
          await commitAll(place, ...numbered)
          const model: State = { revision, objects: {}, lastRevisions: {} }
          const newest = new Map<string, BackendChange>()
          for (const one of numbered.flat(2)) {
            newest.set(`${one.storage} ${one.key}`, one)
            model.lastRevisions[one.storage] = one.revision
          }
          for (const [id, { revision: at, json }] of newest) if (json !== undefined) model.objects[`${id}@${at}`] = json
          deepEqual(await reload(place), model)
        }),
        { numRuns: runs },
      )
    })
  })
}
