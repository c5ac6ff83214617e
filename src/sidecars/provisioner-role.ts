import { createUuid } from '../base/random.ts'
import type { Random } from '../base/random.ts'
import { ControllerServiceCapability_RPC_Type as Capability } from '../csi/generated/csi/v1/csi.ts'
import { fenceApi } from '../kube/process/fence-api.ts'
import { startProvisioner } from './provisioner/index.ts'
import type { ProvisionerConfig, ProvisionerPlace } from './provisioner/index.ts'
import type { RoleDefinition } from './role.ts'

/** The external provisioner. On the nodes themselves each instance has its own claims, so there is nothing to elect. */
export function provisionerRole(config: ProvisionerConfig, place: ProvisionerPlace, random: Random): RoleDefinition {
  const instance = createUuid(random)
  return {
    name: 'provisioner',
    component: (driver) => `${driver}_${place.hostname}_${instance}`,
    leaseName: (driver) => (config.nodeDeployment ? undefined : driver),
    start: (parts, signal) => {
      // The API of the role is closed when its time is over; this one comes from outside.
      const capacity = place.capacityApi ? { capacityApi: fenceApi(place.capacityApi, signal) } : {}
      return startProvisioner(config, { ...parts, place: { ...place, ...capacity } }, signal)
    },
  }
}

/** Left out for a driver that can't make volumes: for a process that is told about the driver alone and not about each role. */
export const ifVolumesCanBeMade = (role: RoleDefinition): RoleDefinition => ({
  ...role,
  notNeeded: ({ controller }) =>
    controller.has(Capability.CREATE_DELETE_VOLUME) ? undefined : "the driver can't CREATE_DELETE_VOLUME",
})
