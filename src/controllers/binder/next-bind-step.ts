import type { PersistentVolumeClaim, PersistentVolumeClaimStatus } from '../../api/kinds/persistent-volume-claim.ts'
import type { PersistentVolume } from '../../api/kinds/persistent-volume.ts'
import { createMergePatch } from '../../api/merge-patch.ts'
import { isVolumeBoundToClaim } from '../../storage/claim-reference.ts'
import { BIND_COMPLETED, findAnnotation, hasAnnotation, PRE_RESIZE_CAPACITY } from '../../storage/names.ts'
import type { ClaimStep } from './binder-view.ts'
import { REASONS } from './reasons.ts'

/**
 * What is missing before the two are bound to each other, in this order: cut short anywhere, the volume is already kept from others, and
 * whoever comes next goes on.
 */
export function nextBindStep(claim: PersistentVolumeClaim, volume: PersistentVolume): ClaimStep {
  const name = volume.metadata.name ?? ''
  if (volume.spec.claimRef?.uid !== claim.metadata.uid)
    return { kind: 'reserve-volume', volume, isChoice: !isVolumeBoundToClaim(volume, claim) }
  if (volume.status?.phase !== 'Bound') return { kind: 'mark-volume-bound', volume }
  const isNamed = claim.spec.volumeName === name
  if (!isNamed || !hasAnnotation(claim, BIND_COMPLETED)) return { kind: 'complete-claim', volume, isChoice: !isNamed }
  const status = boundStatus(claim, volume)
  if (Object.keys(createMergePatch(claim.status ?? {}, status)).length > 0)
    return { kind: 'mark-claim-bound', volume, status }
  return { kind: 'wait', reason: REASONS.bound(name) }
}

/** Size and attributes class are taken over once: from then on whoever changes the volume writes them. */
function boundStatus(claim: PersistentVolumeClaim, volume: PersistentVolume): PersistentVolumeClaimStatus {
  const { accessModes = [], capacity = {}, volumeAttributesClassName } = volume.spec
  const before = claim.status ?? {}
  if (before.phase === 'Bound') return { ...before, accessModes }
  const { currentVolumeAttributesClassName: _former, ...rest } = before
  const storage = findAnnotation(volume, PRE_RESIZE_CAPACITY)
  return {
    ...rest,
    phase: 'Bound',
    accessModes,
    capacity: { ...capacity, ...(storage ? { storage } : {}) },
    ...(volumeAttributesClassName ? { currentVolumeAttributesClassName: volumeAttributesClassName } : {}),
  }
}
