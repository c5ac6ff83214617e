export { startProvisioner } from './start-provisioner.ts'
export type { ProvisionerParts, ProvisionerPlace } from './start-provisioner.ts'
export { checkProvisionerConfig, provisionerOptions } from './provisioner-options.ts'
export type { ProvisionerConfig } from './provisioner-options.ts'
