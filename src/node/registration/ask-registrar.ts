import { sleep } from '../../base/clock.ts'
import { CsiError, isCsiError } from '../../csi/csi-error.ts'
import type { PluginInfo } from './plugin-offer.ts'
import type { RegistrationParts } from './registration-parts.ts'

// As the kubelet has them.
const DIAL_TIMEOUT_MS = 10_000
const GET_INFO_TIMEOUT_MS = 1000
const NOTIFY_TIMEOUT_MS = 5000

/** No process accepts connections on the socket. */
export class NoServerError extends Error {
  constructor(path: string, cause: unknown) {
    super(`connection refused: no process serves ${path}`, { cause })
    this.name = 'NoServerError'
  }
}

/** What a registrar says about its driver. `isOpen`: it did not answer, and may later. */
export type DriverWishes = { readonly requiresPublishPod: boolean; readonly endpoint: string; readonly isOpen: boolean }

export type RegistrarCall = ReturnType<typeof callRegistrar>

/** One conversation with a registrar, over one connection. */
export function callRegistrar(
  path: string,
  { clock, log, connectRegistrar }: Pick<RegistrationParts, 'clock' | 'log' | 'connectRegistrar'>,
) {
  const { registrar, connection } = connectRegistrar(path)

  /** The timeout begins once the connection is there. */
  const ask = async <T>(
    timeoutMs: number,
    signal: AbortSignal,
    call: (options: { signal: AbortSignal; timeoutMs: number }) => Promise<T>,
  ): Promise<T> => {
    const [isOver, tooLate] = [new AbortController(), new AbortController()]
    void connection
      .ready(isOver.signal)
      .then(() => sleep(clock, timeoutMs, isOver.signal))
      .then(
        () => tooLate.abort(new CsiError('DEADLINE_EXCEEDED', `no answer within ${timeoutMs} ms`)),
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
      // Today's registrars don't implement the call, which is an answer too.
      const isFinal = isCsiError(error, 'UNIMPLEMENTED')
      if (!isFinal)
        log.info('the registrar did not say whether its driver requires pod information: asking again later', {
          path,
          error,
        })
      return { requiresPublishPod: false, endpoint: '', isOpen: !isFinal }
    }
  }
  return {
    getInfo: (signal: AbortSignal): Promise<PluginInfo> =>
      ask(GET_INFO_TIMEOUT_MS, signal, (limits) => registrar.getInfo({}, limits)),
    getWishes,
    notify: async (status: { pluginRegistered: boolean; error: string }, signal: AbortSignal): Promise<void> =>
      void (await ask(NOTIFY_TIMEOUT_MS, signal, (limits) => registrar.notifyRegistrationStatus(status, limits))),
    [Symbol.dispose]: () => connection.close(),
  }
}
