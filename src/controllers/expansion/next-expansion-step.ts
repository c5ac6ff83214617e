import type { PersistentVolumeClaim } from '../../api/kinds/persistent-volume-claim.ts'
import type { PersistentVolume } from '../../api/kinds/persistent-volume.ts'
import { compareQuantities } from '../../api/quantity.ts'
import { requestedSizeOf } from '../../storage/requested-size.ts'
import { REASONS } from './reasons.ts'
import type { ExpansionReason } from './reasons.ts'

/** `volume` is the one that the claim names. */
export type ExpansionView = {
  readonly seen: { readonly claim: PersistentVolumeClaim; readonly volume?: PersistentVolume | undefined }
}

export type ExpansionStep =
  | { readonly kind: 'wait'; readonly reason: ExpansionReason }
  | { readonly kind: 'hand-over'; readonly reason: ExpansionReason }

/** Whether the claim is waiting for its volume to be expanded. */
export function nextExpansionStep({ seen: { claim, volume } }: ExpansionView): ExpansionStep {
  const size = requestedSizeOf(claim)
  const present = claim.status?.capacity?.['storage'] ?? '0'
  if (claim.status?.phase !== 'Bound' || claim.metadata.deletionTimestamp !== undefined)
    return { kind: 'wait', reason: REASONS.NotBound }
  if (compareQuantities(size, present) <= 0) return { kind: 'wait', reason: REASONS.LargeEnough }
  return { kind: 'hand-over', reason: REASONS.ExternalExpanding(volume?.spec.csi?.driver, present, size) }
}
