import type { PersistentVolumeClaim } from '../../api/kinds/persistent-volume-claim.ts'
import type { PersistentVolume } from '../../api/kinds/persistent-volume.ts'
import { compareQuantities } from '../../api/quantity.ts'
import type { Reason } from '../../api/reason.ts'
import { requestedSizeOf } from '../../storage/requested-size.ts'

export type ExpansionView = {
  readonly seen: {
    readonly claim: PersistentVolumeClaim
    /** The one that the claim names. */
    readonly volume?: PersistentVolume
  }
}

export type ExpansionStep =
  | { readonly kind: 'wait'; readonly reason: Reason }
  | { readonly kind: 'hand-over'; readonly reason: Reason; readonly size: string }

/** Whether one claim waits for somebody to make its volume larger. */
export function nextExpansionStep({ seen: { claim, volume } }: ExpansionView): ExpansionStep {
  const size = requestedSizeOf(claim)
  const present = claim.status?.capacity?.['storage'] ?? '0'
  if (claim.status?.phase !== 'Bound' || claim.metadata.deletionTimestamp !== undefined)
    return { kind: 'wait', reason: { code: 'NotBound' } }
  if (compareQuantities(size, present) <= 0) return { kind: 'wait', reason: { code: 'LargeEnough' } }
  const driver = volume?.spec.csi?.driver
  const resizer = driver === undefined ? 'whoever can resize the volume' : `the resizer of ${driver}`
  return {
    kind: 'hand-over',
    size,
    reason: {
      code: 'ExternalExpanding',
      waitsFor: { kind: 'actor', name: resizer },
      detail: { wanted: size, present },
      cure: 'If it takes long, see that the resizer runs',
    },
  }
}
