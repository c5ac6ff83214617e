export { registryOptions } from './registry-options.ts'
export type { RegistryConfig } from './registry-options.ts'
export { startRegistry } from './start-registry.ts'
export { REGISTRY_RIGHTS } from './rights.ts'
