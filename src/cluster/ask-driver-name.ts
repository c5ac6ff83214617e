import { requireCsiDriverName } from '../api/csi-driver-name.ts'
import { startDeadline } from '../base/abort.ts'
import { sleep } from '../base/clock.ts'
import type { Clock } from '../base/clock.ts'
import type { FileKind, HostFiles } from '../base/host/index.ts'
import { isCsiError } from '../csi/index.ts'
import type { Connection, Driver } from '../csi/index.ts'
import type { MachineParts } from './cluster-options.ts'

export type AskParts = Pick<MachineParts, 'host' | 'clock' | 'sockets' | 'log'>

// Long enough for a driver that is started in the same breath.
const ANSWER_TIMEOUT_MS = 10_000
const PROBE_INTERVAL_MS = 200
const SILENCE_MS = 1000

/** The name of the driver behind a socket, once it is ready. Errors are written for the user of `--driver`. */
export async function askDriverName(
  { host, clock, sockets, log }: AskParts,
  endpoint: string,
  signal: AbortSignal | undefined,
): Promise<string> {
  const path = endpoint.replace(/^unix:\/\//, '')
  const kind = await kindOf(host.files, path)
  if (kind !== undefined && kind !== 'socket') throw new Error(`--driver ${endpoint}: this is a ${kind}, not a socket`)
  const { driver, connection } = sockets.connectDriver(endpoint)
  const waiting = clock.setTimer(SILENCE_MS, () => log.warn('waiting for a driver', { endpoint }))
  let problem = 'it does not respond'
  try {
    using deadline = startDeadline(clock, ANSWER_TIMEOUT_MS, () => new Error('too late'), signal)
    try {
      const name = await untilNamed(driver, connection, deadline.signal, (detail) => (problem = detail))
      await untilReady(driver, clock, deadline.signal, () => (problem = 'Probe reports that the driver is not ready'))
      return requireCsiDriverName(name, path)
    } catch (error) {
      signal?.throwIfAborted()
      if (isCsiError(error, 'UNIMPLEMENTED'))
        throw new Error(`--driver ${endpoint}: this is a gRPC server, but not a CSI driver (${error.message})`, {
          cause: error,
        })
      if (!deadline.signal.aborted)
        throw new Error(`--driver ${endpoint}: ${error instanceof Error ? error.message : String(error)}`, {
          cause: error,
        })
      if ((await kindOf(host.files, path)) === undefined)
        throw new Error(`--driver ${endpoint}: the socket does not exist; start the driver first`, { cause: error })
      throw new Error(
        `--driver ${endpoint}: no CSI driver is serving this socket: ${problem}. Check that the driver is running and that this is its socket`,
        { cause: error },
      )
    }
  } finally {
    waiting.cancel()
    connection.close()
  }
}

async function untilNamed(
  driver: Driver,
  connection: Connection,
  signal: AbortSignal,
  onProblem: (detail: string) => void,
): Promise<string> {
  try {
    return (await driver.getPluginInfo({}, { signal })).name
  } catch (error) {
    if (!isCsiError(error, 'UNAVAILABLE')) throw error
    onProblem(withoutAdvice(error.detail))
    await connection.ready(signal)
    return (await driver.getPluginInfo({}, { signal })).name
  }
}

/** The message around it gives better advice. */
const withoutAdvice = (detail: string): string => detail.replace(/\. Check that the driver is running\.$/, '')

/** The links of the path followed; undefined when there is nothing. */
async function kindOf(files: HostFiles, path: string): Promise<FileKind | undefined> {
  const stat = await files.findStat(path)
  return stat?.kind === 'symlink'
    ? (await files.findStat(await files.resolve(path).catch(() => path)))?.kind
    : stat?.kind
}

async function untilReady(driver: Driver, clock: Clock, signal: AbortSignal, onNotReady: () => void): Promise<void> {
  while ((await driver.probe({}, { signal })).ready === false) {
    onNotReady()
    await sleep(clock, PROBE_INTERVAL_MS, signal)
  }
}
