import { firstPlace } from '../../base/first-place.ts'
import { ALL_STORAGES } from '../storage/backend.ts'
import { LoadedObject } from './stored-object.ts'
import type { Change, StoredObject } from './stored-object.ts'

/** The newest changes of all kinds, so that an interrupted watch can continue. */
export interface ChangeWindow {
  add(change: Change): void
  /** The changes of a storage after the revision, or undefined if some of them are no longer known. */
  since(storage: string, revision: number): Change[] | undefined
}

// Only text: the objects of older states would need three times the memory, and few watches ever resume.
type Entry = {
  revision: number
  storage: string
  key: string
  type: Change['type']
  after: string
  before: TextAt | undefined
}
type TextAt = { revision: number; json: string }

/** Limited by the size of its text. `initialRevisions`: the last revision of each storage before the first change. */
export function createChangeWindow(windowBytes: number, initialRevisions: ReadonlyMap<string, number>): ChangeWindow {
  // Empty before `first`: moving the rest down on every drop would cost more.
  let entries: (Entry | undefined)[] = []
  let first = 0
  let bytes = 0
  // The oldest revision of each storage from which a watch can resume.
  const horizons = new Map(initialRevisions)

  const add = ({ revision, storage, key, type, after, before }: Change): void => {
    entries.push({
      revision,
      storage,
      key,
      type,
      after: after.json,
      before: before && { revision: before.revision, json: before.json },
    })
    bytes += after.json.length
    while (bytes > windowBytes && first < entries.length - 1) drop()
    if (first > 1024 && first > entries.length / 2) {
      entries = entries.slice(first)
      first = 0
    }
  }
  const drop = (): void => {
    const oldest = entries[first]
    if (!oldest) return
    entries[first++] = undefined
    bytes -= oldest.after.length
    horizons.set(oldest.storage, oldest.revision)
  }

  const since = (storage: string, revision: number): Change[] | undefined => {
    if (revision < (horizons.get(storage) ?? horizons.get(ALL_STORAGES) ?? 0)) return undefined
    return entries.slice(firstAfter(revision)).flatMap((entry) => (entry?.storage === storage ? toChange(entry) : []))
  }
  // Revisions only increase, so a binary search works.
  const firstAfter = (revision: number): number => {
    return firstPlace(first, entries.length, (place) => (entries[place]?.revision ?? 0) <= revision)
  }
  return { add, since }
}

function toChange({ revision, storage, key, type, after, before }: Entry): Change {
  return {
    revision,
    storage,
    key,
    type,
    after: stored(key, revision, after),
    before: before && stored(key, before.revision, before.json),
  }
}

const stored = (key: string, revision: number, json: string): StoredObject => new LoadedObject({ key, revision, json })
