import { count, duration, flag } from '../../base/options/index.ts'
import type { ConfigOf, OptionTable } from '../../base/options/index.ts'

const hidden = { hidden: true } as const

/** The health monitor's own flags, as upstream has them; those of the process are separate. */
export const healthMonitorOptions = {
  timeoutMs: duration('15s', 'Timeout of each CSI call.'),
  workerThreads: count(10, 'Number of volumes to check concurrently if the driver cannot list their health.', {
    minimum: 1,
  }),
  listVolumesIntervalMs: duration('5m', 'Interval between lists of the health of all volumes.', { minimum: '1ms' }),
  monitorIntervalMs: duration('1m', 'Interval between checks of each volume if the driver cannot list their health.', {
    minimum: '1ms',
  }),
  enableNodeWatcher: flag(false, 'Report claims whose pods are on a failed node. Caches all pods of the cluster.'),
  volumeListAddIntervalMs: duration('5m', 'Accepted and not used: every change is followed.', hidden),
  nodeListAddIntervalMs: duration('5m', 'Accepted and not used: every change is followed.', hidden),
  resyncMs: duration('10m', 'Accepted and not used: every change is followed.', hidden),
} satisfies OptionTable

export type HealthMonitorConfig = ConfigOf<typeof healthMonitorOptions>
