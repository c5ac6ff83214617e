import { createHash } from 'node:crypto'
import { createServer } from 'node:net'
import type { Host } from '../base/host/index.ts'
import { HostError, makeDirectories } from '../base/host/index.ts'
import { describeHostError } from './describe-host-error.ts'

/**
 * Keeps a second process of this machine out of a data directory for as long as this one lives, however it ends. The
 * lock is a socket name of the kernel (an abstract one) made from the real path: it leaves no file behind.
 */
export async function lockDirectory({ files }: Host, directory: string): Promise<AsyncDisposable> {
  const real = await openDirectory(files, directory)
  await refuseForeign(files, directory, real)
  const name = `\0holdfast-${createHash('sha256').update(real).digest('hex').slice(0, 40)}`
  const server = createServer((socket) => socket.destroy())
  server.unref()
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) => {
      const why =
        cause.code === 'EADDRINUSE'
          ? 'is in use by another holdfast process: stop it, or choose another directory'
          : cause.message
      reject(new Error(`data directory ${directory}: ${why}`, { cause }))
    })
    server.listen(name, resolve)
  })
  return { [Symbol.asyncDispose]: () => new Promise((resolve) => server.close(() => resolve())) }
}

async function openDirectory(files: Host['files'], directory: string): Promise<string> {
  try {
    await makeDirectories(files, directory, { mode: 0o700 })
    return await files.resolve(directory)
  } catch (error) {
    if (!(error instanceof HostError)) throw error
    throw new Error(`data directory ${directory}: ${describeHostError(error)}; choose another with --data`, {
      cause: error,
    })
  }
}

// What others can write, keys included, others decide.
async function refuseForeign(files: Host['files'], directory: string, real: string): Promise<void> {
  const stat = await files.findStat(real)
  if (stat?.kind !== 'directory') throw new Error(`data directory ${directory}: is not a directory`)
  if (stat.uid !== process.getuid?.())
    throw new Error(`data directory ${directory}: belongs to another user; choose a directory that you own`)
  if ((stat.mode & 0o022) !== 0)
    throw new Error(`data directory ${directory}: other users can write to it; run chmod go-w ${directory}`)
}
