import type { PersistentVolumeClaim } from '../../api/kinds/persistent-volume-claim.ts'
import type { PersistentVolume } from '../../api/kinds/persistent-volume.ts'
import type { ObjectMeta } from '../../api/object.ts'
import { refOf } from '../../api/object-key.ts'
import { ControllerServiceCapability_RPC_Type as Capability } from '../../csi/generated/csi/v1/csi.ts'
import type { DeleteVolumeRequest } from '../../csi/generated/csi/v1/csi.ts'
import { ALPHA_SELECTED_NODE, findAnnotation, SELECTED_NODE } from '../../storage/names.ts'
import { judgeClaim } from './claim-eligibility.ts'
import { nextContentionStep } from './contend/next-contention-step.ts'
import type { ContentionStep } from './contend/next-contention-step.ts'
import { volumeNameOf } from './names.ts'
import { isSameVolume, persistentVolumeOf } from './persistent-volume.ts'
import { planVolume, readSecretValues } from './plan-volume.ts'
import type { PlanStep } from './plan-volume.ts'
import { DEFAULT_PROVISION_SETTINGS } from './provisioner-options.ts'
import type { ProvisionSettings } from './provisioner-options.ts'
import type { Attempt, ProvisionPlan, ProvisionView, Wanted } from './provision-view.ts'
import { REASONS } from './reasons.ts'
import type { Obstacle, ProvisionerReason } from './reasons.ts'

export type ProvisionStep =
  /** Nothing to do until something changes, or the time has come. No event. */
  | { readonly kind: 'wait'; readonly reason: ProvisionerReason; readonly retryInMs?: number }
  /** Report to the user, and try again later. */
  | Extract<Obstacle, { kind: 'refuse' }>
  /** Nothing is held, and nothing is left to do: forget the claim. */
  | { readonly kind: 'forget'; readonly reason: ProvisionerReason }
  /** Read it and decide again in the same pass. */
  | { readonly kind: 'read'; readonly wanted: Wanted }
  /** With an instance on each node: try to become the one that provisions it. */
  | ContentionStep
  | Extract<PlanStep, { kind: 'hand-off' | 'protect-source' }>
  /** Write the plan into the journal, so that not even a crash can make us forget the call that follows. */
  | { readonly kind: 'record'; readonly plan: ProvisionPlan }
  /** Call CreateVolume. The attempt is `calling` before, and the result of `judge-create-result` after. */
  | { readonly kind: 'create'; readonly plan: ProvisionPlan }
  /** Create the PersistentVolume; the attempt was sent before. AlreadyExists: read it into `read.volume` and decide again. */
  | { readonly kind: 'store'; readonly volume: PersistentVolume }
  /** The PersistentVolume is stored: forget the attempt, remember that the claim is provisioned, report it to the user. */
  | { readonly kind: 'complete'; readonly volume: PersistentVolume }
  /** Others may be deleting the created volume: the attempt is in doubt again. */
  | { readonly kind: 'doubt'; readonly plan: ProvisionPlan; readonly reason: ProvisionerReason }
  /** Call DeleteVolume for a volume that must not stay. After success, the attempt is over. */
  | { readonly kind: 'undo'; readonly request: DeleteVolumeRequest; readonly reason: ProvisionerReason }
  /** Update the claim, now without a selected node: the scheduler selects another. */
  | { readonly kind: 'reschedule'; readonly object: PersistentVolumeClaim; readonly reason: ProvisionerReason }

/** What to do next for one claim, known by its uid. */
export function nextProvisionStep(view: ProvisionView): ProvisionStep {
  const { seen, held } = view
  if (held?.attempt) return nextAttemptStep(held.attempt, view)
  const { claim } = seen
  if (!claim) return { kind: 'forget', reason: REASONS.ClaimGone }
  // Nothing holds it: it will be gone in a moment.
  if (isLeaving(claim) && (claim.metadata.finalizers ?? []).length === 0)
    return { kind: 'wait', reason: REASONS.ClaimLeaving }
  const judged = judgeClaim({ driverName: view.driverName, claim, class: seen.class, ownNode: held?.settings.ownNode })
  if ('reason' in judged) return judged
  if (seen.volume) return nextStoredStep(seen.volume, claim)
  const outdated = findOutdated(claim, view)
  if (outdated) return outdated
  const { infeasible } = held ?? {}
  if (held && infeasible && held.nowMs < infeasible.untilMs && infeasible.classUid === judged.class.metadata.uid)
    return { kind: 'wait', reason: REASONS.RequestInfeasible, retryInMs: infeasible.untilMs - held.nowMs }
  const { driverName } = view
  const question = { ...seen, driverName, claim, class: judged.class, settings: settingsOf(view), facts: held?.facts }
  const planned = planVolume(question)
  if (planned.kind === 'reschedule') return rescheduleClaim(claim, planned.reason)
  if (planned.kind !== 'planned') return planned
  const { plan } = planned
  if (judged.kind === 'ours') return { kind: 'record', plan }
  const waitMs = held?.turnAtMs === undefined ? undefined : held.turnAtMs - held.nowMs
  return nextContentionStep({
    seen: { claim, request: plan.request, nodeName: held?.settings.ownNode?.name ?? '' },
    held: held && { waitMs, answer: seen.read.room },
  })
}

/** Removes the selected node from the claim, or refuses if it has none. */
export function rescheduleClaim(
  claim: PersistentVolumeClaim,
  reason: ProvisionerReason,
): Extract<ProvisionStep, { kind: 'reschedule' | 'refuse' }> {
  if (findAnnotation(claim, SELECTED_NODE) === undefined && findAnnotation(claim, ALPHA_SELECTED_NODE) === undefined)
    return { kind: 'refuse', reason }
  const { [SELECTED_NODE]: _, [ALPHA_SELECTED_NODE]: _old, ...annotations } = claim.metadata.annotations ?? {}
  return { kind: 'reschedule', object: { ...claim, metadata: { ...claim.metadata, annotations } }, reason }
}

function nextAttemptStep(attempt: Attempt, view: ProvisionView): ProvisionStep {
  const { plan } = attempt
  switch (attempt.kind) {
    case 'recorded':
      return nextRecordedStep(plan, view.seen.claim)
    case 'calling':
      return { kind: 'wait', reason: REASONS.CallInFlight(view.driverName) }
    case 'restored':
      return view.seen.volume ? nextNamesakeStep(view.seen.volume, plan) : nextRestoredStep(plan, view)
    case 'in-doubt':
      return view.seen.volume ? nextNamesakeStep(view.seen.volume, plan) : { kind: 'create', plan }
    case 'spoiled':
      return nextSpoiledStep(attempt, view)
    case 'made':
      return nextMadeStep(attempt, view)
  }
}

// The driver was not called yet: a claim that was deleted or bound manually meanwhile needs nothing.
function nextRecordedStep(plan: ProvisionPlan, claim: PersistentVolumeClaim | undefined): ProvisionStep {
  if (!claim) return { kind: 'forget', reason: REASONS.ClaimGone }
  const { volumeName } = claim.spec
  return volumeName ? { kind: 'forget', reason: REASONS.ClaimHasVolume(volumeName) } : { kind: 'create', plan }
}

// The same request with the same name shows what was created; then it can be stored or deleted.
function nextRestoredStep(plan: ProvisionPlan, { seen: { read } }: ProvisionView): ProvisionStep {
  // Without its secret the driver may report that an existing volume does not exist: only with the secret can it be found and deleted.
  const values = readSecretValues(read.secret, plan.secrets.provisioner)
  if (values.kind === 'read') return values
  if (values.kind !== 'ok') return { kind: 'refuse', reason: values.reason }
  if (!values.value) return { kind: 'create', plan }
  return { kind: 'create', plan: { ...plan, request: { ...plan.request, secrets: { ...values.value } } } }
}

function nextMadeStep(attempt: Extract<Attempt, { kind: 'made' }>, view: ProvisionView): ProvisionStep {
  const { plan, volume: made, wasSent } = attempt
  const { claim, read } = view.seen
  const isAttached = view.held?.facts.controller.has(Capability.PUBLISH_UNPUBLISH_VOLUME) ?? false
  const ours = persistentVolumeOf(plan, made, settingsOf(view), isAttached)
  // What was read is newer than the cache.
  const stored = read.volume === undefined ? view.seen.volume : (read.volume ?? undefined)
  if (stored && isSameVolume(stored, ours)) return { kind: 'complete', volume: stored }
  // The volume of a PersistentVolume with a deletion timestamp is being deleted, and may be the one that the driver returned.
  if (stored && isLeaving(stored)) return { kind: 'doubt', plan, reason: leavingReason(stored) }
  if (stored) return nameTaken(stored)
  // A volume with policy Retain is stored even if its claim was deleted before it was created.
  if (!claim && !wasSent && plan.class.reclaimPolicy !== 'Retain') {
    // An earlier process may have stored it, and the cache may not show it yet.
    if (read.volume !== null) return { kind: 'read', wanted: { kind: 'volume', ref: { name: plan.request.name } } }
    // A journal may be old: the volume may have been kept under another name since.
    const kept = view.seen.caches.findByHandle?.(made.id)
    return kept ? { kind: 'forget', reason: ofAnother(kept) } : undo(plan, made.id, REASONS.ClaimGone)
  }
  return { kind: 'store', volume: ours }
}

// If a driver returns a volume that belongs to another PersistentVolume, we must not delete it.
function nextSpoiledStep(
  { plan, volumeId, reason }: Extract<Attempt, { kind: 'spoiled' }>,
  { seen }: ProvisionView,
): ProvisionStep {
  const other = seen.caches.findByHandle?.(volumeId)
  return other && other.metadata.name !== plan.request.name
    ? { kind: 'refuse', reason: ofAnother(other) }
    : undo(plan, volumeId, reason)
}

const ofAnother = ({ metadata: { name = '' }, spec }: PersistentVolume): ProvisionerReason =>
  REASONS.VolumeOfAnother(name, spec.csi?.volumeHandle ?? '')

function nextStoredStep(volume: PersistentVolume, claim: PersistentVolumeClaim): ProvisionStep {
  if (volume.spec.claimRef?.uid !== claim.metadata.uid) return nameTaken(volume)
  if (isLeaving(volume)) return { kind: 'wait', reason: leavingReason(volume) }
  return { kind: 'wait', reason: REASONS.NotBoundYet }
}

// A PersistentVolume of that name and claim describes the volume that the driver would return.
function nextNamesakeStep(volume: PersistentVolume, { claim }: ProvisionPlan): ProvisionStep {
  if (isLeaving(volume)) return { kind: 'wait', reason: leavingReason(volume) }
  if (volume.spec.claimRef?.uid === claim.metadata.uid) return { kind: 'complete', volume }
  return nameTaken(volume)
}

const nameTaken = ({ metadata: { name = '' } }: PersistentVolume): ProvisionStep => ({
  kind: 'refuse',
  reason: REASONS.VolumeNameTaken(name),
})

const leavingReason = ({ metadata: { name = '' } }: PersistentVolume): ProvisionerReason => REASONS.VolumeLeaving(name)

// A stale copy of a claim that was bound or deleted long ago must not lead to a second volume.
function findOutdated(claim: PersistentVolumeClaim, { seen, held }: ProvisionView): ProvisionStep | undefined {
  if (!held?.isProvisioned) return undefined
  const { claim: now, volume } = seen.read
  if (now === undefined) return { kind: 'read', wanted: { kind: 'claim', ref: refOf(claim) } }
  if (now === null || now.metadata.uid !== claim.metadata.uid) return { kind: 'forget', reason: REASONS.ClaimGone }
  if (now.spec.volumeName) return { kind: 'wait', reason: REASONS.ClaimHasVolume(now.spec.volumeName) }
  const name = volumeNameOf(claim.metadata.uid ?? '', held.settings)
  if (volume === undefined) return { kind: 'read', wanted: { kind: 'volume', ref: { name } } }
  return volume === null ? undefined : nextStoredStep(volume, claim)
}

const settingsOf = ({ held }: ProvisionView): ProvisionSettings => held?.settings ?? DEFAULT_PROVISION_SETTINGS

const undo = ({ request: { secrets } }: ProvisionPlan, volumeId: string, reason: ProvisionerReason): ProvisionStep => ({
  kind: 'undo',
  request: { volumeId, secrets },
  reason,
})

const isLeaving = ({ metadata }: { readonly metadata: ObjectMeta }): boolean => metadata.deletionTimestamp !== undefined
