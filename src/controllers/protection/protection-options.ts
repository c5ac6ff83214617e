import { count } from '../../base/options/index.ts'
import type { ConfigOf, OptionTable } from '../../base/options/index.ts'

/** The flags of the protection of claims and volumes. */
export const protectionOptions = {
  workers: count(10, 'Claims worked on at the same time, and as many volumes.', { minimum: 1 }),
} satisfies OptionTable

export type ProtectionConfig = ConfigOf<typeof protectionOptions>
