import type { PersistentVolumeClaim } from '../../api/kinds/persistent-volume-claim.ts'
import type { PersistentVolume } from '../../api/kinds/persistent-volume.ts'
import type { StorageClass } from '../../api/kinds/storage-class.ts'
import type { ObjectMeta } from '../../api/object.ts'
import { refOf } from '../../api/object-key.ts'
import type { Reason } from '../../api/reason.ts'
import { ControllerServiceCapability_RPC_Type as Capability } from '../../csi/generated/csi/v1/csi.ts'
import type { DeleteVolumeRequest } from '../../csi/generated/csi/v1/csi.ts'
import type { DriverFacts } from '../discover-driver.ts'
import type { MadeVolume } from './check-response.ts'
import { judgeClaim } from './claim-eligibility.ts'
import { ALPHA_SELECTED_NODE, findAnnotation, SELECTED_NODE } from '../../storage/names.ts'
import { isSameVolume, persistentVolumeOf } from './persistent-volume.ts'
import { planVolume, readSecretValues } from './plan-volume.ts'
import type { PlanStep, ProvisionCaches, ProvisionPlan, ReadObjects, Wanted } from './plan-volume.ts'
import { DEFAULT_PROVISION_SETTINGS } from './provision-settings.ts'
import type { ProvisionSettings } from './provision-settings.ts'
import { volumeNameOf } from './volume-name.ts'

// Whoever explains from outside makes the view of the nodes as we do.
export { aggregateTerms, pickTopologyKeys } from './topology.ts'

export type ProvisionView = {
  readonly driverName: string
  readonly seen: {
    /** Undefined once it is gone. */
    readonly claim: PersistentVolumeClaim | undefined
    readonly class: StorageClass | undefined
    /** The PersistentVolume that has the name of the claim's volume. */
    readonly volume: PersistentVolume | undefined
    readonly caches: ProvisionCaches
    readonly read: ReadObjects
  }
  /** Undefined when asked from outside. */
  readonly held?: ProvisionHeld | undefined
}

export type ProvisionHeld = {
  readonly facts: DriverFacts
  readonly settings: ProvisionSettings
  readonly nowMs: number
  /** What was begun and not brought to an end. */
  readonly attempt?: Attempt | undefined
  /** The driver said that the request can't be met, ever: not before this time, unless there is another class by that name. */
  readonly infeasible?: { readonly classUid: string; readonly untilMs: number } | undefined
  /** A volume was stored for this claim in this life: what the cache says of the claim may be older than that. */
  readonly isProvisioned?: boolean
}

/**
 * Where a volume may exist that no PersistentVolume tells of. From the first call until the end nothing but this counts, whatever the
 * claim looks like by now.
 */
export type Attempt =
  /** It is in the journal; the driver was not asked yet. */
  | { readonly kind: 'recorded'; readonly plan: ProvisionPlan }
  | { readonly kind: 'calling'; readonly plan: ProvisionPlan }
  /** An earlier life may have asked: the plan is from the journal, which has no secret values. */
  | { readonly kind: 'restored'; readonly plan: ProvisionPlan }
  | { readonly kind: 'in-doubt'; readonly plan: ProvisionPlan }
  | { readonly kind: 'spoiled'; readonly plan: ProvisionPlan; readonly volumeId: string; readonly reason: Reason }
  | { readonly kind: 'made'; readonly plan: ProvisionPlan; readonly volume: MadeVolume; readonly wasSent: boolean }

export type ProvisionStep =
  /** Nothing to do until something changes, or the time has come. No event. */
  | { readonly kind: 'wait'; readonly reason: Reason; readonly untilMs?: number }
  /** The user has to be told; again after a while. */
  | { readonly kind: 'refuse'; readonly reason: Reason }
  /** Nothing is held, and nothing is left to do: forget the claim. */
  | { readonly kind: 'forget'; readonly reason: Reason }
  /** Read it and ask again in the same pass. */
  | { readonly kind: 'read'; readonly wanted: Wanted }
  /** On every node: try to become the one that provisions it. */
  | { readonly kind: 'contend'; readonly plan: ProvisionPlan }
  | Extract<PlanStep, { kind: 'hand-off' | 'protect-source' }>
  /** Write the plan into the journal, so that not even a crash can make us forget the call that follows. */
  | { readonly kind: 'record'; readonly plan: ProvisionPlan }
  /** Call CreateVolume. The attempt is `calling` before, and what `judge-create-result` says after. */
  | { readonly kind: 'create'; readonly plan: ProvisionPlan }
  /** Create the PersistentVolume; the attempt was sent before. AlreadyExists: read it into `read.volume` and ask again. */
  | { readonly kind: 'finish'; readonly volume: PersistentVolume }
  /** It is stored: forget the attempt, remember that it was provisioned, tell the user. */
  | { readonly kind: 'done'; readonly volume: PersistentVolume }
  /** What was made may be deleted by others meanwhile: the attempt is in doubt again. */
  | { readonly kind: 'doubt'; readonly plan: ProvisionPlan; readonly reason: Reason }
  /** Call DeleteVolume for what must not stay. After success nothing is left of the attempt. */
  | { readonly kind: 'undo'; readonly request: DeleteVolumeRequest; readonly reason: Reason }
  /** Update the claim, which no longer names a node: the scheduler picks another. */
  | { readonly kind: 'reschedule'; readonly object: PersistentVolumeClaim; readonly reason: Reason }

/** What to do next for one claim, known by its uid. */
export function nextProvisionStep(view: ProvisionView): ProvisionStep {
  const { seen, held } = view
  if (held?.attempt) return nextAttemptStep(held.attempt, view)
  const { claim } = seen
  if (!claim) return { kind: 'forget', reason: { code: 'ClaimGone' } }
  // Nothing holds it: it is gone in a moment.
  if (isLeaving(claim) && (claim.metadata.finalizers ?? []).length === 0)
    return { kind: 'wait', reason: { code: 'ClaimLeaving' } }
  const judged = judgeClaim({ driverName: view.driverName, claim, class: seen.class, ownNode: held?.settings.ownNode })
  if (judged.kind === 'wait' || judged.kind === 'refuse') return judged
  if (seen.volume) return nextStoredStep(seen.volume, claim)
  const outdated = findOutdated(claim, view)
  if (outdated) return outdated
  const { infeasible } = held ?? {}
  if (held && infeasible && held.nowMs < infeasible.untilMs && infeasible.classUid === judged.class.metadata.uid) {
    return {
      kind: 'wait',
      reason: { code: 'RequestInfeasible', cure: 'Correct the StorageClass or the claim.' },
      untilMs: infeasible.untilMs,
    }
  }
  const planned = planFor(claim, judged.class, view)
  if (planned.kind === 'reschedule') return rescheduleClaim(claim, planned.reason)
  if (planned.kind !== 'planned') return planned
  if (judged.kind === 'contend') return { kind: 'contend', plan: planned.plan }
  return { kind: 'record', plan: planned.plan }
}

/** The same after a call said that there is no room: the claim without its node, or a refusal when it has none. */
export function rescheduleClaim(claim: PersistentVolumeClaim, reason: Reason): ProvisionStep {
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
      return {
        kind: 'wait',
        reason: { code: 'CallInFlight', waitsFor: { kind: 'actor', name: `the driver ${view.driverName}` } },
      }
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

// Nobody was asked yet: a claim that was deleted or bound by hand meanwhile needs nothing any more.
function nextRecordedStep(plan: ProvisionPlan, claim: PersistentVolumeClaim | undefined): ProvisionStep {
  if (!claim) return { kind: 'forget', reason: { code: 'ClaimGone' } }
  const { volumeName } = claim.spec
  return volumeName
    ? { kind: 'forget', reason: { code: 'ClaimHasVolume', detail: { volume: volumeName } } }
    : { kind: 'create', plan }
}

// To find out what was made is to ask for it again under its name; then it can be stored or deleted.
function nextRestoredStep(plan: ProvisionPlan, { seen: { read } }: ProvisionView): ProvisionStep {
  const ref = plan.secrets.provisioner
  if (!ref) return { kind: 'create', plan }
  const values = readSecretValues(read.secret, ref)
  // Without its secret the driver may deny a volume that is there: only with it can it be found and deleted.
  if (values.kind === 'read') return values
  if (values.kind !== 'ok') return { kind: 'refuse', reason: values.reason }
  return { kind: 'create', plan: { ...plan, request: { ...plan.request, secrets: { ...values.value } } } }
}

function nextMadeStep(
  { plan, volume: made, wasSent }: Extract<Attempt, { kind: 'made' }>,
  view: ProvisionView,
): ProvisionStep {
  const { claim, read } = view.seen
  const { identity, publishReadonly, heldForAttacher } = settingsOf(view)
  const isAttached = view.held?.facts.controller.has(Capability.PUBLISH_UNPUBLISH_VOLUME) ?? false
  const { request, ...planned } = plan
  const options = { identity, publishReadonly, heldForAttacher: heldForAttacher && isAttached }
  const ours = persistentVolumeOf({
    ...planned,
    name: request.name,
    capabilities: request.volumeCapabilities,
    made,
    ...options,
  })
  // What was read is newer than the cache.
  const stored = read.volume === undefined ? view.seen.volume : (read.volume ?? undefined)
  if (stored && isSameVolume(stored, ours)) return { kind: 'done', volume: stored }
  // The volume of one that is leaving is being deleted, and may be the very one that the driver gave us.
  if (stored && isLeaving(stored)) return { kind: 'doubt', plan, reason: namesakeReason(stored) }
  if (stored) return nameTaken(stored)
  // A volume that is to be retained stays visible even when its claim went before it came.
  if (!claim && !wasSent && plan.class.reclaimPolicy !== 'Retain') {
    // An earlier life may have stored it, and the cache may not know yet.
    if (read.volume !== null) return { kind: 'read', wanted: { kind: 'volume', ref: { name: request.name } } }
    // A journal may be old: somebody may have kept the volume under another name since.
    const kept = view.seen.caches.findByHandle?.(made.id)
    return kept ? { kind: 'forget', reason: ofAnother(kept) } : undo(plan, made.id, { code: 'ClaimGone' })
  }
  return { kind: 'finish', volume: ours }
}

// A driver that answers with the volume of another must not have it deleted by us.
function nextSpoiledStep(
  { plan, volumeId, reason }: Extract<Attempt, { kind: 'spoiled' }>,
  { seen }: ProvisionView,
): ProvisionStep {
  const other = seen.caches.findByHandle?.(volumeId)
  return other && other.metadata.name !== plan.request.name
    ? { kind: 'refuse', reason: ofAnother(other) }
    : undo(plan, volumeId, reason)
}

const ofAnother = ({ metadata: { name = '' }, spec }: PersistentVolume): Reason => ({
  code: 'VolumeOfAnother',
  detail: { volume: name, handle: spec.csi?.volumeHandle ?? '' },
})

function nextStoredStep(volume: PersistentVolume, claim: PersistentVolumeClaim): ProvisionStep {
  if (volume.spec.claimRef?.uid !== claim.metadata.uid) return nameTaken(volume)
  if (isLeaving(volume)) return { kind: 'wait', reason: namesakeReason(volume) }
  return { kind: 'wait', reason: { code: 'NotBoundYet', waitsFor: { kind: 'actor', name: 'the volume binder' } } }
}

// A PersistentVolume of that name and claim tells of the very volume that the driver would answer with.
function nextNamesakeStep(volume: PersistentVolume, { claim }: ProvisionPlan): ProvisionStep {
  if (isLeaving(volume)) return { kind: 'wait', reason: namesakeReason(volume) }
  if (volume.spec.claimRef?.uid === claim.metadata.uid) return { kind: 'done', volume }
  return nameTaken(volume)
}

const nameTaken = ({ metadata: { name = '' } }: PersistentVolume): ProvisionStep => ({
  kind: 'refuse',
  reason: { code: 'VolumeNameTaken', waitsFor: { kind: 'object', kindName: 'PersistentVolume', name } },
})

const namesakeReason = ({ metadata: { name = '' } }: PersistentVolume): Reason => ({
  code: 'VolumeLeaving',
  waitsFor: { kind: 'object', kindName: 'PersistentVolume', name },
})

// A stale copy of a claim that was bound or deleted long ago must not make a second volume.
function findOutdated(claim: PersistentVolumeClaim, { seen, held }: ProvisionView): ProvisionStep | undefined {
  if (!held?.isProvisioned) return undefined
  const { claim: now, volume } = seen.read
  if (now === undefined) return { kind: 'read', wanted: { kind: 'claim', ref: refOf(claim) } }
  if (now === null || now.metadata.uid !== claim.metadata.uid) return { kind: 'forget', reason: { code: 'ClaimGone' } }
  if (now.spec.volumeName)
    return { kind: 'wait', reason: { code: 'ClaimHasVolume', detail: { volume: now.spec.volumeName } } }
  if (volume === undefined)
    return {
      kind: 'read',
      wanted: { kind: 'volume', ref: { name: volumeNameOf(claim.metadata.uid ?? '', held.settings.naming) } },
    }
  return volume === null ? undefined : nextStoredStep(volume, claim)
}

function planFor(claim: PersistentVolumeClaim, storageClass: StorageClass, view: ProvisionView): PlanStep {
  const { caches, read } = view.seen
  return planVolume({
    driverName: view.driverName,
    claim,
    class: storageClass,
    caches,
    read,
    settings: settingsOf(view),
    facts: view.held?.facts,
  })
}

const settingsOf = ({ held }: ProvisionView): ProvisionSettings => held?.settings ?? DEFAULT_PROVISION_SETTINGS

const undo = ({ request: { secrets } }: ProvisionPlan, volumeId: string, reason: Reason): ProvisionStep => ({
  kind: 'undo',
  request: { volumeId, secrets },
  reason,
})

const isLeaving = ({ metadata }: { readonly metadata: ObjectMeta }): boolean => metadata.deletionTimestamp !== undefined
