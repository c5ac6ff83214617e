import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import type { HostFiles } from '../../base/host/host.ts'
import { makeDirectories } from '../../base/host/durable-files.ts'
import type { Backend, LoadedState } from './backend.ts'
import { openSqliteDatabase } from './sqlite-database.ts'
import type { WorkerOptions, WorkerReply, WorkerRequest } from './sqlite-worker.ts'

const FILE = 'state.db'
// The worker runs from source in a checkout and from the build when installed.
const WORKER = new URL(import.meta.url.endsWith('.ts') ? './sqlite-worker.ts' : './sqlite-worker.js', import.meta.url)

/**
 * State in one SQLite file. It is read here once, at start; commits happen in a worker thread, so that a slow disk never
 * holds up the event loop.
 */
export function createSqliteBackend(options: { directory: string; files: HostFiles; addedCommitMs?: number }): Backend {
  const path = join(options.directory, FILE)
  let worker: Worker | undefined
  let answered: ((reply: WorkerReply) => void) | undefined

  const load = async (): Promise<LoadedState> => {
    await makeDirectories(options.files, options.directory, { mode: 0o700 })
    const database = openSqliteDatabase(path)
    let state: LoadedState
    try {
      const loaded = database.load()
      state = { ...loaded, objects: Array.from(loaded.objects) }
    } finally {
      database.close()
    }
    await options.files.setMode(path, 0o600)
    await startWorker()
    return state
  }

  const startWorker = (): Promise<void> => {
    const workerData: WorkerOptions = { path, addedCommitMs: options.addedCommitMs ?? 0 }
    const started = new Worker(WORKER, { workerData })
    worker = started
    started.on('message', (reply: WorkerReply) => {
      const answer = answered
      answered = undefined
      answer?.(reply)
    })
    const died = (cause: Error): void => answered?.({ kind: 'failed', message: `the storage thread has ended: ${cause.message}` })
    started.on('error', died)
    started.on('exit', (code) => {
      worker = undefined
      died(new Error(`exit code ${code}`))
    })
    return reply()
  }
  const reply = (): Promise<void> =>
    new Promise((resolve, reject) => {
      answered = (message) => (message.kind === 'done' ? resolve() : reject(new Error(message.message)))
    })
  const request = (message: WorkerRequest): Promise<void> => {
    if (!worker) return Promise.reject(new Error('the storage thread has ended'))
    const answer = reply()
    worker.postMessage(message)
    return answer
  }

  const close = async (): Promise<void> => {
    if (!worker) return
    const ended = new Promise<void>((resolve) => worker?.once('exit', () => resolve()))
    await request({ kind: 'close' })
    await ended
  }
  return { load, commit: (changes) => request({ kind: 'commit', changes }), close }
}
