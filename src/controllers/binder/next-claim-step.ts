import type { PersistentVolumeClaim, PersistentVolumeClaimStatus } from '../../api/kinds/persistent-volume-claim.ts'
import type { PersistentVolume } from '../../api/kinds/persistent-volume.ts'
import type { Pod } from '../../api/kinds/pod.ts'
import { createMergePatch } from '../../api/merge-patch.ts'
import { compareQuantities } from '../../api/quantity.ts'
import { findTimestamp } from '../../api/timestamps.ts'
import { CACHE_BEHIND_MS } from '../../kube/controller/index.ts'
import type { Notice } from '../../kube/controller/index.ts'
import { isVolumeBoundToClaim } from '../../storage/claim-reference.ts'
import { findMisfit } from '../../storage/find-misfit.ts'
import {
  BETA_STORAGE_PROVISIONER,
  BIND_COMPLETED,
  classNameOf,
  findAnnotation,
  findClassName,
  hasAnnotation,
  isDelayedBinding,
  PRE_RESIZE_CAPACITY,
  selectedNodeOf,
  STORAGE_PROVISIONER,
} from '../../storage/names.ts'
import { capacityOf, requestedSizeOf } from '../../storage/requested-size.ts'
import type { ClaimView } from './claim-view.ts'
import { REASONS } from './reasons.ts'
import type { BinderReason } from './reasons.ts'

export type ClaimStep = Readonly<
  | { kind: 'wait'; reason: BinderReason; notice?: Notice; retryInMs?: number }
  /** By the cache, the claim would become Lost: check with the API server. */
  | { kind: 'look-at-volume'; volumeName: string }
  /** Write the claim into the volume. */
  | { kind: 'reserve-volume'; volume: PersistentVolume; isChoice: boolean }
  | { kind: 'mark-volume-bound'; volume: PersistentVolume }
  /** Write the volume into the claim. */
  | { kind: 'complete-claim'; volume: PersistentVolume; isChoice: boolean }
  | { kind: 'mark-claim-bound'; volume: PersistentVolume; status: PersistentVolumeClaimStatus }
  | { kind: 'mark-pending' }
  | { kind: 'mark-lost'; reason: BinderReason; notice: Notice }
  | { kind: 'set-class'; className: string }
  | { kind: 'mark-for-provisioner'; provisioner: string; reason: BinderReason; notice: Notice }
>

export function nextClaimStep(view: ClaimView): ClaimStep {
  const { claim } = view.seen
  if (hasAnnotation(claim, BIND_COMPLETED)) return nextBoundStep(view)
  // A claim without a volume that is being deleted will never need one.
  if (claim.metadata.deletionTimestamp !== undefined) return { kind: 'wait', reason: REASONS.ClaimLeaving }
  const step = claim.spec.volumeName ? nextNamedStep(view.seen) : nextChoosingStep(view)
  return step.kind === 'wait' && (claim.status?.phase ?? 'Pending') !== 'Pending' ? { kind: 'mark-pending' } : step
}

/** The claim was bound once: repair what is missing, or mark it Lost. */
function nextBoundStep({ seen: { claim, volume }, held }: ClaimView): ClaimStep {
  const { volumeName = '' } = claim.spec
  const claimRef = volume?.spec.claimRef
  const lost = (event: string, reason: BinderReason): ClaimStep => {
    if (claim.status?.phase === 'Lost') return { kind: 'wait', reason }
    // Lost is final, and the cache may be behind.
    if (volumeName !== '' && held && !held.isVolumeConfirmed) return { kind: 'look-at-volume', volumeName }
    return { kind: 'mark-lost', reason, notice: { type: 'Warning', event } }
  }
  if (volumeName === '') return lost('ClaimLost', REASONS.VolumeNameLost)
  if (!volume) return lost('ClaimLost', REASONS.VolumeLost(volumeName))
  if (claimRef && !isVolumeBoundToClaim(volume, claim))
    return lost(
      'ClaimMisbound',
      (isOfFormer(volume, claim) ? REASONS.ClaimMisboundToFormer : REASONS.ClaimMisbound)(volumeName, claimRef),
    )
  // A new volume with the name of the lost one is another volume, unless its claimRef refers to the claim. A smaller one must be another.
  const had = claim.status?.capacity?.['storage'] ?? requestedSizeOf(claim)
  const isAnother = claim.status?.phase === 'Lost' && !isOlder(volume, claim)
  if (!claimRef && (isAnother || compareQuantities(capacityOf(volume), had) < 0))
    return lost('ClaimLost', REASONS.VolumeLost(volumeName))
  // The claim is not lost, so the cache was behind: wait for it before writing anything.
  if (held?.isVolumeConfirmed)
    return { kind: 'wait', reason: REASONS.VolumeUnconfirmed(volumeName), retryInMs: CACHE_BEHIND_MS }
  return nextBindStep(claim, volume)
}

/** Such a volume existed before the claim, so that it cannot have replaced the volume that the claim lost. */
const isOlder = (volume: PersistentVolume, claim: PersistentVolumeClaim): boolean =>
  (findTimestamp(volume.metadata.creationTimestamp) ?? Infinity) <
  (findTimestamp(claim.metadata.creationTimestamp) ?? -Infinity)

/** The claim names this volume. */
function nextNamedStep({ claim, volume }: ClaimView['seen']): ClaimStep {
  const { volumeName = '' } = claim.spec
  if (!volume) return { kind: 'wait', reason: REASONS.VolumeMissing(volumeName) }
  const { claimRef } = volume.spec
  if (claimRef && !isVolumeBoundToClaim(volume, claim))
    return withEvent(
      'Warning',
      'FailedBinding',
      (isOfFormer(volume, claim) ? REASONS.VolumeOfFormer : REASONS.VolumeTaken)(volumeName, claimRef),
    )
  const misfit = claimRef ? undefined : findMisfit(claim, volume)
  return misfit
    ? withEvent('Warning', 'VolumeMismatch', REASONS.VolumeMismatch(volumeName, misfit))
    : nextBindStep(claim, volume)
}

/** Whether the volume was retained for a deleted claim that had the name of this one. */
const isOfFormer = (
  { spec: { claimRef, persistentVolumeReclaimPolicy } }: PersistentVolume,
  claim: PersistentVolumeClaim,
): boolean =>
  claimRef?.name === claim.metadata.name &&
  claimRef?.namespace === claim.metadata.namespace &&
  persistentVolumeReclaimPolicy === 'Retain'

/** The claim accepts any matching volume. */
function nextChoosingStep({ seen, held }: ClaimView): ClaimStep {
  const { claim, match, storageClass, defaultClass, waitingPods = [] } = seen
  if (match) return nextBindStep(claim, match)
  const defaultName = defaultClass?.metadata.name
  if (findClassName(claim) === undefined && defaultName !== undefined)
    return { kind: 'set-class', className: defaultName }
  const className = classNameOf(claim)
  if (className === '') return withEvent('Normal', 'FailedBinding', REASONS.NothingFits)
  if (!storageClass) return withEvent('Warning', 'ProvisioningFailed', REASONS.StorageClassMissing(className))
  if (isDelayedBinding(storageClass) && selectedNodeOf(claim) === '') return waitForPod(className, waitingPods, held)
  const { provisioner } = storageClass
  // All in-tree provisioners have become CSI drivers, or never existed.
  if (provisioner.startsWith('kubernetes.io/'))
    return withEvent('Warning', 'ProvisioningFailed', REASONS.NobodyProvisions(className, provisioner))
  const isMarked = [STORAGE_PROVISIONER, BETA_STORAGE_PROVISIONER].every(
    (name) => findAnnotation(claim, name) === provisioner,
  )
  const reason = REASONS.ExternalProvisioning(provisioner)
  return isMarked
    ? { kind: 'wait', reason }
    : { kind: 'mark-for-provisioner', provisioner, reason, notice: { type: 'Normal', event: 'ExternalProvisioning' } }
}

/** A pod that was just created is not worth an event: usually it is scheduled immediately. */
function waitForPod(className: string, pods: readonly Pod[], held: ClaimView['held']): ClaimStep {
  if (pods.length === 0) return withEvent('Normal', 'WaitForFirstConsumer', REASONS.WaitForFirstConsumer(className))
  const reason = REASONS.WaitForPodScheduled(pods.map(({ metadata }) => metadata.name ?? '').sort())
  const sinceMs = Math.min(...pods.map(({ metadata }) => findTimestamp(metadata.creationTimestamp) ?? 0))
  const leftMs = held ? sinceMs + held.podPatienceMs - held.nowMs : 0
  return leftMs > 0 ? { kind: 'wait', reason, retryInMs: leftMs } : withEvent('Normal', 'WaitForPodScheduled', reason)
}

const withEvent = (type: Notice['type'], event: string, reason: BinderReason): ClaimStep => ({
  kind: 'wait',
  reason,
  notice: { type, event },
})

/** The first missing write of a binding. In this order, anyone can continue an interrupted binding, and no other claim gets the volume meanwhile. */
export function nextBindStep(claim: PersistentVolumeClaim, volume: PersistentVolume): ClaimStep {
  const { name = '' } = volume.metadata
  if (volume.spec.claimRef?.uid !== claim.metadata.uid)
    return { kind: 'reserve-volume', volume, isChoice: !isVolumeBoundToClaim(volume, claim) }
  if (volume.status?.phase !== 'Bound') return { kind: 'mark-volume-bound', volume }
  const isNamed = claim.spec.volumeName === name
  if (!isNamed || !hasAnnotation(claim, BIND_COMPLETED)) return { kind: 'complete-claim', volume, isChoice: !isNamed }
  const status = boundStatus(claim, volume)
  if (Object.keys(createMergePatch(claim.status ?? {}, status)).length > 0)
    return { kind: 'mark-claim-bound', volume, status }
  return { kind: 'wait', reason: REASONS.Bound(name) }
}

/** Size and attributes class are copied once: afterwards the resizer writes them. */
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
