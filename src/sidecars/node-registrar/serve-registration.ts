import { removeFileIfPresent } from '../../base/host/index.ts'
import type { HostFiles } from '../../base/host/index.ts'
import type { Logger } from '../../base/logger.ts'
import { isCsiError } from '../../csi/csi-error.ts'
import type { Dispatcher, RunningServer } from '../../csi/kit/index.ts'
import type { Sockets } from '../../csi/sockets.ts'

const DIAL_TIMEOUT_MS = 1000

/** The registration socket, for its owner alone. Another registrar of this driver, as during a rolling update, is put aside. */
export async function serveRegistration(
  path: string,
  server: Dispatcher,
  { files, sockets, log }: { files: HostFiles; sockets: Sockets; log: Logger },
): Promise<RunningServer> {
  if ((await files.findStat(path))?.kind === 'socket' && (await isServed(path, sockets))) {
    log.warn('another registrar serves the socket: its place is taken', { path })
    await removeFileIfPresent(files, path)
  }
  return sockets.serve(path, server)
}

/** Only a connection that nobody takes proves that nobody is there. */
async function isServed(path: string, sockets: Sockets): Promise<boolean> {
  const { registrar, connection } = sockets.connectRegistrar(path, { timeoutMs: DIAL_TIMEOUT_MS })
  try {
    await registrar.getInfo({})
    return true
  } catch (error) {
    return !(isCsiError(error, 'UNAVAILABLE') && connection.state().kind === 'connecting')
  } finally {
    connection.close()
  }
}
