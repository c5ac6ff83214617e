import { DatabaseSync } from 'node:sqlite'
import type { StatementSync } from 'node:sqlite'
import type { BackendChange } from './backend.ts'
import { describeFailure } from './sqlite-failures.ts'
import { FORMAT, readHeader, readPragma, refuseAtSight, refuseForeign, TABLES, TALLY_TABLE } from './sqlite-format.ts'
import type { Header } from './sqlite-format.ts'
import { readLastRevisions, readObjects, tallyOf } from './sqlite-rows.ts'
import { checksumOf, withLastRevision, withObject, withoutObject } from './sqlite-tally.ts'
import type { Tally } from './sqlite-tally.ts'

/** The state file, open for writing, in a separate thread: everything here is synchronous. */
export interface SqliteDatabase {
  /** The highest revision ever committed. */
  revision(): number
  /** All changes or none, durable on return. */
  commit(changes: readonly BackendChange[]): void
  /** Records that these storages have changed at this revision. */
  touch(storages: readonly string[], revision: number): void
  /**
   * Returns a bounded part of the unused pages to the file system. False if there are too few of them to be worth it: fewer than `fewestUnused` or,
   * by default, than a megabyte or a quarter of the file.
   */
  compact(options?: { fewestUnused?: number }): boolean
  close(): void
}

/** Opens or creates the file. A file that is not ours, newer, or damaged is rejected and not changed. `mostPages`: 0 for no limit. */
export function openSqliteDatabase(path: string, { mostPages = 0 }: { mostPages?: number } = {}): SqliteDatabase {
  refuseAtSight(path)
  let database: DatabaseSync | undefined
  try {
    database = new DatabaseSync(path, { timeout: 0 })
    // Exclusive before anything touches the file. Incremental vacuum can only be enabled while the file is empty, and has no effect otherwise.
    database.exec(`PRAGMA locking_mode = EXCLUSIVE; PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = WAL;
      PRAGMA synchronous = FULL; PRAGMA journal_size_limit = ${LOG_LIMIT_BYTES}; BEGIN IMMEDIATE`)
    const header = readHeader(database)
    refuseForeign(path, header)
    if (header.tables === 0) database.exec(TABLES)
    else if (header.format < FORMAT) addTally(path, database)
    database.exec('COMMIT')
    if (isOlder(header)) database.exec('PRAGMA auto_vacuum = INCREMENTAL; VACUUM')
    if (mostPages > 0) database.exec(`PRAGMA max_page_count = ${mostPages}`)
    return createOperations(database)
  } catch (cause) {
    database?.close()
    throw describeFailure(path, cause)
  }
}

// A large group makes the log large; it is truncated to this size when it is restarted.
const LOG_LIMIT_BYTES = 8 * 1024 * 1024

const isOlder = ({ format, tables }: Header): boolean => tables > 0 && format < FORMAT

function addTally(path: string, database: DatabaseSync): void {
  const { objects, checksum } = tallyOf(readObjects(path, database), readLastRevisions(database))
  database.exec(`${TALLY_TABLE}; INSERT INTO tally VALUES (${objects}, ${checksum}); PRAGMA user_version = ${FORMAT}`)
}

function createOperations(database: DatabaseSync): SqliteDatabase {
  const statements = prepareStatements(database)
  let tally = statements.readTally.get() as Tally
  const lastRevisions = readLastRevisions(database)
  let revision = Math.max(0, ...lastRevisions.values())

  const commit = (changes: readonly BackendChange[]): void => write(changes, newerOf(changes, lastRevisions))
  const write = (changes: readonly BackendChange[], touched: ReadonlyMap<string, number>): void => {
    database.exec('BEGIN IMMEDIATE')
    try {
      const after = touchAll(statements, applyChanges(statements, changes, tally), lastRevisions, touched)
      statements.writeTally.run(after.objects, after.checksum)
      database.exec('COMMIT')
      tally = after
      for (const [storage, at] of touched) {
        lastRevisions.set(storage, at)
        revision = Math.max(revision, at)
      }
    } catch (error) {
      // On a full disk, a failed COMMIT has already rolled back.
      if (database.isTransaction) database.exec('ROLLBACK')
      throw error
    }
  }
  const compact: SqliteDatabase['compact'] = ({
    fewestUnused = Math.max(FEWEST_UNUSED_PAGES, readPragma(database, 'page_count') / 4),
  } = {}) => {
    if (readPragma(database, 'freelist_count') < fewestUnused) return false
    database.exec(`PRAGMA incremental_vacuum(${COMPACTED_PAGES})`)
    // The file itself shrinks when the log is checkpointed.
    database.exec('PRAGMA wal_checkpoint(PASSIVE)')
    return true
  }
  const touch: SqliteDatabase['touch'] = (storages, at) => write([], new Map(storages.map((storage) => [storage, at])))
  return { revision: () => revision, commit, touch, compact, close: () => database.close() }
}

// Each page has 4 KiB. Free pages are soon used again, so a few of them are kept.
const FEWEST_UNUSED_PAGES = 256
// A commit that arrives meanwhile waits no longer than this.
const COMPACTED_PAGES = 128

type Statements = Record<'find' | 'put' | 'remove' | 'touch' | 'readTally' | 'writeTally', StatementSync>

const prepareStatements = (database: DatabaseSync): Statements => ({
  find: database.prepare('SELECT crc FROM objects WHERE storage = ? AND key = ?'),
  put: database.prepare(
    'INSERT INTO objects (storage, key, revision, crc, json) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET revision = excluded.revision, crc = excluded.crc, json = excluded.json',
  ),
  remove: database.prepare('DELETE FROM objects WHERE storage = ? AND key = ?'),
  touch: database.prepare(
    'INSERT INTO last_revisions (storage, revision) VALUES (?, ?) ON CONFLICT DO UPDATE SET revision = excluded.revision',
  ),
  readTally: database.prepare('SELECT objects, checksum FROM tally'),
  writeTally: database.prepare('UPDATE tally SET objects = ?, checksum = ?'),
})

function applyChanges({ find, put, remove }: Statements, changes: readonly BackendChange[], before: Tally): Tally {
  let tally = before
  for (const { storage, key, revision, json } of changes) {
    const found = find.get(storage, key) as { crc: number } | undefined
    if (found) tally = withoutObject(tally, found.crc)
    if (json === undefined) {
      if (found) remove.run(storage, key)
      continue
    }
    const crc = checksumOf({ storage, key, revision, json })
    put.run(storage, key, revision, crc, json)
    tally = withObject(tally, crc)
  }
  return tally
}

// An object that is only encrypted again keeps its revision: its storage has seen that one, or a later one.
const newerOf = (
  changes: readonly BackendChange[],
  lastRevisions: ReadonlyMap<string, number>,
): ReadonlyMap<string, number> =>
  new Map(
    changes
      .filter(({ storage, revision }) => revision > (lastRevisions.get(storage) ?? 0))
      .map(({ storage, revision }) => [storage, revision]),
  )

function touchAll(
  { touch }: Statements,
  before: Tally,
  lastRevisions: ReadonlyMap<string, number>,
  touched: ReadonlyMap<string, number>,
): Tally {
  let tally = before
  for (const [storage, revision] of touched) {
    touch.run(storage, revision)
    tally = withLastRevision(tally, storage, lastRevisions.get(storage) ?? 0, revision)
  }
  return tally
}
