import { PluginCapability_Service_Type as Service } from '../csi/generated/csi/v1/csi.ts'
import { startResizer } from './resizer/index.ts'
import type { ResizerConfig } from './resizer/index.ts'
import type { RoleDefinition } from './role.ts'

/** The external resizer. Whether a driver without EXPAND_VOLUME leaves expansion to the node is found out when it starts. */
export const resizerRole = (config: ResizerConfig): RoleDefinition => ({
  name: 'resizer',
  component: (driver) => `external-resizer ${driver}`,
  leaseName: (driver) => `external-resizer-${driver}`,
  notNeeded: ({ services }) =>
    services.has(Service.CONTROLLER_SERVICE) ? undefined : 'the driver has no CONTROLLER_SERVICE',
  start: (parts, signal) => startResizer(config, parts, signal),
})
