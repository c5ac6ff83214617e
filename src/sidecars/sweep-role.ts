import type { RoleDefinition } from './role.ts'
import { startSweep } from './sweep/index.ts'
import type { SweepConfig, SweepPlace } from './sweep/index.ts'

/** Reports what only the driver or only the cluster knows, and deletes what is proved to be a leak of this cluster, if enabled. */
export const sweepRole = (config: SweepConfig, place: SweepPlace): RoleDefinition => ({
  name: 'sweep',
  component: (driver) => `holdfast-sweep ${driver}`,
  leaseName: (driver) => `holdfast-sweep-leader-${driver}`,
  start: (parts, signal) => startSweep(place)(config, parts, signal),
})
