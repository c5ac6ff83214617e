import { Gauge } from 'prom-client'
import type { Registry } from 'prom-client'
import type { PodVolumeStats } from './volume-stats.ts'

type Read = (stats: PodVolumeStats) => bigint | undefined

// Names, labels and help texts of the kubelet.
const GAUGES: readonly (readonly [name: string, help: string, read: Read])[] = [
  ['capacity_bytes', 'Capacity in bytes of the volume', ({ usage }) => usage?.capacityBytes],
  ['available_bytes', 'Number of available bytes in the volume', ({ usage }) => usage?.availableBytes],
  ['used_bytes', 'Number of used bytes in the volume', ({ usage }) => usage?.usedBytes],
  ['inodes', 'Maximum number of inodes in the volume', ({ usage }) => usage?.inodes],
  ['inodes_free', 'Number of free inodes in the volume', ({ usage }) => usage?.inodesFree],
  ['inodes_used', 'Number of used inodes in the volume', ({ usage }) => usage?.inodesUsed],
  [
    'health_status_abnormal',
    'Abnormal volume health status. The count is either 1 or 0. 1 indicates the volume is unhealthy, 0 indicates volume is healthy',
    ({ problem }) => (problem === undefined ? undefined : problem === '' ? 0n : 1n),
  ],
]

/** Serves the stats of volumes with a claim, as the kubelet does. `list` is called for each scrape. */
export function registerVolumeMetrics(registry: Registry, list: () => readonly PodVolumeStats[]): void {
  for (const [name, help, read] of GAUGES)
    new Gauge({
      name: `kubelet_volume_stats_${name}`,
      help: `[ALPHA] ${help}`,
      labelNames: ['namespace', 'persistentvolumeclaim'],
      registers: [registry],
      collect() {
        this.reset()
        for (const stats of list()) {
          const value = read(stats)
          if (value === undefined || stats.claimName === undefined) continue
          this.set({ namespace: stats.pod.namespace, persistentvolumeclaim: stats.claimName }, Number(value))
        }
      },
    })
}
