import { startHeal } from './heal/index.ts'
import type { HealConfig } from './heal/index.ts'
import type { RoleDefinition } from './role.ts'

/** Detaches what `holdfast heal` has asked for. */
export const healRole = (config: HealConfig): RoleDefinition => ({
  name: 'heal',
  component: (driver) => `holdfast-heal ${driver}`,
  leaseName: (driver) => `holdfast-heal-leader-${driver}`,
  start: (parts, signal) => startHeal(config, parts, signal),
})
