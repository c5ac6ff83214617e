import type { Clock } from '../../base/clock.ts'
import { removeFileIfPresent } from '../../base/host/index.ts'
import type { HostFiles } from '../../base/host/index.ts'
import type { Logger } from '../../base/logger.ts'
import type { Random } from '../../base/random.ts'
import { connectRegistrar } from '../../csi/connect-driver.ts'
import { isCsiError } from '../../csi/csi-error.ts'
import { serve } from '../../csi/kit/index.ts'
import type { Dispatcher, RunningServer } from '../../csi/kit/index.ts'

const DIAL_TIMEOUT_MS = 1000

/** The registration socket, for its owner alone. Another registrar of this driver, as during a rolling update, is put aside. */
export async function serveRegistration(path: string, server: Dispatcher, parts: { files: HostFiles; clock: Clock; random: Random; log: Logger }): Promise<RunningServer> {
  const { files, clock, log } = parts
  if ((await files.findStat(path))?.kind === 'socket' && (await isServed(path, clock))) {
    log.warn('another registrar serves the socket: its place is taken', { path })
    await removeFileIfPresent(files, path)
  }
  return serve({ endpoint: path, servers: [server], ...parts })
}

/** Only a connection that nobody takes proves that nobody is there. */
async function isServed(path: string, clock: Clock): Promise<boolean> {
  const { registrar, connection } = connectRegistrar({ endpoint: path, clock, timeoutMs: DIAL_TIMEOUT_MS })
  try {
    await registrar.getInfo({})
    return true
  } catch (error) {
    return !(isCsiError(error, 'UNAVAILABLE') && connection.state().kind === 'connecting')
  } finally {
    connection.close()
  }
}
