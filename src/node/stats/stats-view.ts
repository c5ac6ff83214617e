import type { Pod } from '../../api/kinds/pod.ts'
import type { Pass, WaitStep } from '../../kube/controller/index.ts'
import { claimNameOf } from '../../storage/pod-claims.ts'
import type { Capabilities, VolumeContext } from '../volumes/volume-context.ts'
import type { Mount } from '../volumes/volume-table.ts'
import type { PodVolumeStats, VolumeStats } from './volume-stats.ts'

/** One volume of one pod, as far as its stats are concerned. */
export type StatsView = {
  readonly isMounted: boolean
  readonly isRegistered: boolean
  /** Undefined until the driver was asked. */
  readonly capabilities?: Capabilities | undefined
  readonly nowMs: number
  /** When to ask the driver. Undefined: not decided yet. */
  readonly dueAtMs?: number | undefined
}

export type StatsStep =
  | WaitStep
  /** Decide when to ask for the first time. */
  | { readonly kind: 'plan' }
  | { readonly kind: 'probe' }
  | { readonly kind: 'measure'; readonly withUsage: boolean; readonly withHealth: boolean }

export type StatsRecord = {
  dueAtMs?: number
  stats?: VolumeStats | undefined
  /** That was logged last. */
  problem?: string | undefined
}

/** Stats by the key of the mount. */
export type StatsStore = Map<string, StatsRecord>

export type StatsPassView = StatsView & { readonly mount: Mount; readonly pod: Pod | undefined }
export type StatsPass = Pass<StatsPassView>

export function readStatsView(
  { clock, table, drivers, findPod }: VolumeContext,
  store: StatsStore,
  key: string,
): StatsPassView | undefined {
  const mount = table.mounts.get(key)
  return (
    mount && {
      mount,
      pod: findPod(mount.podUid),
      isMounted: mount.state === 'mounted',
      isRegistered: drivers.isRegistered(mount.driver),
      capabilities: drivers.capabilities(mount.driver),
      nowMs: clock.monotonicMs(),
      dueAtMs: store.get(key)?.dueAtMs,
    }
  )
}

/** The stats of everything that is mounted. */
export function listStats({ table, findPod }: VolumeContext, store: StatsStore): PodVolumeStats[] {
  return [...store].flatMap(([key, { stats }]): PodVolumeStats[] => {
    const mount = table.mounts.get(key)
    const pod = mount?.state === 'mounted' ? findPod(mount.podUid) : undefined
    if (!mount || !pod || !stats) return []
    const { namespace = '', name = '', uid = '' } = pod.metadata
    const volume = pod.spec.volumes?.find((each) => each.name === mount.podVolumeName)
    const claimName = volume && claimNameOf(pod, volume)
    return [{ ...stats, pod: { namespace, name, uid }, volumeName: mount.podVolumeName, claimName }]
  })
}
