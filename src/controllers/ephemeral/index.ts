export { startEphemeral } from './start-ephemeral.ts'
export { ephemeralOptions } from './ephemeral-options.ts'
