import type { PersistentVolume, PersistentVolumePhase } from '../../api/kinds/persistent-volume.ts'
import type { PersistentVolumeClaim } from '../../api/kinds/persistent-volume-claim.ts'
import type { Notice } from '../../kube/controller/index.ts'
import { findMisfit } from '../../storage/find-misfit.ts'
import { BOUND_BY_CONTROLLER, findAnnotation, hasAnnotation, MIGRATED_TO, PROVISIONED_BY } from '../../storage/names.ts'
import { REASONS } from './reasons.ts'
import type { BinderReason } from './reasons.ts'

export type VolumeView = {
  readonly seen: {
    readonly volume: PersistentVolume
    /** The claim with the name in the volume's claimRef; its UID may differ. */
    readonly claim?: PersistentVolumeClaim | undefined
  }
  readonly held?: {
    /** The API server has confirmed that the claim is gone; otherwise only the cache shows it. */
    readonly isClaimConfirmed: boolean
  }
}

export type VolumeStep = Readonly<
  | { kind: 'wait'; reason: BinderReason; notice?: Notice; tellClaim?: PersistentVolumeClaim }
  | { kind: 'look-at-claim' }
  | { kind: 'set-phase'; phase: PersistentVolumePhase; reason: BinderReason; notice?: Notice }
  /** The claim has another volume: release this one. A claimRef that a user wrote is kept, except for its UID. */
  | { kind: 'unbind'; keeps: 'nothing' | 'the name' }
>

export function nextVolumeStep({ seen: { volume, claim: named }, held }: VolumeView): VolumeStep {
  const { claimRef } = volume.spec
  if (!claimRef) return bring(volume, 'Available', REASONS.Available)
  if (!claimRef.uid) return bring(volume, 'Available', REASONS.Reserved(claimRef))
  const claim = named?.metadata.uid === claimRef.uid ? named : undefined
  if (!claim) {
    if (isOver(volume)) return nextReclaimStep(volume)
    // Released is final, and the cache may be behind.
    return held && !held.isClaimConfirmed
      ? { kind: 'look-at-claim' }
      : { kind: 'set-phase', phase: 'Released', reason: REASONS.Released(claimRef) }
  }
  const { volumeName = '' } = claim.spec
  if (volumeName === volume.metadata.name) return bring(volume, 'Bound', REASONS.Bound(volumeName))
  if (volumeName === '') {
    // The class of a reserved volume is not compared.
    const misfit = findMisfit(claim, volume, { ignoresClass: true })
    if (!misfit) return { kind: 'wait', reason: REASONS.BindingUnderWay(claimRef) }
    return {
      kind: 'wait',
      reason: REASONS.ClaimMismatch(volume.metadata.name ?? '', claim, misfit),
      notice: { type: 'Warning', event: 'VolumeMismatch' },
      tellClaim: claim,
    }
  }
  // The claim is bound to another volume.
  if (hasAnnotation(volume, PROVISIONED_BY) && volume.spec.persistentVolumeReclaimPolicy === 'Delete') {
    return isOver(volume)
      ? nextReclaimStep(volume)
      : { kind: 'set-phase', phase: 'Released', reason: REASONS.NotNeeded(claimRef) }
  }
  return { kind: 'unbind', keeps: hasAnnotation(volume, BOUND_BY_CONTROLLER) ? 'nothing' : 'the name' }
}

const bring = (volume: PersistentVolume, phase: PersistentVolumePhase, reason: BinderReason): VolumeStep =>
  volume.status?.phase === phase ? { kind: 'wait', reason } : { kind: 'set-phase', phase, reason }

const isOver = ({ status }: PersistentVolume): boolean => status?.phase === 'Released' || status?.phase === 'Failed'

/** What to do with a volume whose claim is gone. The provisioner deletes it: it waits for the phase. */
function nextReclaimStep(volume: PersistentVolume): VolumeStep {
  const migratedTo = findAnnotation(volume, MIGRATED_TO)
  if (migratedTo !== undefined) return { kind: 'wait', reason: REASONS.Migrated(migratedTo) }
  const policy = volume.spec.persistentVolumeReclaimPolicy ?? 'Retain'
  switch (policy) {
    case 'Retain':
      return { kind: 'wait', reason: REASONS.Retained }
    case 'Delete': {
      const deleter = findDeleter(volume)
      return deleter === undefined
        ? fail(volume, 'VolumeFailedDelete', REASONS.NobodyDeletes(volume.metadata.name ?? ''))
        : { kind: 'wait', reason: REASONS.DeletionUnderWay(deleter) }
    }
    case 'Recycle':
      return fail(volume, 'VolumeFailedRecycle', REASONS.RecycleRefused)
    default:
      policy satisfies never
      return fail(volume, 'VolumeUnknownReclaimPolicy', REASONS.ReclaimPolicyUnknown(String(policy)))
  }
}

function findDeleter(volume: PersistentVolume): string | undefined {
  const provisioner = findAnnotation(volume, PROVISIONED_BY)
  return provisioner !== undefined && !provisioner.startsWith('kubernetes.io/') ? provisioner : volume.spec.csi?.driver
}

function fail(volume: PersistentVolume, event: string, reason: BinderReason): VolumeStep {
  const notice: Notice = { type: 'Warning', event }
  return volume.status?.phase === 'Failed'
    ? { kind: 'wait', reason }
    : { kind: 'set-phase', phase: 'Failed', reason, notice }
}
