import { duration, flag } from '../../base/options/index.ts'
import type { ConfigOf, OptionTable } from '../../base/options/index.ts'
import type { DriverGates } from '../../api/driver-gates.ts'

export const registryOptions = {
  crdCheckMs: duration('10m', 'Interval between checks that the CRDs of CSIDriver and CSINodeInfo are installed.', {
    minimum: '1s',
  }),
  statusIntervalMs: duration(
    '5s',
    'Minimum interval between status updates with the number of nodes on which a driver is registered.',
  ),
  nodeAccess: flag(
    false,
    "Allow nodes to write their own CSINodeInfo. Needed only for API servers other than Holdfast's.",
  ),
} satisfies OptionTable

export type RegistryConfig = ConfigOf<typeof registryOptions> & {
  /** Default: all enabled. */
  readonly gates?: DriverGates
}
