import { SIDECAR_LEASES } from '../storage/sidecar-leases.ts'
import { componentOf, findHealthCalls, startHealthMonitor } from './health-monitor/index.ts'
import type { HealthMonitorConfig } from './health-monitor/index.ts'
import type { RoleDefinition } from './role.ts'

/** The external health monitor. */
export const healthMonitorRole = (config: HealthMonitorConfig): RoleDefinition => ({
  name: 'health-monitor',
  component: componentOf,
  leaseName: SIDECAR_LEASES['health-monitor'],
  notNeeded: ({ controller }) =>
    findHealthCalls(controller)
      ? undefined
      : 'announces neither LIST_VOLUME_HEALTH nor GET_VOLUME_HEALTH, nor VOLUME_CONDITION with LIST_VOLUMES or GET_VOLUME',
  start: (parts, signal) => startHealthMonitor(config, parts, signal),
})
