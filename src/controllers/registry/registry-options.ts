import { duration, flag } from '../../base/options/index.ts'
import type { ConfigOf, OptionTable } from '../../base/options/index.ts'
import type { DriverGates } from '../../api/driver-gates.ts'

/** The flags of the registry. */
export const registryOptions = {
  crdCheckMs: duration(
    '10m',
    'Time between two looks at whether the definitions of CSIDriver and CSINodeInfo are still installed.',
    { minimum: '1s' },
  ),
  statusIntervalMs: duration(
    '5s',
    'Shortest time between two writes of the number of nodes that a driver is registered on.',
  ),
  nodeAccess: flag(
    false,
    'Let nodes write their own CSINodeInfo. For servers other than that of Holdfast, which allows it by itself.',
  ),
} satisfies OptionTable

export type RegistryConfig = ConfigOf<typeof registryOptions> & {
  /** Left out: all on. */
  readonly gates?: DriverGates
}
