import type { Pod } from '../../api/kinds/pod.ts'
import { compareQuantities } from '../../api/quantity.ts'
import type { Reason } from '../../api/reason.ts'
import { findTimestamp } from '../../api/timestamps.ts'
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
  selectedNodeOf,
  STORAGE_PROVISIONER,
} from '../../storage/names.ts'
import { capacityOf, requestedSizeOf } from '../../storage/requested-size.ts'
import type { ClaimStep, ClaimView, Notice } from './binder-view.ts'
import { nextBindStep } from './next-bind-step.ts'
import { REASONS } from './reasons.ts'

/** What to do next about one claim. */
export function nextClaimStep(view: ClaimView): ClaimStep {
  const { claim } = view.seen
  if (hasAnnotation(claim, BIND_COMPLETED)) return nextBoundStep(view)
  // What it has no volume for yet, it is not going to need.
  if (claim.metadata.deletionTimestamp !== undefined) return { kind: 'wait', reason: REASONS.claimLeaving }
  const step = claim.spec.volumeName ? nextNamedStep(view.seen) : nextChoosingStep(view)
  return step.kind === 'wait' && (claim.status?.phase ?? 'Pending') !== 'Pending' ? { kind: 'mark-pending' } : step
}

/** The claim was bound once: repair what is missing, or say that it is lost. */
function nextBoundStep({ seen: { claim, volume }, held }: ClaimView): ClaimStep {
  const { volumeName = '' } = claim.spec
  const claimRef = volume?.spec.claimRef
  const lost = (event: string, reason: Reason): ClaimStep => {
    if (claim.status?.phase === 'Lost') return { kind: 'wait', reason }
    // Being lost is for good, and a cache may be behind.
    if (volumeName !== '' && held && !held.isVolumeConfirmed) return { kind: 'look-at-volume', name: volumeName }
    return { kind: 'mark-lost', reason, notice: { type: 'Warning', event } }
  }
  if (volumeName === '') return lost('ClaimLost', REASONS.volumeNameLost)
  if (!volume) return lost('ClaimLost', REASONS.volumeLost(volumeName))
  if (claimRef && !isVolumeBoundToClaim(volume, claim))
    return lost('ClaimMisbound', REASONS.misbound(volumeName, claimRef))
  // A volume of the same name is not the volume that was lost, unless somebody says so in it; a smaller one can't be.
  const had = claim.status?.capacity?.['storage'] ?? requestedSizeOf(claim)
  if (!claimRef && (claim.status?.phase === 'Lost' || compareQuantities(capacityOf(volume), had) < 0))
    return lost('ClaimLost', REASONS.volumeLost(volumeName))
  return nextBindStep(claim, volume)
}

/** The claim wants this volume and no other. */
function nextNamedStep({ claim, volume }: ClaimView['seen']): ClaimStep {
  const { volumeName = '' } = claim.spec
  if (!volume) return { kind: 'wait', reason: REASONS.volumeMissing(volumeName) }
  const { claimRef } = volume.spec
  if (claimRef && !isVolumeBoundToClaim(volume, claim))
    return tell('Warning', 'FailedBinding', REASONS.volumeTaken(volumeName, claimRef))
  const misfit = claimRef ? undefined : findMisfit(claim, volume)
  return misfit
    ? tell('Warning', 'VolumeMismatch', REASONS.volumeMismatch(volumeName, misfit))
    : nextBindStep(claim, volume)
}

/** The claim takes any volume that fits. */
function nextChoosingStep({ seen, held }: ClaimView): ClaimStep {
  const { claim, match, storageClass, defaultClass, waitingPods = [] } = seen
  if (match) return nextBindStep(claim, match)
  const defaultName = defaultClass?.metadata.name
  if (findClassName(claim) === undefined && defaultName !== undefined)
    return { kind: 'set-class', className: defaultName }
  const className = classNameOf(claim)
  if (className === '') return tell('Normal', 'FailedBinding', REASONS.nothingFits)
  if (!storageClass) return tell('Warning', 'ProvisioningFailed', REASONS.classMissing(className))
  if (isDelayedBinding(storageClass) && selectedNodeOf(claim) === '') return waitForPod(className, waitingPods, held)
  const { provisioner } = storageClass
  // Those of Kubernetes itself have all become CSI drivers, or never were any.
  if (provisioner.startsWith('kubernetes.io/'))
    return tell('Warning', 'ProvisioningFailed', REASONS.nobodyProvisions(className, provisioner))
  const isMarked = [STORAGE_PROVISIONER, BETA_STORAGE_PROVISIONER].every(
    (name) => findAnnotation(claim, name) === provisioner,
  )
  const reason = REASONS.provisioning(provisioner)
  return isMarked
    ? { kind: 'wait', reason }
    : { kind: 'mark-for-provisioner', provisioner, reason, notice: { type: 'Normal', event: 'ExternalProvisioning' } }
}

/** A pod that has only just come is not worth a word: mostly it has its node at once. */
function waitForPod(className: string, pods: readonly Pod[], held: ClaimView['held']): ClaimStep {
  if (pods.length === 0) return tell('Normal', 'WaitForFirstConsumer', REASONS.waitForFirstConsumer(className))
  const reason = REASONS.waitForPodScheduled(pods.map(({ metadata }) => metadata.name ?? '').sort())
  const sinceMs = Math.min(...pods.map(({ metadata }) => findTimestamp(metadata.creationTimestamp) ?? 0))
  const leftMs = held ? sinceMs + held.podPatienceMs - held.nowMs : 0
  return leftMs > 0 ? { kind: 'wait', reason, retryInMs: leftMs } : tell('Normal', 'WaitForPodScheduled', reason)
}

const tell = (type: Notice['type'], event: string, reason: Reason): ClaimStep => ({
  kind: 'wait',
  reason,
  notice: { type, event },
})
