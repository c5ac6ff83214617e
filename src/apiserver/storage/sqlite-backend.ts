import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { isHostError } from '../../base/host/host.ts'
import type { HostFiles } from '../../base/host/host.ts'
import { makeDirectories } from '../../base/host/durable-files.ts'
import { createSilentLogger } from '../../base/logger.ts'
import type { Logger } from '../../base/logger.ts'
import { nextTurn } from '../../base/next-turn.ts'
import { ACKNOWLEDGED_FILE } from './acknowledged-file.ts'
import { StorageFullError } from './backend.ts'
import type { Backend, LoadedState } from './backend.ts'
import { afterRelease, RESERVE_FILE } from './disk-reserve.ts'
import { loadSqliteState, STATE_FILE } from './load-sqlite-state.ts'
import { readOnlyMessage } from './sqlite-failures.ts'
import type { WorkerOptions, WorkerReply, WorkerRequest } from './sqlite-worker.ts'

export { STATE_FILE }
// The worker runs from source in a checkout and from the build when installed.
const WORKER = new URL(import.meta.url.endsWith('.ts') ? './sqlite-worker.ts' : './sqlite-worker.js', import.meta.url)

export type SqliteBackendOptions = {
  directory: string
  files: HostFiles
  /** Called with what was lost, if data loss was accepted. Default: not reported. */
  log?: Logger
  /** Continue with the readable part of damaged files, after copying them. Default false: they are rejected. */
  acceptDataLoss?: boolean
  /** Delay added to each commit, to measure the effect of a slower disk. */
  addedCommitMs?: number
  /** Maximum number of pages of the file, for tests of a full disk. */
  mostPages?: number
  /** Starts the thread that commits. Tests replace it. */
  startThread?: (options: WorkerOptions) => Worker
}

// MiB. The thread only passes texts on to SQLite, which is done with them at once; without a limit, its young generation grows as large as the
// server's own.
const YOUNG_GENERATION = 4

/** The thread that commits to the real file. */
export const startSqliteThread = (workerData: WorkerOptions): Worker =>
  new Worker(WORKER, { workerData, resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION } })

/**
 * Stores the state in one SQLite file. It is read once, at the start; a worker thread commits, so that a slow disk never blocks the event loop. If
 * that thread dies, commits fail from then on: the result of the last one is unknown.
 */
export function createSqliteBackend(options: SqliteBackendOptions): Backend {
  const {
    directory,
    files,
    log = createSilentLogger(),
    acceptDataLoss = false,
    addedCommitMs = 0,
    mostPages = 0,
    startThread = startSqliteThread,
  } = options
  const path = join(directory, STATE_FILE)
  let worker: Worker | undefined
  let isFull = false
  let answered: ((reply: WorkerReply) => void) | undefined

  const load = async (): Promise<LoadedState> => {
    const state = await namingReadOnly(async () => {
      await makeDirectories(files, directory, { mode: 0o700 })
      await refuseReadOnly(files, join(directory, ACKNOWLEDGED_FILE))
      await makeRoom(files, directory)
      const loaded = await loadSqliteState({ directory, files, log, acceptDataLoss })
      await files.setMode(path, 0o600)
      return loaded
    })
    const opened = await openThread()
    // The lock on the file was released in between, and another process was faster.
    if (opened.kind !== 'opened' || opened.revision !== state.revision) {
      await close()
      throw new Error(`${path} was changed by another process: stop it, or choose another data directory`)
    }
    return state
  }

  const openThread = (): Promise<WorkerReply> => {
    const answer = nextReply()
    const started = startThread({
      path,
      acknowledgedPath: join(directory, ACKNOWLEDGED_FILE),
      reservePath: join(directory, RESERVE_FILE),
      addedCommitMs,
      mostPages,
    })
    worker = started
    started.on('message', (reply: WorkerReply) => answered?.(reply))
    const onDeath = (cause: string): void => {
      worker = undefined
      answered?.({ kind: 'failed', message: `the storage thread has ended: ${cause}`, isFull: false, needsRoom: false })
    }
    started.on('error', (error: Error) => onDeath(error.message))
    started.on('exit', (code) => onDeath(`exit code ${code}`))
    return answer
  }
  const nextReply = (): Promise<WorkerReply> =>
    new Promise((resolve, reject) => {
      answered = (reply) => {
        answered = undefined
        isFull = reply.isFull
        if (reply.kind !== 'failed') resolve(reply)
        else reject(reply.needsRoom ? new StorageFullError() : new Error(reply.message))
      }
    })
  // One at a time: a compaction step and a commit may be requested at the same time.
  let last: Promise<unknown> = Promise.resolve()
  const request = (message: WorkerRequest): Promise<WorkerReply> => {
    const answer = last.then(() => send(message))
    last = answer.catch(() => {})
    return answer
  }
  const send = (message: WorkerRequest): Promise<WorkerReply> => {
    if (!worker) throw new Error('the storage thread has ended')
    const answer = nextReply()
    worker.postMessage(message)
    return answer
  }
  const compact = async (): Promise<boolean> => {
    const reply = await request({ kind: 'compact' })
    return reply.kind === 'done' && reply.again === true
  }

  const close = async (): Promise<void> => {
    const closing = worker
    if (!closing) return
    const ended = new Promise<void>((resolve) => closing.once('exit', () => resolve()))
    await request({ kind: 'close' })
    await ended
  }
  const commit: Backend['commit'] = async (changes) => void (await request({ kind: 'commit', changes }))
  const checkRoom = async (): Promise<boolean> => {
    await request({ kind: 'check-room' })
    return isFull
  }
  return { load, commit, isFull: () => isFull, checkRoom, compact, gather: nextTurn, close }
}

// The space needed to open the state: an index of the log, a kubeconfig.
const START_BYTES = 1024n * 1024n

/** A full disk must not prevent the server from starting, otherwise nothing could be deleted. */
async function makeRoom(files: HostFiles, directory: string): Promise<void> {
  const path = join(directory, RESERVE_FILE)
  const size = (await files.findStat(path))?.sizeBytes ?? 0n
  if (size > 0n && (await files.usage(directory)).availableBytes < START_BYTES)
    await files.truncate(path, BigInt(afterRelease(Number(size))))
}

/** Tests with a change without effect whether the file can be changed. */
async function refuseReadOnly(files: HostFiles, path: string): Promise<void> {
  if (await files.findStat(path)) await files.setMode(path, 0o600)
}

async function namingReadOnly<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (cause) {
    if (!isHostError(cause, 'EROFS')) throw cause
    throw new Error(readOnlyMessage(cause.path), { cause })
  }
}
