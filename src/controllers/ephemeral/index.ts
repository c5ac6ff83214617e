export { ephemeralOptions, startEphemeral } from './start-ephemeral.ts'
