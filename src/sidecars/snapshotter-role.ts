import { SIDECAR_LEASES } from '../storage/sidecar-leases.ts'
import { ControllerServiceCapability_RPC_Type as Capability } from '../csi/generated/csi/v1/csi.ts'
import type { RoleDefinition } from './role.ts'
import { startSnapshotter } from './snapshotter/index.ts'
import type { SnapshotterConfig } from './snapshotter/index.ts'

/** The external snapshotter. */
export const snapshotterRole = (config: SnapshotterConfig): RoleDefinition => ({
  name: 'snapshotter',
  component: (driver) => `csi-snapshotter ${driver}`,
  leaseName: (driver) => (config.nodeDeployment ? undefined : SIDECAR_LEASES.snapshotter(driver)),
  notNeeded: ({ controller }) =>
    controller.has(Capability.CREATE_DELETE_SNAPSHOT) ? undefined : 'does not announce CREATE_DELETE_SNAPSHOT',
  start: (parts, signal) => startSnapshotter(config, parts, signal),
})
