import { parentPort, workerData } from 'node:worker_threads'
import type { BackendChange } from './backend.ts'
import { openSqliteDatabase } from './sqlite-database.ts'

/** What the main thread sends: a group of changes, or the end. */
export type WorkerRequest = { kind: 'commit'; changes: readonly BackendChange[] } | { kind: 'close' }
/** One for the opened file, then one for each request, in order. */
export type WorkerReply = { kind: 'opened'; revision: number } | { kind: 'done' } | { kind: 'failed'; message: string }
export type WorkerOptions = {
  path: string
  /** Added to each commit, to measure what a slower disk would do. */
  addedCommitMs: number
  /** Pages that the file may have, for tests of a full disk; 0 for no limit. */
  mostPages: number
}

const { path, addedCommitMs, mostPages } = workerData as WorkerOptions
const port = parentPort
if (!port) throw new Error('this file runs as a worker thread')

const reply = (message: WorkerReply): void => port.postMessage(message)
const attempt = (work: () => void): void => {
  try {
    work()
    reply({ kind: 'done' })
  } catch (error) {
    reply({ kind: 'failed', message: error instanceof Error ? error.message : String(error) })
  }
}

const database = openSqliteDatabase(path, { mostPages })
const waitCell = new Int32Array(new SharedArrayBuffer(4))
reply({ kind: 'opened', revision: database.revision() })

port.on('message', (request: WorkerRequest) => {
  if (request.kind === 'commit') {
    attempt(() => {
      database.commit(request.changes)
      if (addedCommitMs > 0) Atomics.wait(waitCell, 0, 0, addedCommitMs)
    })
    return
  }
  attempt(() => database.close())
  port.close()
})
