import { formatTimestamp } from '../../api/timestamps.ts'
import type { PodVolumeStats } from './volume-stats.ts'

/** The part of the kubelet's `/stats/summary` that is about volumes. */
export type StatsSummary = {
  readonly node: { readonly nodeName: string }
  readonly pods: readonly {
    readonly podRef: { readonly name: string; readonly namespace: string; readonly uid: string }
    readonly volume: readonly VolumeSummary[]
  }[]
}

export type VolumeSummary = {
  readonly name: string
  readonly time: string
  readonly pvcRef?: { readonly name: string; readonly namespace: string }
  readonly capacityBytes?: number
  readonly availableBytes?: number
  readonly usedBytes?: number
  readonly inodes?: number
  readonly inodesFree?: number
  readonly inodesUsed?: number
  readonly volumeHealthStats?: { readonly abnormal: boolean }
}

export function summarizeStats(nodeName: string, stats: readonly PodVolumeStats[]): StatsSummary {
  const pods = Map.groupBy(stats, ({ pod }) => pod.uid)
  return {
    node: { nodeName },
    pods: [...pods.values()].map((volumes) => {
      const { name = '', namespace = '', uid = '' } = volumes[0]?.pod ?? {}
      return { podRef: { name, namespace, uid }, volume: volumes.map(summarizeVolume) }
    }),
  }
}

function summarizeVolume({ pod, volumeName, claimName, timeMs, usage, problem }: PodVolumeStats): VolumeSummary {
  const numbers = Object.entries(usage ?? {}).map(([name, count]) => [name, Number(count)])
  return {
    name: volumeName,
    time: formatTimestamp(timeMs),
    ...(claimName === undefined ? {} : { pvcRef: { name: claimName, namespace: pod.namespace } }),
    ...Object.fromEntries(numbers),
    ...(problem === undefined ? {} : { volumeHealthStats: { abnormal: problem !== '' } }),
  }
}
