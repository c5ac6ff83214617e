import { count } from '../../base/options/index.ts'
import type { ConfigOf, OptionTable } from '../../base/options/index.ts'

/** The flags of whoever makes the claims of generic ephemeral volumes. */
export const ephemeralOptions = {
  workers: count(10, 'Pods worked on at the same time.', { minimum: 1 }),
} satisfies OptionTable

export type EphemeralConfig = ConfigOf<typeof ephemeralOptions>
