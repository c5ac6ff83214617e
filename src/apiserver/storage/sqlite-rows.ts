import type { DatabaseSync } from 'node:sqlite'
import { DamagedStateError, describeFailure } from './sqlite-failures.ts'
import { checksumOf, EMPTY_TALLY, withLastRevision, withObject } from './sqlite-tally.ts'
import type { ObjectRow, Tally } from './sqlite-tally.ts'

/** The last revision that changed anything of a storage. */
export function readLastRevisions(database: DatabaseSync): Map<string, number> {
  const rows = database.prepare('SELECT storage, revision FROM last_revisions').all() as {
    storage: string
    revision: number
  }[]
  return new Map(rows.map(({ storage, revision }) => [storage, revision]))
}

/** Every object, after comparing its checksum. */
export function* readObjects(path: string, database: DatabaseSync): Generator<ObjectRow, void> {
  try {
    for (const found of database.prepare(ALL_OBJECTS).iterate()) {
      const row = found as StoredRow
      if (row.crc !== checksumOf(row))
        throw new DamagedStateError(`${path}: the object ${row.key} of ${row.storage} is damaged`)
      yield row
    }
  } catch (cause) {
    throw describeFailure(path, cause)
  }
}

type StoredRow = ObjectRow & { readonly crc: number }

const ALL_OBJECTS = 'SELECT storage, key, revision, crc, json FROM objects ORDER BY storage, key'

export function tallyOf(objects: Iterable<ObjectRow>, lastRevisions: ReadonlyMap<string, number>): Tally {
  let tally = EMPTY_TALLY
  for (const object of objects) tally = withObject(tally, checksumOf(object))
  for (const [storage, revision] of lastRevisions) tally = withLastRevision(tally, storage, 0, revision)
  return tally
}

/** What can still be read of a damaged file, and the known names of objects that cannot. */
export type Salvaged = {
  readonly objects: readonly ObjectRow[]
  readonly lastRevisions: ReadonlyMap<string, number>
  readonly damaged: readonly string[]
}

/** From both ends: a damaged page stops the iteration, and rows behind it are reached from the other side. */
export function salvageRows(database: DatabaseSync): Salvaged {
  const objects = new Map<string, ObjectRow>()
  const damaged = new Set<string>()
  for (const order of ['', 'DESC']) {
    untilFailure(() => {
      for (const found of database
        .prepare(`SELECT storage, key, revision, crc, json FROM objects ORDER BY storage ${order}, key ${order}`)
        .iterate()) {
        const { crc, ...row } = found as StoredRow
        if (isObjectRow(row) && crc === checksumOf(row)) objects.set(`${row.storage} ${row.key}`, row)
        else damaged.add(`${String(row.storage)} ${String(row.key)}`)
      }
    })
  }
  let lastRevisions = new Map<string, number>()
  untilFailure(() => void (lastRevisions = readLastRevisions(database)))
  return { objects: [...objects.values()], lastRevisions, damaged: [...damaged] }
}

// Damage can change the type of a value.
const isObjectRow = ({ storage, key, revision, json }: Record<keyof ObjectRow, unknown>): boolean =>
  typeof storage === 'string' && typeof key === 'string' && Number.isSafeInteger(revision) && typeof json === 'string'

function untilFailure(walk: () => void): void {
  try {
    walk()
  } catch {
    // Rows read before the damage are kept.
  }
}
