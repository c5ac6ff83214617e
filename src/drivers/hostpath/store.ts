import { join } from 'node:path'
import {
  isTemporaryName,
  makeDirectories,
  readFileIfPresent,
  removeTree,
  replaceFileDurably,
  syncAll,
} from '../../base/host/durable-files.ts'
import type { Host } from '../../base/host/host.ts'
import type { Logger } from '../../base/logger.ts'
import type { Random } from '../../base/random.ts'
import { formatRecord } from './records.ts'

/** One type of objects with record and content: `<root>/<kind>/<id>/record.json` beside the content. */
export interface Store<R extends { id: string; name: string }> {
  all(): IterableIterator<R>
  find(id: string): R | undefined
  /** By the name it was created with; an empty name matches nothing. */
  findByName(name: string): R | undefined
  /** The folder of an existing object. */
  folder(id: string): string
  /**
   * Creates an object: `fill` writes its content into a temporary folder. Content and record are durable before a rename makes the object visible. If
   * `fill` fails, nothing is left.
   */
  add(record: R, fill: (folder: string) => Promise<void>): Promise<void>
  /** Replaces the record atomically and durably. */
  update(record: R): Promise<void>
  /** Removes the object with one durable rename, then frees its space. Does nothing if it does not exist. */
  remove(id: string): Promise<void>
  /** Call before answering that something is already done: ensures that an earlier step whose sync failed is durable now. */
  confirm(): Promise<void>
}

export type StoreParts<R> = {
  root: string
  kind: string
  host: Host
  random: Random
  log: Logger
  parse(path: string, bytes: Uint8Array): R
}

const RECORD = 'record.json'

/**
 * Reads existing objects, and only then removes what a crash left half created or half removed. All objects that it reads are durable when it
 * returns: calls that answer that something is already done rely on that.
 */
export async function openStore<R extends { id: string; name: string }>({
  root,
  kind,
  host,
  random,
  log,
  parse,
}: StoreParts<R>): Promise<Store<R>> {
  const { files } = host
  const shown = join(root, kind)
  const making = join(root, `${kind}.making`)
  const leaving = join(root, `${kind}.leaving`)
  for (const directory of [shown, making, leaving]) await makeDirectories(files, directory, { mode: 0o700 })

  const records = new Map<string, R>()
  const idByName = new Map<string, string>()
  const show = (record: R): void => {
    records.set(record.id, record)
    if (record.name !== '') idByName.set(record.name, record.id)
  }
  for (const { name: id } of await files.list(shown)) {
    const path = join(shown, id, RECORD)
    const bytes = await readFileIfPresent(files, path)
    if (bytes === undefined)
      throw new Error(`${path} is missing: restore it, or remove ${join(shown, id)} to delete the volume`)
    const record = parse(path, bytes)
    if (record.id !== id)
      throw new Error(`${path} is the record of ${record.id}: it may have been copied. Remove ${join(shown, id)}`)
    show(record)
  }
  for (const id of records.keys()) {
    const directory = join(shown, id)
    for (const { name } of await files.list(directory))
      if (isTemporaryName(name)) await files.removeFile(join(directory, name))
    await files.sync(directory)
  }
  await files.sync(shown)
  for (const directory of [making, leaving]) {
    for (const { name } of await files.list(directory)) {
      const path = join(directory, name)
      // Something may be mounted there, which must not make the other volumes unavailable.
      await removeTree(host, path).catch((error: unknown) =>
        log.warn('removing a leftover failed; it is retried at the next start', { path, error }),
      )
    }
  }

  // A counter, not a flag: the sync of one change does not cover a change made while it ran.
  let changes = 0
  let durableChanges = 0
  const confirm = async (): Promise<void> => {
    if (durableChanges === changes) return
    const before = changes
    await files.sync(shown)
    durableChanges = Math.max(durableChanges, before)
  }

  const folder = (id: string): string => join(shown, id)

  // The ID of an ephemeral volume may be reused before the old volume is completely removed.
  const clear = async (path: string): Promise<void> => {
    if (await files.findStat(path)) await removeTree(host, path)
  }

  const add = async (record: R, fill: (folder: string) => Promise<void>): Promise<void> => {
    const unfinished = join(making, record.id)
    await clear(unfinished)
    try {
      await files.makeDirectory(unfinished, 0o700)
      await fill(unfinished)
      const path = join(unfinished, RECORD)
      await files.writeFile(path, formatRecord(record), { mode: 0o600 })
      await syncAll(files, [path, unfinished])
      await files.rename(unfinished, folder(record.id))
    } catch (error) {
      await removeTree(host, unfinished).catch(() => {})
      throw error
    }
    changes++
    try {
      await confirm()
    } finally {
      // The object exists even if the last step failed: a repeated call must find it.
      show(record)
    }
  }

  const update = async (record: R): Promise<void> => {
    await replaceFileDurably(files, join(folder(record.id), RECORD), formatRecord(record), { mode: 0o600, random })
    records.set(record.id, record)
  }

  const remove = async (id: string): Promise<void> => {
    const record = records.get(id)
    const gone = join(leaving, id)
    if (record) {
      await clear(gone)
      await files.rename(folder(id), gone)
      records.delete(id)
      idByName.delete(record.name)
      changes++
    }
    await confirm()
    await removeTree(host, gone)
  }

  return {
    all: () => records.values(),
    find: (id) => records.get(id),
    findByName: (name) => records.get(idByName.get(name) ?? ''),
    folder,
    add,
    update,
    remove,
    confirm,
  }
}
