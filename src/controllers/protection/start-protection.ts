import { startControllers } from '../../kube/controller/index.ts'
import type { StartClusterController } from '../cluster-controller.ts'
import { defineClaimProtection } from './claim-protection.ts'
import type { ProtectionConfig } from './protection-options.ts'
import { defineVolumeProtection } from './volume-protection.ts'

/** Keeps claims that pods use, and volumes that claims use, from being deleted. */
export const startProtection: StartClusterController<ProtectionConfig> = (config, world, signal) =>
  startControllers(world, signal, (role) => [defineClaimProtection(config, role), defineVolumeProtection(config, role)])
