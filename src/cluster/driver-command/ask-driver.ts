import { validateCsiDriverName } from '../../api/csi-driver-name.ts'
import { ControllerCapability, isCsiError, PluginService } from '../../csi/index.ts'
import type { Driver } from '../../csi/index.ts'
import type { DriverAnswer } from './diagnose-driver.ts'

const TIMEOUT_MS = 2000

/** Asks a driver who it is, whether it is ready, and what it can do. */
export async function askDriver(driver: Driver): Promise<DriverAnswer> {
  const options = { timeoutMs: TIMEOUT_MS }
  let name: string
  try {
    ;({ name } = await driver.getPluginInfo({}, options))
  } catch (error) {
    const detail = detailOf(error)
    return { kind: isCsiError(error, 'UNIMPLEMENTED') ? 'no-driver' : 'silent', detail }
  }
  const [problem] = validateCsiDriverName(name)
  if (problem !== undefined) return { kind: 'invalid-name', detail: problem }
  try {
    const { ready } = await driver.probe({}, options)
    if (ready === false) return { kind: 'not-ready', name, detail: 'Probe answers ready=false' }
    return { kind: 'ready', name, missing: await findMissing(driver, options) }
  } catch (error) {
    return { kind: 'not-ready', name, detail: detailOf(error) }
  }
}

/** What keeps claims from getting volumes, and pods from getting them mounted. */
async function findMissing(driver: Driver, options: { timeoutMs: number }): Promise<string[]> {
  const { capabilities } = await driver.getPluginCapabilities({}, options)
  const hasController = capabilities.some(
    ({ type }) => type?.$case === 'service' && type.value.type === PluginService.CONTROLLER_SERVICE,
  )
  const rpcs = hasController ? (await driver.controllerGetCapabilities({}, options)).capabilities : []
  const creates = rpcs.some(({ type }) => type?.value.type === ControllerCapability.CREATE_DELETE_VOLUME)
  const noNode = await driver.nodeGetInfo({}, options).then(
    ({ nodeId }) => (nodeId === '' ? 'returns no node_id in NodeGetInfo, so no node can register it' : undefined),
    (error: unknown) => `fails NodeGetInfo (${detailOf(error)}), so no node can register it`,
  )
  return [
    ...(noNode === undefined ? [] : [noNode]),
    ...(hasController ? [] : ['does not announce CONTROLLER_SERVICE, so claims get no volume']),
    ...(hasController && !creates ? ['does not announce CREATE_DELETE_VOLUME, so claims get no volume'] : []),
  ]
}

const detailOf = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).replace(/\. Check that the driver is running\.$/, '')
