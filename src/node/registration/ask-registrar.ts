import { basename, dirname } from 'node:path'
import { formatReason } from '../../api/reason.ts'
import { sleep } from '../../base/clock.ts'
import { CsiError, isCsiError } from '../../csi/csi-error.ts'
import { checkEndpoint, checkName, checkPluginInfo } from './plugin-offer.ts'
import type { PluginOffer } from './plugin-offer.ts'
import { messageOf, PluginRefusal, REASONS } from './reasons.ts'
import type { PluginFailure, RegistrationReason } from './reasons.ts'
import type { RegistrationParts, RegistrationRole } from './registration-options.ts'
import type { Sighting } from './watch-registry.ts'

/** What an error that a plugin caused means for it. */
export function failureOf(error: unknown): PluginFailure {
  if (error instanceof PluginRefusal) return error.failure
  const reason =
    error instanceof CsiError
      ? REASONS.RegistrarNotAnswering(error.message)
      : REASONS.RegistrationFailed(messageOf(error))
  return { reason, isUnanswered: true }
}

// The same as in the kubelet.
const DIAL_TIMEOUT_MS = 10_000
const GET_INFO_TIMEOUT_MS = 1000
const NOTIFY_TIMEOUT_MS = 5000

/** One conversation with a registrar, over one connection. */
export function callRegistrar(path: string, parts: Pick<RegistrationParts, 'clock' | 'log' | 'connectRegistrar'>) {
  const { clock, log, connectRegistrar } = parts
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
        throw new PluginRefusal(REASONS.NobodyServesSocket, { isUnanswered: true })
      throw error
    } finally {
      isOver.abort()
    }
  }

  /** The registrar's requirements for its driver. `isOpen`: it did not respond, and may later. */
  const getWishes = async (signal: AbortSignal) => {
    try {
      const { csiEndpoint, options } = await ask(GET_INFO_TIMEOUT_MS, signal, (limits) =>
        registrar.getCSIDriverInfo({}, limits),
      )
      return { requiresPublishPod: options?.requiresPublishPod ?? false, endpoint: csiEndpoint, isOpen: false }
    } catch (error) {
      signal.throwIfAborted()
      // Current registrars don't implement the call, which is also a response.
      const isFinal = isCsiError(error, 'UNIMPLEMENTED')
      const what = 'the registrar did not say whether its driver requires pod information: asking again later'
      if (!isFinal) log.info(what, { path, error })
      return { requiresPublishPod: false, endpoint: '', isOpen: !isFinal }
    }
  }
  const notify = (status: { pluginRegistered: boolean; error: string }, signal: AbortSignal) =>
    ask(NOTIFY_TIMEOUT_MS, signal, (limits) => registrar.notifyRegistrationStatus(status, limits))
  return {
    getInfo: (signal: AbortSignal) => ask(GET_INFO_TIMEOUT_MS, signal, (limits) => registrar.getInfo({}, limits)),
    getWishes,
    confirm: (signal: AbortSignal) => notify({ pluginRegistered: true, error: '' }, signal),
    refuse: (reason: RegistrationReason, signal: AbortSignal) =>
      notify({ pluginRegistered: false, error: formatReason(reason) }, signal).catch((error: unknown) => {
        signal.throwIfAborted()
        // Current registrars exit when the driver is rejected, often before they have responded.
        log.debug('failed to notify the registrar of the refusal', { error })
      }),
    [Symbol.dispose]: () => connection.close(),
  }
}

/** What a socket offers, according to its registrar or to the driver itself. */
export const askOffer = (socket: Sighting, parts: RegistrationRole, signal: AbortSignal): Promise<PluginOffer> =>
  socket.via === 'registrar' ? askRegistrar(socket, parts, signal) : askAssumedDriver(socket, parts, signal)

async function askRegistrar({ path }: Sighting, parts: RegistrationRole, signal: AbortSignal): Promise<PluginOffer> {
  using registrar = callRegistrar(path, parts)
  const info = await registrar.getInfo(signal)
  try {
    const { name, version } = checkPluginInfo(info)
    const { endpoint: other, requiresPublishPod, isOpen: isFlagOpen } = await registrar.getWishes(signal)
    const { endpoint } = info
    if (endpoint !== '' && other !== '' && endpoint !== other)
      parts.log.warn('the registrar returns two different endpoints: using the first', { path, endpoint, other })
    const directories = [parts.rootDir, ...parts.config.endpointDirectories]
    const checked = await checkEndpoint(parts.host.files, name, endpoint || other || path, directories)
    return { name, version, endpoint: checked, requiresPublishPod, isFlagOpen }
  } catch (error) {
    if (error instanceof PluginRefusal) await registrar.refuse(error.failure.reason, signal)
    throw error
  }
}

/** A socket in a directory that is named after its driver, as before registrars existed. */
async function askAssumedDriver(
  { path }: Sighting,
  { connectDriver }: RegistrationRole,
  signal: AbortSignal,
): Promise<PluginOffer> {
  const directory = basename(dirname(path))
  const { driver, connection } = connectDriver(path)
  try {
    const { name } = await driver.getPluginInfo({}, { signal })
    checkName(name)
    if (name !== directory) throw new PluginRefusal(REASONS.DriverNameNotThatOfDirectory(name, directory))
    return { name, endpoint: path, version: [1, 0], requiresPublishPod: false, isFlagOpen: false }
  } finally {
    connection.close()
  }
}

/** Tells the registrar, if there is one, why its driver is not registered. */
export async function tellRefusal(
  { via, path }: Sighting,
  reason: RegistrationReason,
  parts: RegistrationRole,
  signal: AbortSignal,
): Promise<void> {
  using registrar = via === 'registrar' ? callRegistrar(path, parts) : undefined
  await registrar?.refuse(reason, signal)
}
