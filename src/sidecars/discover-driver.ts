import { requireCsiDriverName } from '../api/csi-driver-name.ts'
import { sleep } from '../base/clock.ts'
import type { CallOptions } from '../csi/call-options.ts'
import { isCsiError } from '../csi/csi-error.ts'
import { ControllerCapability, NodeCapability, PluginService } from '../csi/index.ts'
import type { GroupControllerCapability } from '../csi/index.ts'
import type { Driver } from '../csi/rpc.ts'
import type { RoleWorld } from '../kube/process/role-world.ts'

/** The driver's name, version and capabilities. Valid for one connection: a restarted driver is asked again. */
export type DriverFacts = {
  readonly name: string
  readonly version: string
  readonly services: ReadonlySet<PluginService>
  readonly controller: ReadonlySet<ControllerCapability>
  readonly group: ReadonlySet<GroupControllerCapability>
  /** The driver cannot expand volumes on the controller, but on the node. */
  readonly expandsOnNodeOnly: boolean
}

const PROBE_INTERVAL_MS = 1000

type DiscoverParts = Pick<RoleWorld, 'clock' | 'log'> & {
  /** The socket of the driver, for messages. */
  path: string
  timeoutMs: number
  signal?: AbortSignal
  /** Called each time that the driver is not ready. */
  onNotReady?(detail: string): Promise<void>
}
type Options = Pick<DiscoverParts, 'timeoutMs' | 'signal'>

/** Waits until the driver is ready, then queries its capabilities. Fails if the driver answers with an error, or has an invalid name. */
export async function discoverDriver(driver: Driver, parts: DiscoverParts): Promise<DriverFacts> {
  const { clock, log, path, timeoutMs, signal } = parts
  const options = { timeoutMs, ...(signal ? { signal } : {}) }
  for (;;) {
    const detail = await findUnready(driver, options)
    if (detail === undefined) break
    log.info('the driver is not ready yet', { detail })
    await parts.onNotReady?.(detail)
    await sleep(clock, PROBE_INTERVAL_MS, signal)
  }
  const { name, version } = await readDriverInfo(driver, path, options)
  const plugin = await driver.getPluginCapabilities({}, options)
  const services = new Set(
    plugin.capabilities.flatMap(({ type }) => (type?.$case === 'service' ? [type.value.type] : [])),
  )
  const hasController = services.has(PluginService.CONTROLLER_SERVICE)
  const hasGroup = services.has(PluginService.GROUP_CONTROLLER_SERVICE)
  const controller = hasController ? (await driver.controllerGetCapabilities({}, options)).capabilities : []
  const group = hasGroup ? (await driver.groupControllerGetCapabilities({}, options)).capabilities : []
  const controllerRpcs = new Set(controller.flatMap(({ type }) => (type ? [type.value.type] : [])))
  return {
    name,
    version,
    services,
    controller: controllerRpcs,
    group: new Set(group.flatMap(({ type }) => (type ? [type.value.type] : []))),
    expandsOnNodeOnly:
      hasController &&
      !controllerRpcs.has(ControllerCapability.EXPAND_VOLUME) &&
      (await expandsOnNode(driver, options)),
  }
}

/** False for a driver without a node service on this socket. */
async function expandsOnNode(driver: Driver, options: Options): Promise<boolean> {
  try {
    const { capabilities } = await driver.nodeGetCapabilities({}, options)
    return capabilities.some(({ type }) => type?.$case === 'rpc' && type.value.type === NodeCapability.EXPAND_VOLUME)
  } catch (error) {
    if (isCsiError(error, 'UNIMPLEMENTED')) return false
    throw error
  }
}

/** Why the driver is not ready. Absent counts as ready; a driver that takes too long is not ready yet; any other error is final. */
async function findUnready(driver: Driver, options: Options): Promise<string | undefined> {
  try {
    return ((await driver.probe({}, options)).ready ?? true) ? undefined : 'Probe answers ready=false'
  } catch (error) {
    if (isCsiError(error, 'DEADLINE_EXCEEDED')) return `Probe does not answer within ${options.timeoutMs / 1000} s`
    throw error
  }
}

/** Name and version of a driver. Every sidecar asks here, so that none works for a driver whose name is invalid. */
export async function readDriverInfo(
  driver: Driver,
  socket: string,
  options: CallOptions,
): Promise<{ name: string; version: string }> {
  const { name, vendorVersion } = await driver.getPluginInfo({}, options)
  return { name: requireCsiDriverName(name, socket), version: vendorVersion }
}
