import { ignoreAlreadyExists } from '../../api/api-error.ts'
import { CSI_DRIVERS } from '../../api/kinds/csi-driver.ts'
import type { CSIDriver } from '../../api/kinds/csi-driver.ts'
import { formatReason } from '../../api/reason.ts'
import { withoutUndefined } from '../../base/without-undefined.ts'
import type { CallOptions } from '../../csi/call-options.ts'
import {
  ControllerServiceCapability_RPC_Type as Capability,
  PluginCapability_Service_Type as Service,
} from '../../csi/generated/csi/v1/csi.ts'
import type { Driver } from '../../csi/rpc.ts'
import { messageOf, REASONS } from './reasons.ts'
import type { RegistrationContext } from './registration-context.ts'
import type { Sighting } from './watch-registry.ts'

const NAME_TIMEOUT_MS = 5000
const CAPABILITIES_TIMEOUT_MS = 15_000

/** What follows once a driver is registered: its name is compared and, with the option, its CSIDriver object is created. */
export function createAfterRegistration({ api, config, follow, log, signal, store, notices }: RegistrationContext) {
  const csiDrivers = follow(CSI_DRIVERS, { isAwaited: false })

  /** Kubernetes never compares the two names, so a difference is only reported. */
  const compareNames = async (socket: Sighting): Promise<void> => {
    const registered = store.get(socket)
    if (!registered) return
    const { name, endpoint, driver } = registered
    const { name: reported } = await driver.getPluginInfo({}, { timeoutMs: NAME_TIMEOUT_MS, signal })
    const reason = REASONS.DriverNameMismatch(name, reported, endpoint)
    if (reported === name || !notices.isNews(socket.path, formatReason(reason))) return
    log.warn('a registered driver has another name', { path: socket.path, registered: name, reported })
    notices.report(reason, reason.code)
  }
  const onAnswered = (socket: Sighting): void =>
    void compareNames(socket).catch((error: unknown) => {
      if (!signal.aborted)
        log.debug('failed to read the name of the driver', { path: socket.path, error: messageOf(error) })
    })
  /** Creates the object of a driver that has none. Leaves an existing one alone: nodes must not disagree about it. */
  const provideCsiDriver = async (name: string): Promise<void> => {
    await csiDrivers.synced(signal)
    const registered = store.find(name)
    if (!registered || csiDrivers.get(name)) return
    const limits = { timeoutMs: CAPABILITIES_TIMEOUT_MS, signal }
    const spec = withoutUndefined({ attachRequired: await findAttachRequired(registered.driver, limits) })
    const object: CSIDriver = { apiVersion: 'storage.k8s.io/v1', kind: 'CSIDriver', metadata: { name }, spec }
    const created = await api.create(CSI_DRIVERS, object).catch(ignoreAlreadyExists)
    if (created) log.info('CSIDriver object created', { driver: name })
  }
  const onRegistered = (name: string, socket: Sighting): void => {
    notices.forget(socket.path)
    onAnswered(socket)
    if (!config.createCsiDrivers) return
    void provideCsiDriver(name).catch((error: unknown) => {
      if (signal.aborted) return
      log.warn('failed to create the CSIDriver object', { driver: name, error })
      notices.report(REASONS.CSIDriverNotMade(name, messageOf(error)))
    })
  }
  return { onAnswered, onRegistered }
}

/** Undefined if this part of the driver can't tell: its controller may run elsewhere, and the default is to attach. */
async function findAttachRequired(driver: Driver, options: CallOptions): Promise<boolean | undefined> {
  const { capabilities } = await driver.getPluginCapabilities({}, options)
  if (!capabilities.some(({ type }) => type?.$case === 'service' && type.value.type === Service.CONTROLLER_SERVICE))
    return undefined
  const controller = await driver.controllerGetCapabilities({}, options)
  return controller.capabilities.some(({ type }) => type?.value.type === Capability.PUBLISH_UNPUBLISH_VOLUME)
}
