import type { ConfigOf, OptionTable } from '../../base/options/index.ts'

/** The flags of the expansion: there is nothing to choose. */
export const expansionOptions = {} satisfies OptionTable

export type ExpansionConfig = ConfigOf<typeof expansionOptions>
