import { join } from 'node:path'
import { startDeadline } from '../../base/abort.ts'
import { backoffDelayMs } from '../../base/backoff.ts'
import { sleep } from '../../base/clock.ts'
import type { Clock } from '../../base/clock.ts'
import type { HostFiles } from '../../base/host/index.ts'
import type { Logger } from '../../base/logger.ts'
import type { Random } from '../../base/random.ts'
import { createStops } from '../../base/stops.ts'
import type { RunningServer } from '../../csi/kit/index.ts'
import type { Sockets } from '../../csi/sockets.ts'
import { serveHttp } from '../../kube/process/serve-http.ts'
import { readDriverInfo } from '../read-driver-info.ts'
import { checkRegistration } from './check-registration.ts'
import type { NodeRegistrarConfig } from './node-registrar-options.ts'
import { createRegistrationServer } from './registration-server.ts'
import type { RegistrationOutcome } from './registration-server.ts'
import { serveRegistration } from './serve-registration.ts'

export type NodeRegistrarParts = { files: HostFiles; sockets: Sockets; clock: Clock; random: Random; log: Logger }

export interface RunningNodeRegistrar {
  driverName(): string
  /** The registration socket. */
  socketPath(): string
  readonly httpPort: number | undefined
  /** Resolves with the error when the node agent refuses the driver and the registrar is not to try again by itself. */
  readonly refused: Promise<string>
  /** Removes the socket. */
  stop(): Promise<void>
}

export type NodeRegistrarOptions = {
  /**
   * After a refusal: `end` stops and leaves it to whoever restarts the container, as upstream; `retry` makes a new socket after a while,
   * which is the same to the node agent and does not take others of this process along.
   */
  onRefusal: 'end' | 'retry'
}

const CONNECT_TIMEOUT_MS = 30_000
const RETRY = { initialMs: 1000, maximumMs: 300_000 }

/** Registers a driver with the node agent of its node. Resolves once the registration socket is served. */
export async function startNodeRegistrar(
  config: NodeRegistrarConfig,
  parts: NodeRegistrarParts,
  { onRefusal }: NodeRegistrarOptions,
): Promise<RunningNodeRegistrar> {
  const { clock, random, log, files, sockets } = parts
  const stops = createStops()
  const ending = new AbortController()
  const refused = Promise.withResolvers<string>()
  let current: { name: string; server: RunningServer } | undefined
  let refusals = 0
  let lastRefusal: string | undefined

  const { driver, connection } = sockets.connectDriver(config.csiAddress, { timeoutMs: config.timeoutMs })
  stops.onStop(() => connection.close())

  const onOutcome = (outcome: RegistrationOutcome): void => {
    if (outcome.registered) {
      refusals = 0
      lastRefusal = undefined
      return log.info('the node agent has registered the driver', { driver: current?.name })
    }
    // Each try ends the same way as long as nobody changes anything: once is enough.
    if (outcome.error !== lastRefusal)
      log.error('the node agent refuses the driver', { driver: current?.name, error: outcome.error })
    lastRefusal = outcome.error
    if (onRefusal === 'end') return refused.resolve(outcome.error)
    refusals++
    enqueue(async () => {
      await sleep(clock, backoffDelayMs(RETRY, refusals, random), ending.signal)
      if (current) await register(current.name)
    })
  }
  /** The name as the driver gives it. */
  const readName = async (): Promise<string> => {
    const tooLate = (): Error =>
      new Error(`no driver answers on ${config.csiAddress} within ${CONNECT_TIMEOUT_MS / 1000} s`)
    using deadline = startDeadline(clock, CONNECT_TIMEOUT_MS, tooLate, ending.signal)
    await connection.ready(deadline.signal)
    return (await readDriverInfo(driver, config.csiAddress, { timeoutMs: config.timeoutMs })).name
  }
  const register = async (name: string): Promise<void> => {
    const former = current
    current = undefined
    await former?.server.stop({ graceMs: 0 })
    const server = createRegistrationServer({
      driverName: name,
      endpoint: config.kubeletRegistrationPath,
      requiresPublishPod: config.requiresPublishPod,
      log,
      onOutcome,
    })
    const path = join(config.pluginRegistrationPath, `${name}-reg.sock`)
    current = { name, server: await serveRegistration(path, server, parts) }
    log.info('waiting to be registered', { driver: name, path, endpoint: config.kubeletRegistrationPath })
  }

  // One change of the socket after the other.
  let turn = Promise.resolve()
  const enqueue = (act: () => Promise<void>): void => {
    turn = turn.then(act).catch((error: unknown) => {
      if (!ending.signal.aborted) log.error('the registration socket could not be renewed', { error })
    })
  }

  try {
    await register(await readName())
    // A driver that was restarted may be another one; its name is also that of the socket.
    connection.watch((state) => {
      if (state.kind === 'lost') log.warn('the connection to the driver is lost')
      if (state.kind !== 'ready') return
      enqueue(async () => {
        const name = await readName()
        if (name === current?.name) return
        log.warn('the driver at this socket has another name than before: it is registered under that', {
          path: config.csiAddress,
          before: current?.name,
          driver: name,
        })
        await register(name)
      })
    })
    stops.onStop(() => current?.server.stop())
    const address = config.httpEndpoint || (config.healthPort > 0 ? `:${config.healthPort}` : '')
    const healthz = () =>
      checkRegistration({
        path: current?.server.path ?? '',
        driverName: current?.name ?? '',
        timeoutMs: config.timeoutMs,
        files,
        sockets,
      })
    const http = address === '' ? undefined : await serveHttp(address, { '/healthz': healthz }, log)
    if (http) stops.onStop(() => http.close())
    const stop = async (): Promise<void> => {
      ending.abort(new Error('the registrar was stopped'))
      await turn
      await stops.run()
    }
    return {
      driverName: () => current?.name ?? '',
      socketPath: () => current?.server.path ?? '',
      httpPort: http?.port,
      refused: refused.promise,
      stop,
    }
  } catch (error) {
    ending.abort(error)
    await stops.run()
    throw error
  }
}
