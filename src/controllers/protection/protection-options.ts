import { count } from '../../base/options/index.ts'
import type { ConfigOf, OptionTable } from '../../base/options/index.ts'

/** The flags of the protection of claims and volumes. */
export const protectionOptions = {
  // Claims that leave together share one look at the pods: the more of them may wait for it, the fewer looks it takes.
  workers: count(100, 'Number of claims, and number of volumes, to process concurrently.', { minimum: 1 }),
} satisfies OptionTable

export type ProtectionConfig = ConfigOf<typeof protectionOptions>
