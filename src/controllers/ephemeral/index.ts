export { startEphemeral } from './start-ephemeral.ts'
export { ephemeralOptions } from './ephemeral-options.ts'
export type { EphemeralConfig } from './ephemeral-options.ts'
