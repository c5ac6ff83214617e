import { createRequire, enableCompileCache, syncBuiltinESMExports } from 'node:module'
import { homedir } from 'node:os'
import { join } from 'node:path'
import type { Worker, WorkerOptions } from 'node:worker_threads'
import type { Host } from '../../src/base/host/index.ts'
import { sleep } from '../../src/base/clock.ts'
import { createWorld } from '../../src/cli/world.ts'

// `holdfast` on a machine whose disk takes 5 ms longer for each sync: the same words as for the real program.
const ADDED_MS = 5

// The database syncs in a thread of its own, which can be told to take longer for each commit. Nothing else starts threads.
const threads = createRequire(import.meta.url)('node:worker_threads') as { Worker: typeof Worker }
const RealWorker = threads.Worker
threads.Worker = class extends RealWorker {
  constructor(file: string | URL, options: WorkerOptions = {}) {
    super(file, { ...options, workerData: { ...(options.workerData as object), addedCommitMs: ADDED_MS } })
  }
}
syncBuiltinESMExports()

// As the real program does, in the same place.
enableCompileCache(join(process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'holdfast', 'compiled'))

const world = createWorld('0.0.0-bench')
const { files } = world.host
const slow: Host = {
  ...world.host,
  files: {
    ...files,
    sync: async (path) => {
      await files.sync(path)
      await sleep(world.clock, ADDED_MS)
    },
  },
}

// Loaded only now, so that it finds the slow threads.
const { runCli } = await import('../../src/cli/run-cli.ts')
process.exitCode = await runCli(process.argv.slice(2), { ...world, host: slow })
