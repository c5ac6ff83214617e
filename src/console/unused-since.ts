import type { PersistentVolumeClaim } from '../api/kinds/persistent-volume-claim.ts'
import type { PersistentVolume } from '../api/kinds/persistent-volume.ts'
import type { Pod } from '../api/kinds/pod.ts'
import { keyOf } from '../api/object-key.ts'
import { findTimestamp } from '../api/timestamps.ts'
import { isFinishedPod } from '../storage/pod-claims.ts'
import type { LifeRecorder } from './life/life-recorder.ts'

export type VolumeUse = {
  readonly claim: PersistentVolumeClaim | undefined
  readonly volume: PersistentVolume | undefined
  /** Of the claim. */
  readonly pods: readonly Pod[]
}

/** `unknown`: since before the console started. */
export type UnusedSince = { readonly kind: 'used' } | { readonly kind: 'unused'; readonly sinceMs: number | undefined }

/** The names of the pods that use the volume. */
export const usersOf = (pods: readonly Pod[]): string[] =>
  pods.filter((pod) => !isFinishedPod(pod)).map((pod) => pod.metadata.name ?? '')

/**
 * Since when no pod uses a volume. The Unused condition of the claim says so on clusters that have it; a volume without a claim has the time of its last
 * phase; otherwise the console knows only what it has seen.
 */
export function unusedSince({ claim, volume, pods }: VolumeUse, recorder: Pick<LifeRecorder, 'leftAtMs'>): UnusedSince {
  if (usersOf(pods).length > 0) return { kind: 'used' }
  const condition = claim?.status?.conditions?.find(({ type, status }) => type === 'Unused' && status === 'True')
  const isUnclaimed = volume?.status?.phase === 'Released' || volume?.status?.phase === 'Available'
  const sinceMs =
    findTimestamp(condition?.lastTransitionTime) ??
    (claim && recorder.leftAtMs(keyOf(claim))) ??
    (isUnclaimed ? findTimestamp(volume?.status?.lastPhaseTransitionTime) : undefined)
  return { kind: 'unused', sinceMs }
}
