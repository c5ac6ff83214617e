import { count } from '../../base/options/index.ts'
import type { ConfigOf, OptionTable } from '../../base/options/index.ts'

/** The flags of the controller for generic ephemeral volumes. */
export const ephemeralOptions = {
  workers: count(10, 'Number of pods to process concurrently.', { minimum: 1 }),
} satisfies OptionTable

export type EphemeralConfig = ConfigOf<typeof ephemeralOptions>
