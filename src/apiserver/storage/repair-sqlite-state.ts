import { dirname, join } from 'node:path'
import { makeDirectories, removeFileIfPresent } from '../../base/host/durable-files.ts'
import type { HostFiles } from '../../base/host/host.ts'
import type { Logger } from '../../base/logger.ts'
import { ACKNOWLEDGED_FILE } from './acknowledged-file.ts'
import { ALL_STORAGES } from './backend.ts'
import { salvageSqliteState } from './read-sqlite-state.ts'
import { openSqliteDatabase } from './sqlite-database.ts'

export type RepairParts = { readonly path: string; readonly files: HostFiles; readonly log: Logger }

const LARGEST_LISTED = 20

/**
 * Replaces the database with what can still be read, after copying the damaged files. Revisions continue above the highest acknowledged one, and no
 * earlier watch can be resumed: a client that has seen lost objects lists again.
 */
export async function repairState(
  { path, files, log }: RepairParts,
  acknowledged: number,
  cause: Error,
): Promise<void> {
  const copy = await keepCopy(path, files)
  const { objects, lastRevisions, damaged } = salvageSqliteState(path)
  const found = Math.max(0, ...lastRevisions.values())
  const revision = Math.max(acknowledged, found, ...lastRevisions.values()) + 1
  await removeFileIfPresent(files, `${path}-shm`)
  await removeDatabase(files, unfinished(path))
  await files.writeFile(unfinished(path), new Uint8Array(), { mode: 0o600, exclusive: true })
  const database = openSqliteDatabase(unfinished(path))
  try {
    for (let first = 0; first < objects.length; first += GROUP) database.commit(objects.slice(first, first + GROUP))
    database.touch([ALL_STORAGES, ...new Set(objects.map(({ storage }) => storage)), ...lastRevisions.keys()], revision)
  } finally {
    database.close()
  }
  await files.rename(unfinished(path), finished(path))
  await files.sync(dirname(path))
  await finishRepair(files, path)
  log.warn('data loss was accepted: the server continues with what could be read', {
    problem: cause.message,
    acknowledgedRevision: acknowledged,
    foundRevision: found,
    lostRevisions: acknowledged > found ? `${found + 1}-${acknowledged}` : 'none are known',
    objects: objects.length,
    damagedObjects: damaged.slice(0, LARGEST_LISTED),
    copy,
  })
}

const GROUP = 1000
const unfinished = (path: string): string => `${path}-repairing`
const finished = (path: string): string => `${path}-repaired`

/** The second half of a repair, also after a crash in between: once the repaired file has its name, it is the valid one. */
export async function finishRepair(files: HostFiles, path: string): Promise<void> {
  if (!(await files.findStat(finished(path)))) return
  // The log of the damaged file must never be applied to the repaired one.
  for (const suffix of ['-wal', '-shm', '-journal']) await removeFileIfPresent(files, `${path}${suffix}`)
  await files.sync(dirname(path))
  await files.rename(finished(path), path)
  await files.sync(dirname(path))
}

async function removeDatabase(files: HostFiles, path: string): Promise<void> {
  for (const suffix of ['', '-wal', '-journal']) await removeFileIfPresent(files, `${path}${suffix}`)
}

/** Copies into the first directory `damaged-N` that does not exist yet. */
async function keepCopy(path: string, files: HostFiles): Promise<string> {
  let number = 1
  while (await files.findStat(join(dirname(path), `damaged-${number}`))) number++
  const copy = join(dirname(path), `damaged-${number}`)
  await makeDirectories(files, copy, { mode: 0o700 })
  for (const from of [path, `${path}-wal`, `${path}-journal`, join(dirname(path), ACKNOWLEDGED_FILE)]) {
    if (!(await files.findStat(from))) continue
    const to = join(copy, from.slice(dirname(path).length + 1))
    await files.copyFile(from, to)
    await files.sync(to)
  }
  await files.sync(copy)
  return copy
}
