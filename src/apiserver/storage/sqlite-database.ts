import { DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import { crc32 } from 'node:zlib'
import type { StatementSync } from 'node:sqlite'
import type { BackendChange, LoadedState } from './backend.ts'

// 'HOLD': tells our files from other SQLite databases.
const APPLICATION_ID = 0x484f4c44
/** Grows when a program that knows only the older form could no longer read the file. */
const FORMAT = 1

const TABLES = `
  CREATE TABLE objects (storage TEXT NOT NULL, key TEXT NOT NULL, revision INTEGER NOT NULL, crc INTEGER NOT NULL, json TEXT NOT NULL, PRIMARY KEY (storage, key)) WITHOUT ROWID;
  CREATE TABLE last_revisions (storage TEXT PRIMARY KEY, revision INTEGER NOT NULL) WITHOUT ROWID;
  PRAGMA application_id = ${APPLICATION_ID};
  PRAGMA user_version = ${FORMAT};
`

/** The file behind the server's state. Everything here is synchronous: reading at start, writing in a thread of its own. */
export interface SqliteDatabase {
  load(): LoadedState
  /** The highest one that was ever committed. */
  revision(): number
  /** All or none, durable on return. */
  commit(changes: readonly BackendChange[]): void
  close(): void
}

/** Opens or makes the file. What is not ours, newer, or damaged is refused and left as it is. `mostPages`: 0 for any number. */
export function openSqliteDatabase(path: string, { mostPages = 0 }: { mostPages?: number } = {}): SqliteDatabase {
  refuseAtSight(path)
  let database: DatabaseSync | undefined
  try {
    database = new DatabaseSync(path, { timeout: 0 })
    database.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; BEGIN IMMEDIATE')
    const header = readHeader(database)
    refuseForeign(path, header)
    if (header.tables === 0) database.exec(TABLES)
    database.exec('COMMIT')
    if (mostPages > 0) database.exec(`PRAGMA max_page_count = ${mostPages}`)
    return createOperations(path, database)
  } catch (cause) {
    database?.close()
    throw describeFailure(path, cause)
  }
}

type Header = { applicationId: number; format: number; tables: number }

function readHeader(database: DatabaseSync): Header {
  const { n } = database.prepare('SELECT count(*) AS n FROM sqlite_schema').get() as { n: number }
  return { applicationId: pragma(database, 'application_id'), format: pragma(database, 'user_version'), tables: n }
}

const pragma = (database: DatabaseSync, name: string): number => Number(Object.values(database.prepare(`PRAGMA ${name}`).get() ?? {})[0] ?? 0)

function refuseForeign(path: string, { applicationId, format, tables }: Header): void {
  if (applicationId !== APPLICATION_ID && (applicationId !== 0 || format !== 0 || tables > 0)) {
    throw new Error(`${path} is a database of another program: choose another data directory`)
  }
  if (format > FORMAT) throw new Error(`${path} was written in format ${format}, this version knows ${FORMAT}: use the newer version`)
}

/**
 * Opening a file in earnest may already change it: what a crash has left in its log is moved over. So it is looked at first,
 * without its log, and as if nobody could change it.
 */
function refuseAtSight(path: string): void {
  const url = pathToFileURL(path)
  url.searchParams.set('immutable', '1')
  let header: Header | undefined
  try {
    const database = new DatabaseSync(url, { readOnly: true })
    try {
      header = readHeader(database)
    } finally {
      database.close()
    }
  } catch (cause) {
    // Another process may be writing just now, and there may be no file yet: the real opening will tell.
    if (codeOf(cause) === NOT_A_DATABASE) throw describeFailure(path, cause)
  }
  if (header) refuseForeign(path, header)
}

// Of the codes of SQLite, those that a person can do something about.
const BUSY = 5
const CORRUPT = 11
const CANTOPEN = 14
const NOT_A_DATABASE = 26

// Extended codes have the plain one in their lowest byte.
function codeOf(cause: unknown): number | undefined {
  const code = (cause as { errcode?: number }).errcode
  return code === undefined ? undefined : code & 0xff
}

function describeFailure(path: string, cause: unknown): Error {
  const code = codeOf(cause)
  const why: Record<number, string> = {
    [BUSY]: 'is in use by another process: stop it, or choose another data directory',
    [CORRUPT]: 'is damaged: restore it from a backup',
    [CANTOPEN]: "can't be opened: is the directory there, and may this user write it?",
    [NOT_A_DATABASE]: 'is not a database: choose another data directory, or restore it from a backup',
  }
  const known = code === undefined ? undefined : why[code]
  if (known) return new Error(`${path} ${known}`, { cause })
  return cause instanceof Error ? cause : new Error(String(cause))
}

function createOperations(path: string, database: DatabaseSync): SqliteDatabase {
  const put = database.prepare(
    'INSERT INTO objects (storage, key, revision, crc, json) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET revision = excluded.revision, crc = excluded.crc, json = excluded.json',
  )
  const remove = database.prepare('DELETE FROM objects WHERE storage = ? AND key = ?')
  const touch = database.prepare('INSERT INTO last_revisions (storage, revision) VALUES (?, ?) ON CONFLICT DO UPDATE SET revision = excluded.revision')

  const load = (): LoadedState => {
    try {
      const rows = database.prepare('SELECT storage, revision FROM last_revisions').all() as { storage: string; revision: number }[]
      const lastRevisions = new Map(rows.map(({ storage, revision }) => [storage, revision]))
      return { revision: revision(), lastRevisions, objects: readObjects(path, database) }
    } catch (cause) {
      throw describeFailure(path, cause)
    }
  }
  const revision = (): number => (database.prepare('SELECT coalesce(max(revision), 0) AS revision FROM last_revisions').get() as { revision: number }).revision
  const commit = (changes: readonly BackendChange[]): void => {
    database.exec('BEGIN IMMEDIATE')
    try {
      applyChanges({ put, remove, touch }, changes)
      database.exec('COMMIT')
    } catch (error) {
      // A failed COMMIT of a full disk has rolled back already.
      if (database.isTransaction) database.exec('ROLLBACK')
      throw error
    }
  }
  return { load, revision, commit, close: () => database.close() }
}

type Row = { storage: string; key: string; revision: number; json: string }

function* readObjects(path: string, database: DatabaseSync): Generator<Row, void> {
  try {
    for (const found of database.prepare('SELECT storage, key, revision, crc, json FROM objects').iterate()) {
      const row = found as Row & { crc: number }
      if (row.crc !== checksumOf(row)) throw new Error(`${path}: the object ${row.key} of ${row.storage} is damaged: restore the file from a backup`)
      yield row
    }
  } catch (cause) {
    throw describeFailure(path, cause)
  }
}

// SQLite notices when its pages no longer hang together, but not when the text in them has changed.
const checksumOf = ({ storage, key, revision, json }: Row): number => crc32(json, crc32(`${storage} ${key} ${revision} `))

function applyChanges({ put, remove, touch }: Record<'put' | 'remove' | 'touch', StatementSync>, changes: readonly BackendChange[]): void {
  const newest = new Map<string, number>()
  for (const { storage, key, revision, json } of changes) {
    if (json === undefined) remove.run(storage, key)
    else put.run(storage, key, revision, checksumOf({ storage, key, revision, json }), json)
    newest.set(storage, revision)
  }
  for (const [storage, revision] of newest) touch.run(storage, revision)
}
