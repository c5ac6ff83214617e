import { DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import { codeOf, describeFailure, NOT_A_DATABASE } from './sqlite-failures.ts'

// 'HOLD': distinguishes our files from other SQLite databases.
const APPLICATION_ID = 0x484f4c44
/** Incremented when programs that only know the older format can no longer read or write the file. 2 added the tally and incremental vacuum. */
export const FORMAT = 2

export const TALLY_TABLE = 'CREATE TABLE tally (objects INTEGER NOT NULL, checksum INTEGER NOT NULL)'
export const TABLES = `
  CREATE TABLE objects (storage TEXT NOT NULL, key TEXT NOT NULL, revision INTEGER NOT NULL, crc INTEGER NOT NULL, json TEXT NOT NULL, PRIMARY KEY (storage, key)) WITHOUT ROWID;
  CREATE TABLE last_revisions (storage TEXT PRIMARY KEY, revision INTEGER NOT NULL) WITHOUT ROWID;
  ${TALLY_TABLE};
  INSERT INTO tally VALUES (0, 0);
  PRAGMA application_id = ${APPLICATION_ID};
  PRAGMA user_version = ${FORMAT};
`

export type Header = { readonly applicationId: number; readonly format: number; readonly tables: number }

export function readHeader(database: DatabaseSync): Header {
  const { n } = database.prepare('SELECT count(*) AS n FROM sqlite_schema').get() as { n: number }
  return {
    applicationId: readPragma(database, 'application_id'),
    format: readPragma(database, 'user_version'),
    tables: n,
  }
}

export const readPragma = (database: DatabaseSync, name: string): number =>
  Number(Object.values(database.prepare(`PRAGMA ${name}`).get() ?? {})[0] ?? 0)

export function refuseForeign(path: string, { applicationId, format, tables }: Header): void {
  if (applicationId !== APPLICATION_ID && (applicationId !== 0 || format !== 0 || tables > 0)) {
    throw new Error(`${path} is a database of another program: choose another data directory`)
  }
  if (format > FORMAT)
    throw new Error(`${path} was written in format ${format}, this version knows ${FORMAT}: use the newer version`)
}

/**
 * Opening a file normally may already change it, because the log of a crash is checkpointed. So it is inspected first, without its log, as if it were
 * immutable.
 */
export function refuseAtSight(path: string): void {
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
    // Another process may be writing, and there may be no file yet: opening it normally will show.
    if (codeOf(cause) === NOT_A_DATABASE) throw describeFailure(path, cause)
  }
  if (header) refuseForeign(path, header)
}
