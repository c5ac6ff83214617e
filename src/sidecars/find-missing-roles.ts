import { PluginService as Service } from '../csi/index.ts'
import type { DriverFacts } from './discover-driver.ts'

/** A role that a driver could have and this version does not include. */
export type MissingRole = { readonly role: string; readonly because: string }

type Wish = { readonly role: string; readonly capability: string; readonly isAbleTo: (facts: DriverFacts) => boolean }

const MISSING: readonly Wish[] = [
  {
    role: 'snapshot metadata',
    capability: 'SNAPSHOT_METADATA_SERVICE',
    isAbleTo: ({ services }) => services.has(Service.SNAPSHOT_METADATA_SERVICE),
  },
]

/** The capabilities of the driver that no role here uses. */
export function findMissingRoles(facts: DriverFacts): MissingRole[] {
  const able = MISSING.filter(({ isAbleTo }) => isAbleTo(facts))
  const byRole = Map.groupBy(able, ({ role }) => role)
  return Array.from(byRole, ([role, found]) => ({
    role,
    because: `the driver can ${found.map(({ capability }) => capability).join(' and ')}`,
  }))
}
