import { isAlreadyExists } from '../../api/api-error.ts'
import type { Api } from '../../api/api.ts'
import { CSI_DRIVERS } from '../../api/kinds/csi-driver.ts'
import type { CSIDriver } from '../../api/kinds/csi-driver.ts'
import type { Clock } from '../../base/clock.ts'
import {
  ControllerServiceCapability_RPC_Type as Capability,
  PluginCapability_Service_Type as Service,
} from '../../csi/generated/csi/v1/csi.ts'
import type { Driver } from '../../csi/rpc.ts'
import { within } from '../../kube/within.ts'

export type CreateCsiDriverParts = { api: Api; clock: Clock; timeoutMs: number }

/** Makes the object of a driver that has none. One that is there stays as it is: nodes must not disagree about it. */
export async function createCsiDriver(
  name: string,
  driver: Driver,
  { api, clock, timeoutMs }: CreateCsiDriverParts,
  signal: AbortSignal,
): Promise<'created' | 'exists'> {
  const attachRequired = await findAttachRequired(driver, { timeoutMs, signal })
  const object: CSIDriver = {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'CSIDriver',
    metadata: { name },
    spec: attachRequired === undefined ? {} : { attachRequired },
  }
  try {
    await within(clock, signal, (until) => api.create(CSI_DRIVERS, object, { signal: until }))
    return 'created'
  } catch (error) {
    if (isAlreadyExists(error)) return 'exists'
    throw error
  }
}

/** Undefined where this part of the driver can't tell: its controller may run elsewhere, and the default is to attach. */
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
