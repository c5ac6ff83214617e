import {
  ControllerServiceCapability_RPC_Type as Capability,
  PluginCapability_Service_Type as Service,
} from '../csi/generated/csi/v1/csi.ts'
import type { DriverFacts } from './discover-driver.ts'

/** A role that a driver could have and this version does not include. */
export type MissingRole = { readonly role: string; readonly because: string }

type Wish = { readonly role: string; readonly capability: string; readonly isAbleTo: (facts: DriverFacts) => boolean }
const controllerCan = (role: string, capability: keyof typeof Capability): Wish => ({
  role,
  capability,
  isAbleTo: ({ controller }) => controller.has(Capability[capability]),
})

const MISSING: readonly Wish[] = [
  controllerCan('health monitor', 'VOLUME_CONDITION'),
  {
    role: 'snapshot metadata',
    capability: 'SNAPSHOT_METADATA_SERVICE',
    isAbleTo: ({ services }) => services.has(Service.SNAPSHOT_METADATA_SERVICE),
  },
]

/** What the driver can do and no role here uses. */
export function findMissingRoles(facts: DriverFacts): MissingRole[] {
  const able = MISSING.filter(({ isAbleTo }) => isAbleTo(facts))
  const byRole = Map.groupBy(able, ({ role }) => role)
  return Array.from(byRole, ([role, found]) => ({
    role,
    because: `the driver can ${found.map(({ capability }) => capability).join(' and ')}`,
  }))
}
