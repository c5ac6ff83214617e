import { join } from 'node:path'
import { startDeadline } from '../../base/abort.ts'
import { backoffDelayMs } from '../../base/backoff.ts'
import { sleep } from '../../base/clock.ts'
import { startWhole } from '../../base/stops.ts'
import type { RunningServer } from '../../csi/kit/index.ts'
import { serveHttp } from '../../kube/process/serve-http.ts'
import { readDriverInfo } from '../discover-driver.ts'
import type { NodeRegistrarConfig } from './node-registrar-options.ts'
import { checkRegistration, createRegistrationServer, serveRegistration } from './serve-registration.ts'
import type { NodeRegistrarParts } from './serve-registration.ts'

export interface RunningNodeRegistrar {
  driverName(): string
  /** The registration socket. */
  socketPath(): string
  readonly httpPort: number | undefined
  /** Resolves with the error if the node agent rejects the driver and the registrar must not retry by itself. */
  readonly refused: Promise<string>
  /** Removes the socket. */
  stop(): Promise<void>
}

export type NodeRegistrarOptions = {
  /**
   * After a rejection: `end` stops and relies on a restart of the container, as upstream; `retry` creates a new socket after a while, which is the
   * same to the node agent and does not affect other parts of this process.
   */
  onRefusal: 'end' | 'retry'
}

const CONNECT_TIMEOUT_MS = 30_000
const RETRY = { initialMs: 1000, maximumMs: 300_000 }

/** Registers a driver with the node agent of its node. Resolves once the registration socket is served. */
export const startNodeRegistrar = (
  config: NodeRegistrarConfig,
  parts: NodeRegistrarParts,
  { onRefusal }: NodeRegistrarOptions,
): Promise<RunningNodeRegistrar> =>
  startWhole(async (stops) => {
    const { clock, random, log, sockets } = parts
    const { csiAddress, timeoutMs, kubeletRegistrationPath: endpoint, requiresPublishPod } = config
    const ending = new AbortController()
    const refused = Promise.withResolvers<string>()
    let current: { name: string; server: RunningServer } | undefined
    let refusals = 0
    let lastRefusal: string | undefined

    const { driver, connection } = sockets.connectDriver(csiAddress, { timeoutMs })
    stops.onStop(() => connection.close())

    const onOutcome = (error: string | undefined): void => {
      const before = lastRefusal
      lastRefusal = error
      refusals = error === undefined ? 0 : refusals + 1
      const driverName = current?.name
      if (error === undefined) return log.info('the node agent has registered the driver', { driver: driverName })
      // Each attempt ends the same way until something changes: log it once.
      if (error !== before) log.error('the node agent refused to register the driver', { driver: driverName, error })
      if (onRefusal === 'end') return refused.resolve(error)
      enqueue(async () => {
        await sleep(clock, backoffDelayMs(RETRY, refusals, random), ending.signal)
        if (current) await register(current.name)
      })
    }
    const readName = async (): Promise<string> => {
      const seconds = CONNECT_TIMEOUT_MS / 1000
      const tooLate = (): Error => new Error(`no driver answered on ${csiAddress} within ${seconds} s`)
      using deadline = startDeadline(clock, CONNECT_TIMEOUT_MS, tooLate, ending.signal)
      await connection.ready(deadline.signal)
      return (await readDriverInfo(driver, csiAddress, { timeoutMs })).name
    }
    const register = async (driverName: string): Promise<void> => {
      const former = current
      current = undefined
      await former?.server.stop({ graceMs: 0 })
      const server = createRegistrationServer({ driverName, endpoint, requiresPublishPod, log, onOutcome })
      const path = join(config.pluginRegistrationPath, `${driverName}-reg.sock`)
      current = { name: driverName, server: await serveRegistration(path, server, parts) }
      log.info('waiting to be registered', { driver: driverName, path, endpoint })
    }
    /** A restarted driver may be a different one; its name is also that of the socket. */
    const registerIfRenamed = async (): Promise<void> => {
      const [before, name] = [current?.name, await readName()]
      if (name === before) return
      const what = 'the driver at this socket has another name than before and is registered under that'
      log.warn(what, { path: csiAddress, before, driver: name })
      await register(name)
    }
    // Changes of the socket are made one after the other.
    let turn = Promise.resolve()
    const enqueue = (act: () => Promise<void>): void => {
      turn = turn.then(act).catch((error: unknown) => {
        if (!ending.signal.aborted) log.error('failed to renew the registration socket', { error })
      })
    }

    await register(await readName())
    stops.onStop(() => current?.server.stop())
    stops.onStop(() => {
      ending.abort(new Error('the registrar was stopped'))
      return turn
    })
    connection.watch(({ kind }) => {
      if (kind === 'lost') log.warn('the connection to the driver is lost')
      if (kind === 'ready') enqueue(registerIfRenamed)
    })
    const address = config.httpEndpoint || (config.healthPort > 0 ? `:${config.healthPort}` : '')
    const healthz = () => checkRegistration(current?.server.path ?? '', current?.name ?? '', timeoutMs, parts)
    const http = address === '' ? undefined : await serveHttp(address, { '/healthz': healthz }, log)
    stops.onStop(() => http?.close())
    return {
      driverName: () => current?.name ?? '',
      socketPath: () => current?.server.path ?? '',
      httpPort: http?.port,
      refused: refused.promise,
      stop: stops.run,
    }
  })
