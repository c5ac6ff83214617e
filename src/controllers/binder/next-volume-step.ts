import type { PersistentVolume, PersistentVolumePhase } from '../../api/kinds/persistent-volume.ts'
import type { Reason } from '../../api/reason.ts'
import { findMisfit } from '../../storage/find-misfit.ts'
import { BOUND_BY_CONTROLLER, findAnnotation, hasAnnotation, MIGRATED_TO, PROVISIONED_BY } from '../../storage/names.ts'
import type { Notice, VolumeStep, VolumeView } from './binder-view.ts'
import { REASONS } from './reasons.ts'

/** What to do next about one volume. */
export function nextVolumeStep({ seen: { volume, claim: named }, held }: VolumeView): VolumeStep {
  const { claimRef } = volume.spec
  if (!claimRef) return bring(volume, 'Available', REASONS.available)
  if (!claimRef.uid) return bring(volume, 'Available', REASONS.reserved(claimRef))
  const claim = named?.metadata.uid === claimRef.uid ? named : undefined
  if (!claim) {
    if (isOver(volume)) return nextReclaimStep(volume)
    // What is released never comes back, and a cache may be behind.
    return held && !held.isClaimConfirmed
      ? { kind: 'look-at-claim' }
      : { kind: 'set-phase', phase: 'Released', reason: REASONS.released(claimRef) }
  }
  const { volumeName = '' } = claim.spec
  if (volumeName === volume.metadata.name) return bring(volume, 'Bound', REASONS.bound(volumeName))
  if (volumeName === '') {
    // The class does not count for what is reserved.
    const misfit = findMisfit(claim, volume, { ignoresClass: true })
    if (!misfit) return { kind: 'wait', reason: REASONS.claimBinds(claimRef) }
    return {
      kind: 'wait',
      reason: REASONS.claimMismatch(claim, misfit),
      notice: { type: 'Warning', event: 'VolumeMismatch' },
      tellClaim: claim,
    }
  }
  // The claim has another volume by now.
  if (hasAnnotation(volume, PROVISIONED_BY) && volume.spec.persistentVolumeReclaimPolicy === 'Delete') {
    return isOver(volume)
      ? nextReclaimStep(volume)
      : { kind: 'set-phase', phase: 'Released', reason: REASONS.notNeeded(claimRef) }
  }
  return { kind: 'unbind', keeps: hasAnnotation(volume, BOUND_BY_CONTROLLER) ? 'nothing' : 'the name' }
}

const bring = (volume: PersistentVolume, phase: PersistentVolumePhase, reason: Reason): VolumeStep =>
  volume.status?.phase === phase ? { kind: 'wait', reason } : { kind: 'set-phase', phase, reason }

const isOver = ({ status }: PersistentVolume): boolean => status?.phase === 'Released' || status?.phase === 'Failed'

/** What becomes of a volume whose claim is gone. Deleting is the provisioner's: it waits for the phase. */
function nextReclaimStep(volume: PersistentVolume): VolumeStep {
  const migratedTo = findAnnotation(volume, MIGRATED_TO)
  if (migratedTo !== undefined) return { kind: 'wait', reason: REASONS.migrated(migratedTo) }
  const policy = volume.spec.persistentVolumeReclaimPolicy ?? 'Retain'
  switch (policy) {
    case 'Retain':
      return { kind: 'wait', reason: REASONS.retained }
    case 'Delete': {
      const deleter = findDeleter(volume)
      return deleter === undefined
        ? fail(volume, 'VolumeFailedDelete', REASONS.nobodyDeletes)
        : { kind: 'wait', reason: REASONS.deleting(deleter) }
    }
    case 'Recycle':
      return fail(volume, 'VolumeFailedRecycle', REASONS.recycleRefused)
    default:
      policy satisfies never
      return fail(volume, 'VolumeUnknownReclaimPolicy', REASONS.policyUnknown(String(policy)))
  }
}

function findDeleter(volume: PersistentVolume): string | undefined {
  const provisioner = findAnnotation(volume, PROVISIONED_BY)
  return provisioner !== undefined && !provisioner.startsWith('kubernetes.io/') ? provisioner : volume.spec.csi?.driver
}

function fail(volume: PersistentVolume, event: string, reason: Reason): VolumeStep {
  const notice: Notice = { type: 'Warning', event }
  return volume.status?.phase === 'Failed'
    ? { kind: 'wait', reason }
    : { kind: 'set-phase', phase: 'Failed', reason, notice }
}
