import { parentPort, workerData } from 'node:worker_threads'
import { openAcknowledgedFile } from './acknowledged-file.ts'
import type { BackendChange } from './backend.ts'
import { openDiskReserve } from './disk-reserve.ts'
import { openSqliteDatabase } from './sqlite-database.ts'
import { codeOf, describeFailure, FULL } from './sqlite-failures.ts'

/** Messages from the main thread: a group of changes, a compaction step, a check of the disk, or the end. */
export type WorkerRequest =
  | { kind: 'commit'; changes: readonly BackendChange[] }
  | { kind: 'compact' }
  | { kind: 'check-room' }
  | { kind: 'close' }
/** One response for the opened file, then one for each request, in order. */
export type WorkerReply =
  | { kind: 'opened'; revision: number; isFull: boolean }
  /** `again`: compaction has more to do. `isFull`: changes that need more room are rejected now. */
  | { kind: 'done'; again: boolean; isFull: boolean }
  /** `needsRoom`: the failure is due to a lack of disk space. */
  | { kind: 'failed'; message: string; isFull: boolean; needsRoom: boolean }
export type WorkerOptions = {
  path: string
  acknowledgedPath: string
  reservePath: string
  /** Delay added to each commit, to measure the effect of a slower disk. */
  addedCommitMs: number
  /** Maximum number of pages of the file, for tests of a full disk; 0 for no limit. */
  mostPages: number
}

const { path, acknowledgedPath, reservePath, addedCommitMs, mostPages } = workerData as WorkerOptions
const port = parentPort
if (!port) throw new Error('this file runs as a worker thread')

const reply = (message: WorkerReply): void => port.postMessage(message)
const database = openSqliteDatabase(path, { mostPages })
const acknowledged = openAcknowledgedFile(acknowledgedPath, database.revision())
const reserve = openDiskReserve(reservePath)
const waitCell = new Int32Array(new SharedArrayBuffer(4))
let isFull = !reserve.restore()
reply({ kind: 'opened', revision: database.revision(), isFull })

function commit(changes: readonly BackendChange[]): void {
  commitWithReserve(changes)
  // After the sync and before the response: it never claims more than the disk has, and never less than was acknowledged.
  acknowledged.record(database.revision())
  if (addedCommitMs > 0) Atomics.wait(waitCell, 0, 0, addedCommitMs)
}

function commitWithReserve(changes: readonly BackendChange[]): void {
  for (;;) {
    try {
      return database.commit(changes)
    } catch (error) {
      if (codeOf(error) !== FULL) throw describeFailure(path, error)
      isFull = true
      if (changes.some(({ grows }) => grows) || !reserve.release()) throw error
    }
  }
}

function checkRoom(): void {
  try {
    // Every page freed by deletions counts now.
    database.compact({ fewestUnused: 1 })
  } catch {
    // There is not even room for that.
  }
  isFull = !reserve.restore()
}

function close(): void {
  database.close()
  acknowledged.close()
  reserve.close()
}

function handle(request: WorkerRequest): boolean {
  if (request.kind === 'compact') return !isFull && database.compact()
  if (request.kind === 'commit') commit(request.changes)
  else if (request.kind === 'check-room') checkRoom()
  else close()
  return false
}

port.on('message', (request: WorkerRequest) => {
  try {
    reply({ kind: 'done', again: handle(request), isFull })
  } catch (error) {
    reply({
      kind: 'failed',
      message: error instanceof Error ? error.message : String(error),
      isFull,
      needsRoom: codeOf(error) === FULL,
    })
  }
  if (request.kind === 'close') port.close()
})
