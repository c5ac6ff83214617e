import type { PersistentVolumeClaim } from '../../api/kinds/persistent-volume-claim.ts'
import type { HealthView } from './health-view.ts'
import { REASONS } from './reasons.ts'
import type { HealthMonitorReason } from './reasons.ts'

export type HealthStep =
  | { readonly kind: 'wait'; readonly reason: HealthMonitorReason; readonly retryInMs?: number }
  /** Ask the driver about this volume. */
  | { readonly kind: 'ask'; readonly handle: string }
  | { readonly kind: 'tell-abnormal'; readonly claim: PersistentVolumeClaim; readonly message: string }
  | { readonly kind: 'tell-normal'; readonly claim: PersistentVolumeClaim }

// API servers delete events after an hour by default. A lasting condition must not disappear from the claim.
const REPEAT_AFTER_MS = 30 * 60_000

/** What to do about the health of one volume. */
export function nextHealthStep({ seen: { volume, claim }, held }: HealthView): HealthStep {
  const { nowMs, finding, told, askInMs } = held
  if (!claim) return { kind: 'wait', reason: REASONS.NotBound(volume.spec.claimRef ?? {}) }
  const handle = volume.spec.csi?.volumeHandle ?? ''
  if (askInMs !== undefined && askInMs <= 0) return { kind: 'ask', handle }
  // A list may be incomplete: only a response about the volume itself proves that it has recovered.
  if (finding?.kind === 'unlisted' && told) return { kind: 'ask', handle }
  if (finding?.kind === 'normal' && told) return { kind: 'tell-normal', claim }
  if (finding?.kind !== 'abnormal')
    return wait(finding ? REASONS.VolumeConditionNormal : REASONS.HealthUnknown, askInMs)
  const { message } = finding
  const isTold = told?.message === message && nowMs - told.atMs < REPEAT_AFTER_MS
  return isTold ? wait(REASONS.VolumeConditionAbnormal(message), askInMs) : { kind: 'tell-abnormal', claim, message }
}

const wait = (reason: HealthMonitorReason, retryInMs: number | undefined): HealthStep => ({
  kind: 'wait',
  reason,
  ...(retryInMs === undefined ? {} : { retryInMs }),
})
