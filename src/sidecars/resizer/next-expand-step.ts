import { hasCondition } from '../../api/conditions.ts'
import type { PersistentVolumeClaim } from '../../api/kinds/persistent-volume-claim.ts'
import type { PersistentVolume } from '../../api/kinds/persistent-volume.ts'
import { keyOf } from '../../api/object-key.ts'
import { compareQuantities } from '../../api/quantity.ts'
import { hasAnnotation, NODE_EXPANSION_NOT_REQUIRED, PRE_RESIZE_CAPACITY } from '../../storage/names.ts'
import { capacityOf, requestedSizeOf } from '../../storage/requested-size.ts'
import type { SecretRead } from '../../storage/read-secret.ts'
import type { SecretRef } from '../../storage/secret-reason.ts'
import type { ExpandAnswer, ExpandHeld, ExpandMemory, ExpandView, Failure } from './expand-view.ts'
import { REASONS } from './reasons.ts'
import type { ResizerReason } from './reasons.ts'

export type ExpandStep =
  | { readonly kind: 'wait'; readonly reason: ResizerReason; readonly retryInMs?: number }
  /** The node has finished: the size before the expansion is no longer needed. */
  | { readonly kind: 'drop-previous-size'; readonly volume: PersistentVolume }
  /** Save the target in the claim's status before the driver is called. */
  | { readonly kind: 'begin'; readonly target: string; readonly isNewTarget: boolean }
  | { readonly kind: 'find-users' }
  | SecretStep
  | { readonly kind: 'expand'; readonly target: string; readonly volume: PersistentVolume }
  | ({ readonly kind: 'record-volume'; readonly volume: PersistentVolume } & ExpandAnswer)
  | ({ readonly kind: 'record-claim' } & ExpandAnswer)

/** Of both controllers. */
export type SecretStep =
  | { readonly kind: 'read-secret'; readonly ref: SecretRef }
  /** The user has to know why nothing happens. It is retried later. */
  | { readonly kind: 'refuse'; readonly target: string; readonly reason: ResizerReason }

/** What to do about the size of one claim. */
export function nextExpandStep({ seen: { claim, volume }, held }: ExpandView): ExpandStep {
  const { volumeName } = claim.spec
  if (!volumeName || claim.status?.phase !== 'Bound') return wait(REASONS.NotBound)
  if (!volume) return wait(REASONS.VolumeMissing(volumeName))
  const present = statusCapacityOf(claim)
  if (held?.annotatesFsResize && hasAnnotation(volume, PRE_RESIZE_CAPACITY) && !isLess(present, capacityOf(volume)))
    return { kind: 'drop-previous-size', volume }
  if (!isLess(present, requestedSizeOf(claim))) return wait(REASONS.LargeEnough)
  const { claimRef } = volume.spec
  if (claimRef?.uid !== claim.metadata.uid || claimRef?.namespace !== claim.metadata.namespace)
    return wait(REASONS.VolumeOfOther(volumeName))
  const target = targetOf(claim, volume, held)
  if (target === undefined) return wait(REASONS.NodeResizePending(allocatedOf(claim) ?? requestedSizeOf(claim)))
  return nextCallStep(claim, volume, target, held)
}

/**
 * The size to request from the driver. Undefined if it is the node's turn. A call whose outcome is unknown is repeated with its own size, even if the
 * user has changed the request since: the driver may still be working on it.
 */
function targetOf(
  claim: PersistentVolumeClaim,
  volume: PersistentVolume,
  held: ExpandHeld | undefined,
): string | undefined {
  const request = requestedSizeOf(claim)
  const allocated = allocatedOf(claim)
  const status = claim.status?.allocatedResourceStatuses?.['storage']
  const isVolumeSmaller = isLess(capacityOf(volume), request)
  switch (status) {
    case 'NodeResizePending':
    case 'NodeResizeInProgress': {
      const target = allocated ?? request
      return isVolumeSmaller && isLess(capacityOf(volume), target) ? target : undefined
    }
    case 'NodeResizeInfeasible':
      // The controller confirms the size, so that the node may try again.
      return isVolumeSmaller || !held?.isNodeOnly ? (allocated ?? request) : request
    case 'ControllerResizeInProgress':
      return isVolumeSmaller && hasEnded(held?.memory) ? request : (allocated ?? request)
    case 'ControllerResizeInfeasible':
      return isVolumeSmaller ? request : (allocated ?? request)
    default:
      if (isVolumeSmaller) return request
      if (allocated !== undefined) return allocated
      // An API server without resize statuses: only the condition shows that it is the node's turn.
      return hasCondition(claim.status?.conditions, 'FileSystemResizePending') ? undefined : request
  }
}

/** The last call is known to have ended without an expansion. */
const hasEnded = (memory: ExpandMemory | undefined): boolean =>
  memory?.kind === 'failed' && memory.outcome !== 'in-doubt'

function nextCallStep(
  claim: PersistentVolumeClaim,
  volume: PersistentVolume,
  target: string,
  held: ExpandHeld | undefined,
): ExpandStep {
  const memory = held?.memory && compareQuantities(held.memory.target, target) === 0 ? held.memory : undefined
  if (memory?.kind === 'done') return nextRecordStep(volume, memory, held)
  const waiting = waitForRetry(memory, held, REASONS.ExpansionInfeasible)
  if (waiting) return waiting
  const allocated = allocatedOf(claim)
  const isNewTarget = allocated === undefined || compareQuantities(allocated, target) !== 0
  if (isNewTarget || !isMarked(claim)) return { kind: 'begin', target, isNewTarget }
  if (memory?.outcome === 'in-use' && held?.avoidsUsedVolumes) {
    if (!held.users) return { kind: 'find-users' }
    if (held.users.length > 0) {
      const reason = REASONS.VolumeInUse(keyOf(claim), volume.spec.csi?.driver ?? '', held.users)
      return { kind: 'refuse', target, reason }
    }
  }
  const ref = held?.isNodeOnly ? undefined : volume.spec.csi?.controllerExpandSecretRef
  return nextSecretStep(ref, target, held) ?? { kind: 'expand', target, volume }
}

/** Undefined: the driver can be called, with the secret if there is one. */
export function nextSecretStep(
  { name, namespace = '' }: Partial<SecretRef> = {},
  target: string,
  held: { readonly secret?: SecretRead } | undefined,
): SecretStep | undefined {
  if (!name) return undefined
  const ref = { namespace, name }
  if (!held?.secret) return { kind: 'read-secret', ref }
  const { secret } = held
  return secret.kind === 'read' ? undefined : { kind: 'refuse', target, reason: REASONS.Secret(secret, ref) }
}

const isMarked = (claim: PersistentVolumeClaim): boolean =>
  hasCondition(claim.status?.conditions, 'Resizing') && !hasAnnotation(claim, NODE_EXPANSION_NOT_REQUIRED)

/** The target was tried not long ago. */
export function waitForRetry(
  memory: Failure | undefined,
  held: { readonly nowMs: number } | undefined,
  infeasible: (message: string) => ResizerReason,
): Extract<ExpandStep, { kind: 'wait' }> | undefined {
  if (!memory || !held || memory.retryAtMs <= held.nowMs) return undefined
  const reason = (memory.outcome === 'infeasible' ? infeasible : REASONS.RetryingExpansion)(memory.message)
  return { kind: 'wait', reason, retryInMs: memory.retryAtMs - held.nowMs }
}

/** The volume first: the claim's status must never promise more than the volume has. */
function nextRecordStep(
  volume: PersistentVolume,
  { size, needsNode }: ExpandAnswer,
  held: ExpandHeld | undefined,
): ExpandStep {
  const isKept = !needsNode || !held?.annotatesFsResize || hasAnnotation(volume, PRE_RESIZE_CAPACITY)
  return compareQuantities(capacityOf(volume), size) === 0 && isKept
    ? { kind: 'record-claim', size, needsNode }
    : { kind: 'record-volume', volume, size, needsNode }
}

export const statusCapacityOf = ({ status }: PersistentVolumeClaim): string => status?.capacity?.['storage'] ?? '0'
const allocatedOf = ({ status }: PersistentVolumeClaim): string | undefined => status?.allocatedResources?.['storage']
const isLess = (one: string, other: string): boolean => compareQuantities(one, other) < 0
const wait = (reason: ResizerReason): ExpandStep => ({ kind: 'wait', reason })
