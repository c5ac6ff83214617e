export { startNodeRegistrar } from './start-node-registrar.ts'
export type { NodeRegistrarOptions, NodeRegistrarParts, RunningNodeRegistrar } from './start-node-registrar.ts'
export { checkNodeRegistrarConfig, nodeRegistrarOptions } from './node-registrar-options.ts'
export type { NodeRegistrarConfig } from './node-registrar-options.ts'
