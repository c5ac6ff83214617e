import {
  ControllerServiceCapability_RPC_Type as Capability,
  GroupControllerServiceCapability_RPC_Type as GroupCapability,
  PluginCapability_Service_Type as Service,
} from '../csi/generated/csi/v1/csi.ts'
import type { DriverFacts } from './discover-driver.ts'

/** A role that a driver could have and this version has not. */
export type MissingRole = { readonly role: string; readonly because: string }

const MISSING: readonly { role: string; capability: string; isAbleTo(facts: DriverFacts): boolean }[] = [
  {
    role: 'resizer',
    capability: 'EXPAND_VOLUME',
    isAbleTo: ({ controller }) => controller.has(Capability.EXPAND_VOLUME),
  },
  {
    role: 'resizer',
    capability: 'MODIFY_VOLUME',
    isAbleTo: ({ controller }) => controller.has(Capability.MODIFY_VOLUME),
  },
  {
    role: 'snapshotter',
    capability: 'CREATE_DELETE_SNAPSHOT',
    isAbleTo: ({ controller }) => controller.has(Capability.CREATE_DELETE_SNAPSHOT),
  },
  {
    role: 'group snapshots',
    capability: 'CREATE_DELETE_GET_VOLUME_GROUP_SNAPSHOT',
    isAbleTo: ({ group }) => group.has(GroupCapability.CREATE_DELETE_GET_VOLUME_GROUP_SNAPSHOT),
  },
  {
    role: 'health monitor',
    capability: 'VOLUME_CONDITION',
    isAbleTo: ({ controller }) => controller.has(Capability.VOLUME_CONDITION),
  },
  {
    role: 'snapshot metadata',
    capability: 'SNAPSHOT_METADATA_SERVICE',
    isAbleTo: ({ services }) => services.has(Service.SNAPSHOT_METADATA_SERVICE),
  },
]

/** What the driver can do and nobody here asks of it. */
export function findMissingRoles(facts: DriverFacts): MissingRole[] {
  const able = MISSING.filter(({ isAbleTo }) => isAbleTo(facts))
  const byRole = Map.groupBy(able, ({ role }) => role)
  return Array.from(byRole, ([role, found]) => ({
    role,
    because: `the driver can ${found.map(({ capability }) => capability).join(' and ')}`,
  }))
}
