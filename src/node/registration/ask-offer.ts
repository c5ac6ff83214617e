import { basename, dirname } from 'node:path'
import { validateCsiDriverName } from '../../api/csi-driver-name.ts'
import { formatReason } from '../../api/reason.ts'
import type { Reason } from '../../api/reason.ts'
import type { Clock } from '../../base/clock.ts'
import type { HostFiles } from '../../base/host/index.ts'
import type { Logger } from '../../base/logger.ts'
import { callRegistrar } from './ask-registrar.ts'
import type { RegistrarCall } from './ask-registrar.ts'
import { checkEndpoint } from './check-endpoint.ts'
import { checkPluginInfo } from './plugin-offer.ts'
import type { PluginOffer } from './plugin-offer.ts'
import { PluginRefusal } from './plugin-refusal.ts'
import { REASONS } from './reasons.ts'
import type { RegistrationParts } from './registration-parts.ts'
import type { Sighting } from './sighting.ts'

export type OfferParts = Pick<RegistrationParts, 'connectDriver' | 'connectRegistrar'> & {
  readonly files: HostFiles
  readonly clock: Clock
  readonly log: Logger
  /** Where sockets of drivers may be. */
  readonly endpointDirectories: readonly string[]
}

/** What a socket has to offer, by its registrar or by the driver itself. */
export const askOffer = (socket: Sighting, parts: OfferParts, signal: AbortSignal): Promise<PluginOffer> =>
  socket.via === 'registrar' ? askRegistrar(socket, parts, signal) : askAssumedDriver(socket, parts, signal)

async function askRegistrar({ path }: Sighting, parts: OfferParts, signal: AbortSignal): Promise<PluginOffer> {
  using registrar = callRegistrar(path, parts)
  const info = await registrar.getInfo(signal)
  const checked = checkPluginInfo(info)
  if ('problem' in checked) return await tellRefusal(registrar, checked.problem, parts, signal)
  const wishes = await registrar.getWishes(signal)
  if (info.endpoint !== '' && wishes.endpoint !== '' && info.endpoint !== wishes.endpoint) {
    parts.log.warn('the registrar names two endpoints: the first is used', {
      path,
      endpoint: info.endpoint,
      other: wishes.endpoint,
    })
  }
  const endpoint = await checkEndpoint(
    parts.files,
    checked.name,
    info.endpoint || wishes.endpoint || path,
    parts.endpointDirectories,
  )
  if ('problem' in endpoint) return await tellRefusal(registrar, endpoint.problem, parts, signal)
  return {
    ...checked,
    endpoint: endpoint.path,
    requiresPublishPod: wishes.requiresPublishPod,
    isFlagOpen: wishes.isOpen,
  }
}

/** From before there were registrars: a socket in a directory that is named after its driver. */
async function askAssumedDriver(
  { path }: Sighting,
  { connectDriver }: OfferParts,
  signal: AbortSignal,
): Promise<PluginOffer> {
  const directory = basename(dirname(path))
  const { driver, connection } = connectDriver(path)
  try {
    const { name } = await driver.getPluginInfo({}, { signal })
    const [wrong] = validateCsiDriverName(name)
    if (wrong !== undefined) throw new PluginRefusal(REASONS.badName(name, wrong))
    if (name !== directory) throw new PluginRefusal(REASONS.otherDirectory(name, directory))
    return { name, endpoint: path, version: [1, 0], requiresPublishPod: false, isFlagOpen: false }
  } finally {
    connection.close()
  }
}

/** Tells the registrar, if there is one, and throws the refusal. */
export async function refusePlugin(
  { via, path }: Sighting,
  reason: Reason,
  parts: OfferParts,
  signal: AbortSignal,
): Promise<never> {
  using registrar = via === 'registrar' ? callRegistrar(path, parts) : undefined
  return await tellRefusal(registrar, reason, parts, signal)
}

async function tellRefusal(
  registrar: RegistrarCall | undefined,
  reason: Reason,
  { log }: OfferParts,
  signal: AbortSignal,
): Promise<never> {
  try {
    await registrar?.notify({ pluginRegistered: false, error: formatReason(reason) }, signal)
  } catch (error) {
    signal.throwIfAborted()
    // A registrar of today ends when it hears this, often before it has answered.
    log.debug('the registrar did not take the refusal', { error })
  }
  throw new PluginRefusal(reason)
}
