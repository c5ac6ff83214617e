import { SIDECAR_LEASES } from '../storage/sidecar-leases.ts'
import { createUuid } from '../base/random.ts'
import type { Random } from '../base/random.ts'
import { ControllerServiceCapability_RPC_Type as Capability } from '../csi/generated/csi/v1/csi.ts'
import { fenceApi } from '../kube/process/fence-api.ts'
import { startProvisioner } from './provisioner/index.ts'
import type { ProvisionerConfig, ProvisionerPlace } from './provisioner/index.ts'
import type { RoleDefinition } from './role.ts'

/** The external provisioner. With an instance on each node, each one has its own claims, so there is no election. */
export function provisionerRole(config: ProvisionerConfig, place: ProvisionerPlace, random: Random): RoleDefinition {
  const instance = createUuid(random)
  return {
    name: 'provisioner',
    component: (driver) => `${driver}_${place.hostname}_${instance}`,
    leaseName: (driver) => (config.nodeDeployment ? undefined : SIDECAR_LEASES.provisioner(driver)),
    start: (parts, signal) => {
      // The API of the role is closed when the role ends; this one comes from outside.
      const capacity = place.capacityApi ? { capacityApi: fenceApi(place.capacityApi, signal) } : {}
      return startProvisioner(config, { ...parts, place: { ...place, ...capacity } }, signal)
    },
  }
}

/** Omitted for a driver that cannot create volumes: for a process that is configured with a driver, not with individual roles. */
export const ifVolumesCanBeMade = (role: RoleDefinition): RoleDefinition => ({
  ...role,
  notNeeded: ({ controller }) =>
    controller.has(Capability.CREATE_DELETE_VOLUME) ? undefined : 'does not announce CREATE_DELETE_VOLUME',
})
