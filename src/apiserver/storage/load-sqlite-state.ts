import { basename, join } from 'node:path'
import { readFileIfPresent, removeFileIfPresent } from '../../base/host/durable-files.ts'
import { isHostError } from '../../base/host/host.ts'
import type { HostFiles } from '../../base/host/host.ts'
import type { Logger } from '../../base/logger.ts'
import { ACKNOWLEDGED_FILE, parseAcknowledged } from './acknowledged-file.ts'
import type { LoadedState } from './backend.ts'
import { readSqliteState } from './read-sqlite-state.ts'
import { finishRepair, repairState } from './repair-sqlite-state.ts'
import { openSqliteDatabase } from './sqlite-database.ts'
import { codeOf, DamagedStateError, NOT_A_DATABASE } from './sqlite-failures.ts'

/** The name of the file within the data directory. */
export const STATE_FILE = 'state.db'

export type LoadParts = {
  readonly directory: string
  readonly files: HostFiles
  readonly log: Logger
  /** Continue with the readable part, instead of rejecting damaged files. */
  readonly acceptDataLoss: boolean
}

/** Loads everything that was acknowledged, or fails without having changed anything. */
export async function loadSqliteState(parts: LoadParts): Promise<LoadedState> {
  const { directory, files, log, acceptDataLoss } = parts
  const path = join(directory, STATE_FILE)
  await finishRepair(files, path)
  const record = await readFileIfPresent(files, join(directory, ACKNOWLEDGED_FILE))
  const acknowledged = record && parseAcknowledged(record)
  try {
    return await readComplete(path, files, acknowledged, log)
  } catch (error) {
    if (!(error instanceof DamagedStateError) || !acceptDataLoss) throw error
    await repairState({ path, files, log }, acknowledged ?? 0, error)
    return await readComplete(path, files, acknowledged, log)
  }
}

async function readComplete(
  path: string,
  files: HostFiles,
  acknowledged: number | undefined,
  log: Logger,
): Promise<LoadedState> {
  // There is nothing to lose yet: this creates the file, completes a creation that a crash interrupted, and upgrades an older format.
  if (!acknowledged) {
    await reserveFile(files, path)
    openSqliteDatabase(path).close()
  } else await refuseMissing(path, files, acknowledged)
  const state = await withoutTraces(path, files, () => read(path, acknowledged))
  if (acknowledged === undefined && state.revision > 0) {
    log.warn(
      'no record of acknowledged writes was found: writes that are missing from the state cannot be detected at this start',
      { path, revision: state.revision },
    )
  }
  if (state.revision < (acknowledged ?? 0)) throw missingRevisions(path, state.revision, acknowledged ?? 0)
  return state
}

// Before SQLite opens it: it would remove the log of an empty database.
async function refuseMissing(path: string, files: HostFiles, acknowledged: number): Promise<void> {
  const stat = await files.findStat(path)
  if (stat && stat.sizeBytes > 0n) return
  throw new DamagedStateError(
    `${path} is ${stat ? 'empty' : 'missing'}, but writes up to revision ${acknowledged} were acknowledged`,
  )
}

function read(path: string, acknowledged: number | undefined): LoadedState {
  try {
    return readSqliteState(path)
  } catch (error) {
    // The directory was ours, so no other directory is needed.
    if (acknowledged !== undefined && codeOf((error as Error).cause) === NOT_A_DATABASE)
      throw new DamagedStateError(`${path} is damaged: its header cannot be read`, { cause: error })
    throw error
  }
}

function missingRevisions(path: string, found: number, acknowledged: number): DamagedStateError {
  const range =
    acknowledged === found + 1 ? `revision ${acknowledged} is` : `revisions ${found + 1} to ${acknowledged} are`
  return new DamagedStateError(
    `${path} does not hold every acknowledged write: ${range} missing. The file is older than expected, or ${basename(path)}-wal was damaged or removed`,
  )
}

/** A reader creates an index of the log, and an empty log if there is none. */
async function withoutTraces<T>(path: string, files: HostFiles, read: () => T): Promise<T> {
  const [hadIndex, hadLog] = await Promise.all([files.findStat(`${path}-shm`), files.findStat(`${path}-wal`)])
  try {
    return read()
  } finally {
    if (!hadIndex) await removeFileIfPresent(files, `${path}-shm`)
    // Only an empty log: another process may have started to write meanwhile.
    if (!hadLog && (await files.findStat(`${path}-wal`))?.sizeBytes === 0n)
      await removeFileIfPresent(files, `${path}-wal`)
  }
}

// SQLite would make it readable by all. Created in advance, only its owner can ever read it.
async function reserveFile(files: HostFiles, path: string): Promise<void> {
  try {
    await files.writeFile(path, new Uint8Array(), { mode: 0o600, exclusive: true })
  } catch (error) {
    if (!isHostError(error, 'EEXIST')) throw error
  }
}
