import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { isHostError } from '../../base/host/host.ts'
import type { HostFiles } from '../../base/host/host.ts'
import { makeDirectories } from '../../base/host/durable-files.ts'
import { nextTurn } from '../../base/next-turn.ts'
import type { Backend, LoadedState } from './backend.ts'
import { openSqliteDatabase } from './sqlite-database.ts'
import type { WorkerOptions, WorkerReply, WorkerRequest } from './sqlite-worker.ts'

/** The name of the file within the data directory. */
export const STATE_FILE = 'state.db'
// The worker runs from source in a checkout and from the build when installed.
const WORKER = new URL(import.meta.url.endsWith('.ts') ? './sqlite-worker.ts' : './sqlite-worker.js', import.meta.url)

export type SqliteBackendOptions = {
  directory: string
  files: HostFiles
  /** Added to each commit, to measure what a slower disk would do. */
  addedCommitMs?: number
  /** Pages that the file may have, for tests of a full disk. */
  mostPages?: number
  /** Starts the thread that commits. Tests keep a hold on it. */
  startThread?: (options: WorkerOptions) => Worker
}

/** The thread that commits, with the real file. */
export const startSqliteThread = (workerData: WorkerOptions): Worker => new Worker(WORKER, { workerData })

/**
 * State in one SQLite file. It is read here once, at start; commits happen in a worker thread, so that a slow disk never
 * holds up the event loop. When that thread dies, commits fail from then on: nobody knows how far the last one came.
 */
export function createSqliteBackend(options: SqliteBackendOptions): Backend {
  const { directory, files, addedCommitMs = 0, mostPages = 0, startThread = startSqliteThread } = options
  const path = join(directory, STATE_FILE)
  let worker: Worker | undefined
  let answered: ((reply: WorkerReply) => void) | undefined

  const load = async (): Promise<LoadedState> => {
    await makeDirectories(files, directory, { mode: 0o700 })
    await reserveFile(files, path)
    const database = openSqliteDatabase(path)
    let state: LoadedState
    try {
      const loaded = database.load()
      state = { ...loaded, objects: Array.from(loaded.objects) }
    } finally {
      database.close()
    }
    await files.setMode(path, 0o600)
    const opened = await openThread()
    // The lock on the file changed hands in between, and somebody else was quicker.
    if (opened.kind !== 'opened' || opened.revision !== state.revision) {
      await close()
      throw new Error(`${path} was changed by another process: stop it, or choose another data directory`)
    }
    return state
  }

  const openThread = (): Promise<WorkerReply> => {
    const answer = nextReply()
    const started = startThread({ path, addedCommitMs, mostPages })
    worker = started
    started.on('message', (reply: WorkerReply) => answered?.(reply))
    const onDeath = (cause: string): void => {
      worker = undefined
      answered?.({ kind: 'failed', message: `the storage thread has ended: ${cause}` })
    }
    started.on('error', (error: Error) => onDeath(error.message))
    started.on('exit', (code) => onDeath(`exit code ${code}`))
    return answer
  }
  const nextReply = (): Promise<WorkerReply> =>
    new Promise((resolve, reject) => {
      answered = (reply) => {
        answered = undefined
        if (reply.kind === 'failed') reject(new Error(reply.message))
        else resolve(reply)
      }
    })
  const request = async (message: WorkerRequest): Promise<void> => {
    if (!worker) throw new Error('the storage thread has ended')
    const answer = nextReply()
    worker.postMessage(message)
    await answer
  }

  const close = async (): Promise<void> => {
    const closing = worker
    if (!closing) return
    const ended = new Promise<void>((resolve) => closing.once('exit', () => resolve()))
    await request({ kind: 'close' })
    await ended
  }
  return { load, commit: (changes) => request({ kind: 'commit', changes }), gather: nextTurn, close }
}

// SQLite would make it readable by all: made before, it is its owner's alone from the first byte.
async function reserveFile(files: HostFiles, path: string): Promise<void> {
  try {
    await files.writeFile(path, new Uint8Array(), { mode: 0o600, exclusive: true })
  } catch (error) {
    if (!isHostError(error, 'EEXIST')) throw error
  }
}
