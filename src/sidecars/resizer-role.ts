import { SIDECAR_LEASES } from '../storage/sidecar-leases.ts'
import { ControllerServiceCapability_RPC_Type as Capability } from '../csi/generated/csi/v1/csi.ts'
import { startResizer } from './resizer/index.ts'
import type { ResizerConfig } from './resizer/index.ts'
import type { RoleDefinition } from './role.ts'

/** The external resizer. */
export const resizerRole = (config: ResizerConfig): RoleDefinition => ({
  name: 'resizer',
  component: (driver) => `external-resizer ${driver}`,
  leaseName: SIDECAR_LEASES.resizer,
  notNeeded: ({ controller, expandsOnNodeOnly }) =>
    expandsOnNodeOnly || controller.has(Capability.EXPAND_VOLUME) || controller.has(Capability.MODIFY_VOLUME)
      ? undefined
      : 'announces neither EXPAND_VOLUME nor MODIFY_VOLUME',
  start: (parts, signal) => startResizer(config, parts, signal),
})
