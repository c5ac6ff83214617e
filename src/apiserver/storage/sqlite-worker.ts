import { parentPort, workerData } from 'node:worker_threads'
import { openAcknowledgedFile } from './acknowledged-file.ts'
import type { BackendChange } from './backend.ts'
import { openSqliteDatabase } from './sqlite-database.ts'

/** What the main thread sends: a group of changes, a step of compaction, or the end. */
export type WorkerRequest = { kind: 'commit'; changes: readonly BackendChange[] } | { kind: 'compact' } | { kind: 'close' }
/** One for the opened file, then one for each request, in order. */
export type WorkerReply = { kind: 'opened'; revision: number } | { kind: 'done'; again?: boolean } | { kind: 'failed'; message: string }
export type WorkerOptions = {
  path: string
  acknowledgedPath: string
  /** Added to each commit, to measure what a slower disk would do. */
  addedCommitMs: number
  /** Pages that the file may have, for tests of a full disk; 0 for no limit. */
  mostPages: number
}

const { path, acknowledgedPath, addedCommitMs, mostPages } = workerData as WorkerOptions
const port = parentPort
if (!port) throw new Error('this file runs as a worker thread')

const reply = (message: WorkerReply): void => port.postMessage(message)
const database = openSqliteDatabase(path, { mostPages })
const acknowledged = openAcknowledgedFile(acknowledgedPath, database.revision())
const waitCell = new Int32Array(new SharedArrayBuffer(4))
reply({ kind: 'opened', revision: database.revision() })

function commit(changes: readonly BackendChange[]): void {
  database.commit(changes)
  // After the sync and before the answer: it never claims more than the disk has, and never less than anybody was told.
  acknowledged.record(database.revision())
  if (addedCommitMs > 0) Atomics.wait(waitCell, 0, 0, addedCommitMs)
}

function close(): void {
  database.close()
  acknowledged.close()
}

function handle(request: WorkerRequest): boolean {
  if (request.kind === 'compact') return database.compact()
  if (request.kind === 'commit') commit(request.changes)
  else close()
  return false
}

port.on('message', (request: WorkerRequest) => {
  try {
    reply({ kind: 'done', again: handle(request) })
  } catch (error) {
    reply({ kind: 'failed', message: error instanceof Error ? error.message : String(error) })
  }
  if (request.kind === 'close') port.close()
})
