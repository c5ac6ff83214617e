export { startLiveness } from './start-liveness.ts'
export type { LivenessParts, RunningLiveness } from './start-liveness.ts'
export { checkLivenessConfig, livenessOptions } from './liveness-options.ts'
export type { LivenessConfig } from './liveness-options.ts'
