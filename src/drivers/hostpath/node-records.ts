import { join } from 'node:path'
import {
  isTemporaryName,
  makeDirectories,
  removeFileIfPresent,
  replaceFileDurably,
} from '../../base/host/durable-files.ts'
import type { HostFiles } from '../../base/host/host.ts'
import type { Random } from '../../base/random.ts'
import { formatRecord, parseNodeRecord } from './records.ts'
import type { NodeRecord } from './records.ts'

/** What was done on one node, with one file per volume. */
export interface NodeRecords {
  all(): IterableIterator<NodeRecord>
  find(volumeId: string): NodeRecord | undefined
  /** The records of volumes staged or published at the path. */
  at(path: string): NodeRecord[]
  /**
   * Changes a record durably; calls for one volume wait for each other. `change` gets an empty record if there is none. If it returns its argument,
   * nothing is written; an empty record is removed.
   */
  update(volumeId: string, change: (record: NodeRecord) => NodeRecord): Promise<void>
}

/** All records that it reads are durable when it returns. */
export async function openNodeRecords({
  directory,
  files,
  random,
}: {
  directory: string
  files: HostFiles
  random: Random
}): Promise<NodeRecords> {
  await makeDirectories(files, directory, { mode: 0o700 })
  const records = new Map<string, NodeRecord>()
  const byPath = new Map<string, Set<string>>()
  const keep = (volumeId: string, record: NodeRecord | undefined): void => {
    for (const path of pathsOf(records.get(volumeId))) {
      byPath.get(path)?.delete(volumeId)
      if (byPath.get(path)?.size === 0) byPath.delete(path)
    }
    for (const path of pathsOf(record)) byPath.set(path, (byPath.get(path) ?? new Set()).add(volumeId))
    if (record) records.set(volumeId, record)
    else records.delete(volumeId)
  }
  for (const { name } of await files.list(directory)) {
    const path = join(directory, name)
    if (isTemporaryName(name)) {
      await files.removeFile(path)
      continue
    }
    const record = parseNodeRecord(path, await files.readFile(path))
    if (`${record.volumeId}.json` !== name)
      throw new Error(`${path} is the record of ${record.volumeId}: it may have been copied. Remove it`)
    keep(record.volumeId, record)
  }
  await files.sync(directory)

  const put = async (record: NodeRecord): Promise<void> => {
    const path = join(directory, `${record.volumeId}.json`)
    if (record.staged || Object.keys(record.published).length > 0) {
      await replaceFileDurably(files, path, formatRecord(record), { mode: 0o600, random })
      keep(record.volumeId, record)
    } else {
      await removeFileIfPresent(files, path)
      await files.sync(directory)
      keep(record.volumeId, undefined)
    }
  }

  const tails = new Map<string, Promise<void>>()
  const update = (volumeId: string, change: (record: NodeRecord) => NodeRecord): Promise<void> => {
    const apply = async (): Promise<void> => {
      const before = records.get(volumeId) ?? { volumeId, published: {} }
      const after = change(before)
      if (after !== before) await put(after)
    }
    const done = (tails.get(volumeId) ?? Promise.resolve()).then(apply)
    const tail = done.catch(() => {}).then(() => void (tails.get(volumeId) === tail && tails.delete(volumeId)))
    tails.set(volumeId, tail)
    return done
  }
  const at = (path: string): NodeRecord[] =>
    [...(byPath.get(path) ?? [])].flatMap((volumeId) => records.get(volumeId) ?? [])
  return { all: () => records.values(), find: (volumeId) => records.get(volumeId), at, update }
}

const pathsOf = (record: NodeRecord | undefined): string[] =>
  record ? [...(record.staged ? [record.staged.path] : []), ...Object.keys(record.published)] : []
