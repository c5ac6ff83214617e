export { startExpansion } from './start-expansion.ts'
export { expansionOptions } from './expansion-options.ts'
export type { ExpansionConfig } from './expansion-options.ts'
