import { DatabaseSync } from 'node:sqlite'
import type { LoadedState } from './backend.ts'
import { DamagedStateError, describeFailure } from './sqlite-failures.ts'
import { readHeader, refuseAtSight, refuseForeign } from './sqlite-format.ts'
import { readLastRevisions, readObjects, salvageRows, tallyOf } from './sqlite-rows.ts'
import type { Salvaged } from './sqlite-rows.ts'
import { sameTally } from './sqlite-tally.ts'
import type { ObjectRow, Tally } from './sqlite-tally.ts'

/** Reads the file with its log and changes neither: with a read-only connection, SQLite does not checkpoint the log. */
export function readSqliteState(path: string): LoadedState {
  refuseAtSight(path)
  try {
    return withReader(path, (database) => {
      const header = readHeader(database)
      refuseForeign(path, header)
      if (header.tables === 0) return { revision: 0, objects: [], lastRevisions: new Map() }
      refuseBrokenPages(path, database)
      const lastRevisions = readLastRevisions(database)
      const objects = Array.from(readObjects(path, database))
      if (header.format > 1) refuseOtherTally(path, database, objects, lastRevisions)
      return { revision: Math.max(0, ...lastRevisions.values()), objects, lastRevisions }
    })
  } catch (cause) {
    throw describeFailure(path, cause)
  }
}

/** Everything that can still be read; nothing if the file cannot be opened at all. */
export function salvageSqliteState(path: string): Salvaged {
  try {
    return withReader(path, salvageRows)
  } catch {
    return { objects: [], lastRevisions: new Map(), damaged: [] }
  }
}

function withReader<T>(path: string, read: (database: DatabaseSync) => T): T {
  const database = new DatabaseSync(path, { readOnly: true, timeout: 0 })
  try {
    database.exec('PRAGMA cell_size_check = ON')
    return read(database)
  } finally {
    database.close()
  }
}

// Free pages too: reading does not touch them, but a later write would put new rows on a page that is in use.
function refuseBrokenPages(path: string, database: DatabaseSync): void {
  const [problem] = Object.values(database.prepare('PRAGMA quick_check(1)').get() ?? {})
  if (problem !== 'ok') throw new DamagedStateError(`${path} is damaged: ${String(problem).replaceAll('\n', ' ')}`)
}

function refuseOtherTally(
  path: string,
  database: DatabaseSync,
  objects: readonly ObjectRow[],
  lastRevisions: ReadonlyMap<string, number>,
): void {
  const kept = database.prepare('SELECT objects, checksum FROM tally').get() as Tally | undefined
  const found = tallyOf(objects, lastRevisions)
  if (kept && sameTally(kept, found)) return
  const count =
    kept && kept.objects !== found.objects
      ? `it holds ${found.objects} objects instead of ${kept.objects}`
      : 'its objects are not the ones that were written last'
  throw new DamagedStateError(`${path} is damaged: ${count}`)
}
