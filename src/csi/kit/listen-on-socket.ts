import { createServer, connect } from 'node:net'
import type { Server, Socket } from 'node:net'
import { dirname, join } from 'node:path'
import type { HostFiles } from '../../base/host/host.ts'
import { isHostError } from '../../base/host/host.ts'
import type { Random } from '../../base/random.ts'

export type SocketOptions = {
  path: string
  files: HostFiles
  random: Random
  /** Default 0o600: only the owner may connect. */
  mode?: number
  onConnection(socket: Socket): void
  /** Called if a connection could not be accepted, for example for lack of file descriptors; the socket stays open. */
  onError(error: Error): void
}

export interface SocketListener {
  /** Accepts no new connections; open ones stay. Removes the socket if it is still ours. May be called again. */
  close(): Promise<void>
}

/**
 * Listens on a unix socket. The socket appears under its name atomically, with its permissions already set. A stale socket of a dead process is
 * replaced; a socket that is still served is not.
 */
export async function listenOnSocket({
  path,
  files,
  random,
  mode = 0o600,
  onConnection,
  onError,
}: SocketOptions): Promise<SocketListener> {
  await refuseIfTaken(path, files)
  // Not bound under its own name, because Node removes that name on close even if another process has replaced the socket.
  const temporary = join(dirname(path), `.${Buffer.from(random.bytes(3)).toString('hex')}`)
  const server = createServer({ allowHalfOpen: false }, onConnection)
  await listen(server, temporary, path)
  server.on('error', onError)
  let ours: bigint | undefined
  try {
    await files.setMode(temporary, mode)
    // Read before the socket is visible to anyone. The inode number stays ours as long as we listen.
    ours = (await files.findStat(temporary))?.inode
    await files.rename(temporary, path)
  } catch (error) {
    server.close()
    throw error
  }

  const closeOnce = async (): Promise<void> => {
    // Without its name the socket gets no new connections; this does not wait for open ones.
    try {
      const current = await files.findStat(path)
      if (current !== undefined && current.inode === ours) await files.removeFile(path).catch(ignoreMissing)
    } finally {
      server.close()
    }
  }
  let closing: Promise<void> | undefined
  return { close: () => (closing ??= closeOnce()) }
}

async function refuseIfTaken(path: string, files: HostFiles): Promise<void> {
  const stat = await files.findStat(path)
  if (stat === undefined) return
  if (stat.kind !== 'socket')
    throw new Error(`${path} exists and is not a socket: remove it or choose another endpoint`)
  if (await isServed(path)) throw new Error(`${path} is in use by another process: stop it or choose another endpoint`)
}

// Only a refused connection proves that nothing is listening. A busy server may have no room for another connection (EAGAIN), and a server of another
// user may deny access (EACCES).
function isServed(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path)
    const answer = (served: boolean): void => {
      socket.destroy()
      resolve(served)
    }
    socket.once('connect', () => answer(true))
    socket.once('error', ({ code }: NodeJS.ErrnoException) => answer(code !== 'ECONNREFUSED' && code !== 'ENOENT'))
  })
}

function listen(server: Server, temporary: string, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const onError = (cause: Error): void => reject(new Error(`can't listen on ${path}: ${cause.message}`, { cause }))
    server.once('error', onError)
    server.listen(temporary, () => {
      server.off('error', onError)
      resolve()
    })
  })
}

function ignoreMissing(error: unknown): void {
  if (!isHostError(error, 'ENOENT')) throw error
}
