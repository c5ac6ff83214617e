import type { Clock, Timer } from '../../base/clock.ts'
import type { Logger } from '../../base/logger.ts'
import type { Connection } from '../../csi/connect.ts'
import { CsiError, isCsiError } from '../../csi/csi-error.ts'
import type { Registrar } from '../../csi/rpc.ts'
import type { PluginInfo } from './plugin-offer.ts'

// As the kubelet has them.
const DIAL_TIMEOUT_MS = 10_000
const GET_INFO_TIMEOUT_MS = 1000
const NOTIFY_TIMEOUT_MS = 5000

/** Nobody takes connections on the socket: whoever made it is gone. */
export class NoServerError extends Error {
  constructor(path: string, cause: unknown) {
    super(`nobody serves ${path}`, { cause })
    this.name = 'NoServerError'
  }
}

/** What a registrar says of what its driver wants. `open`: it did not say, and may later. */
export type DriverWishes = { readonly requiresPublishPod: boolean; readonly endpoint: string; readonly isOpen: boolean }

/** One conversation with a registrar, over one connection. */
export interface RegistrarCall extends Disposable {
  getInfo(signal: AbortSignal): Promise<PluginInfo>
  getWishes(signal: AbortSignal): Promise<DriverWishes>
  notify(status: { pluginRegistered: boolean; error: string }, signal: AbortSignal): Promise<void>
}

export type RegistrarCallParts = {
  clock: Clock
  log: Logger
  connectRegistrar(path: string): { registrar: Registrar; connection: Connection }
}

export function callRegistrar(path: string, { clock, log, connectRegistrar }: RegistrarCallParts): RegistrarCall {
  const { registrar, connection } = connectRegistrar(path)

  /** The time for an answer begins when somebody is there to give it. */
  const ask = async <T>(
    timeoutMs: number,
    signal: AbortSignal,
    call: (options: { signal: AbortSignal; timeoutMs: number }) => Promise<T>,
  ): Promise<T> => {
    const tooLate = new AbortController()
    let timer: Timer | undefined
    const isOver = new AbortController()
    void connection.ready(isOver.signal).then(
      () =>
        (timer = isOver.signal.aborted
          ? undefined
          : clock.setTimer(timeoutMs, () =>
              tooLate.abort(new CsiError('DEADLINE_EXCEEDED', `no answer within ${timeoutMs} ms`)),
            )),
      () => {},
    )
    try {
      return await call({ signal: AbortSignal.any([signal, tooLate.signal]), timeoutMs: DIAL_TIMEOUT_MS + timeoutMs })
    } catch (error) {
      if (isCsiError(error, 'UNAVAILABLE') && connection.state().kind === 'connecting')
        throw new NoServerError(path, error)
      throw error
    } finally {
      isOver.abort()
      timer?.cancel()
    }
  }

  const getWishes = async (signal: AbortSignal): Promise<DriverWishes> => {
    try {
      const { csiEndpoint, options } = await ask(GET_INFO_TIMEOUT_MS, signal, (limits) =>
        registrar.getCSIDriverInfo({}, limits),
      )
      return { requiresPublishPod: options?.requiresPublishPod ?? false, endpoint: csiEndpoint, isOpen: false }
    } catch (error) {
      signal.throwIfAborted()
      // Registrars of today don't know the call: that is an answer too.
      const isFinal = isCsiError(error, 'UNIMPLEMENTED')
      if (!isFinal)
        log.info('the registrar did not say whether its driver wants pods: it is asked again later', { path, error })
      return { requiresPublishPod: false, endpoint: '', isOpen: !isFinal }
    }
  }
  return {
    getInfo: (signal) => ask(GET_INFO_TIMEOUT_MS, signal, (limits) => registrar.getInfo({}, limits)),
    getWishes,
    notify: async (status, signal) =>
      void (await ask(NOTIFY_TIMEOUT_MS, signal, (limits) => registrar.notifyRegistrationStatus(status, limits))),
    [Symbol.dispose]: () => connection.close(),
  }
}
