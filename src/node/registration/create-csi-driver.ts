import { isAlreadyExists } from '../../api/api-error.ts'
import type { Api } from '../../api/api.ts'
import { CSI_DRIVERS } from '../../api/kinds/csi-driver.ts'
import {
  ControllerServiceCapability_RPC_Type as Capability,
  PluginCapability_Service_Type as Service,
} from '../../csi/generated/csi/v1/csi.ts'
import type { Driver } from '../../csi/rpc.ts'

const TIMEOUT_MS = 15_000

/** Creates the object of a driver that has none. Leaves an existing one alone: nodes must not disagree about it. */
export async function createCsiDriver(
  name: string,
  driver: Driver,
  api: Api,
  signal: AbortSignal,
): Promise<'created' | 'exists'> {
  const attachRequired = await findAttachRequired(driver, { timeoutMs: TIMEOUT_MS, signal })
  const spec = attachRequired === undefined ? {} : { attachRequired }
  try {
    await api.create(CSI_DRIVERS, { apiVersion: 'storage.k8s.io/v1', kind: 'CSIDriver', metadata: { name }, spec })
    return 'created'
  } catch (error) {
    if (isAlreadyExists(error)) return 'exists'
    throw error
  }
}

/** Undefined if this part of the driver can't tell: its controller may run elsewhere, and the default is to attach. */
async function findAttachRequired(
  driver: Driver,
  options: { timeoutMs: number; signal: AbortSignal },
): Promise<boolean | undefined> {
  const { capabilities } = await driver.getPluginCapabilities({}, options)
  if (!capabilities.some(({ type }) => type?.$case === 'service' && type.value.type === Service.CONTROLLER_SERVICE))
    return undefined
  const controller = await driver.controllerGetCapabilities({}, options)
  return controller.capabilities.some(({ type }) => type?.value.type === Capability.PUBLISH_UNPUBLISH_VOLUME)
}
