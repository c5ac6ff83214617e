import { basename, dirname } from 'node:path'
import { validateCsiDriverName } from '../../api/csi-driver-name.ts'
import { formatReason } from '../../api/reason.ts'
import { callRegistrar } from './ask-registrar.ts'
import type { RegistrarCall } from './ask-registrar.ts'
import { checkEndpoint } from './check-endpoint.ts'
import { checkPluginInfo } from './plugin-offer.ts'
import type { PluginOffer } from './plugin-offer.ts'
import { PluginRefusal } from './plugin-refusal.ts'
import type { PluginFailure } from './plugin-refusal.ts'
import { REASONS } from './reasons.ts'
import type { RegistrationRole } from './registration-parts.ts'
import type { Sighting } from './scan-registry.ts'

/** What a socket offers, according to its registrar or to the driver itself. */
export const askOffer = (socket: Sighting, parts: RegistrationRole, signal: AbortSignal): Promise<PluginOffer> =>
  socket.via === 'registrar' ? askRegistrar(socket, parts, signal) : askAssumedDriver(socket, parts, signal)

async function askRegistrar({ path }: Sighting, parts: RegistrationRole, signal: AbortSignal): Promise<PluginOffer> {
  using registrar = callRegistrar(path, parts)
  const info = await registrar.getInfo(signal)
  const checked = checkPluginInfo(info)
  if ('problem' in checked) return await tellRefusal(registrar, { reason: checked.problem }, parts, signal)
  const wishes = await registrar.getWishes(signal)
  if (info.endpoint !== '' && wishes.endpoint !== '' && info.endpoint !== wishes.endpoint) {
    parts.log.warn('the registrar returns two different endpoints: using the first', {
      path,
      endpoint: info.endpoint,
      other: wishes.endpoint,
    })
  }
  const endpoint = await checkEndpoint(parts.host.files, checked.name, info.endpoint || wishes.endpoint || path, [
    parts.rootDir,
    ...parts.config.endpointDirectories,
  ])
  if ('problem' in endpoint) return await tellRefusal(registrar, { reason: endpoint.problem }, parts, signal)
  return {
    ...checked,
    endpoint: endpoint.path,
    requiresPublishPod: wishes.requiresPublishPod,
    isFlagOpen: wishes.isOpen,
  }
}

/** A socket in a directory that is named after its driver, as it was before there were registrars. */
async function askAssumedDriver(
  { path }: Sighting,
  { connectDriver }: RegistrationRole,
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
  failure: PluginFailure,
  parts: RegistrationRole,
  signal: AbortSignal,
): Promise<never> {
  using registrar = via === 'registrar' ? callRegistrar(path, parts) : undefined
  return await tellRefusal(registrar, failure, parts, signal)
}

async function tellRefusal(
  registrar: RegistrarCall | undefined,
  { reason, ...rest }: PluginFailure,
  { log }: RegistrationRole,
  signal: AbortSignal,
): Promise<never> {
  try {
    await registrar?.notify({ pluginRegistered: false, error: formatReason(reason) }, signal)
  } catch (error) {
    signal.throwIfAborted()
    // Today's registrars exit on a refusal, often before they have answered.
    log.debug('failed to notify the registrar of the refusal', { error })
  }
  throw new PluginRefusal(reason, rest)
}
