import type { Clock } from '../../base/clock.ts'
import { removeFileIfPresent } from '../../base/host/index.ts'
import type { HostFiles } from '../../base/host/index.ts'
import type { Logger } from '../../base/logger.ts'
import type { Random } from '../../base/random.ts'
import { isCsiError } from '../../csi/csi-error.ts'
import type { Dispatcher, RunningServer } from '../../csi/kit/index.ts'
import type { Sockets } from '../../csi/sockets.ts'
import { textAnswer } from '../../kube/process/serve-http.ts'
import type { HttpAnswer } from '../../kube/process/serve-http.ts'

export type NodeRegistrarParts = { files: HostFiles; sockets: Sockets; clock: Clock; random: Random; log: Logger }

const DIAL_TIMEOUT_MS = 1000

/** Serves the registration socket, for its owner alone. Replaces another registrar of this driver, as during a rolling update. */
export async function serveRegistration(
  path: string,
  server: Dispatcher,
  { files, sockets, log }: NodeRegistrarParts,
): Promise<RunningServer> {
  if ((await files.findStat(path))?.kind === 'socket' && (await isServed(path, sockets))) {
    log.warn('replacing another registrar that serves the socket', { path })
    await removeFileIfPresent(files, path)
  }
  return sockets.serve(path, server)
}

/** Only a refused connection proves that no registrar is there. */
async function isServed(path: string, sockets: NodeRegistrarParts['sockets']): Promise<boolean> {
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

/** Is our socket there, and do we answer on it? 404 says that it is gone: a restart creates it again. */
export async function checkRegistration(
  path: string,
  driverName: string,
  timeoutMs: number,
  { files, sockets }: NodeRegistrarParts,
): Promise<HttpAnswer> {
  try {
    if (path === '' || !(await files.findStat(path)))
      return textAnswer(404, `registration socket ${path} does not exist`)
    const { registrar, connection } = sockets.connectRegistrar(path, { timeoutMs })
    const { name } = await registrar.getInfo({}).finally(() => connection.close())
    if (name === driverName) return textAnswer(200, 'ok')
    return textAnswer(500, `the registration socket belongs to another driver: ${name}`)
  } catch (error) {
    return textAnswer(500, error instanceof Error ? error.message : String(error))
  }
}
