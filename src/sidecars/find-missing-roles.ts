import { PluginService as Service } from '../csi/index.ts'
import type { DriverFacts } from './discover-driver.ts'

/** Roles that the driver could have and this version does not include. */
export const findMissingRoles = ({ services }: DriverFacts): { readonly role: string; readonly because: string }[] =>
  services.has(Service.SNAPSHOT_METADATA_SERVICE)
    ? [{ role: 'snapshot metadata', because: 'the driver can SNAPSHOT_METADATA_SERVICE' }]
    : []
