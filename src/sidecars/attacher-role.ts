import { SIDECAR_LEASES } from '../storage/sidecar-leases.ts'
import { startAttacher } from './attacher/index.ts'
import type { AttacherConfig } from './attacher/index.ts'
import type { RoleDefinition } from './role.ts'

/** The external attacher. Every driver has one: if the driver does not attach, it reports that there is nothing to attach. */
export const attacherRole = (config: AttacherConfig): RoleDefinition => ({
  name: 'attacher',
  component: (driver) => `external-attacher ${driver}`,
  leaseName: SIDECAR_LEASES.attacher,
  start: (parts, signal) => startAttacher(config, parts, signal),
})
