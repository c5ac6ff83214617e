import { hasFinalizer } from '../../api/finalizers.ts'
import type { PersistentVolumeClaim } from '../../api/kinds/persistent-volume-claim.ts'
import type { VolumeGroupSnapshotContent, VolumeGroupSnapshotStatus } from '../../api/kinds/volume-group-snapshot.ts'
import type { VolumeGroupSnapshot } from '../../api/kinds/volume-group-snapshot.ts'
import type {
  VolumeSnapshot,
  VolumeSnapshotContent,
  VolumeSnapshotContentStatus,
} from '../../api/kinds/volume-snapshot.ts'
import { formatLabelSelector, labelRequirementsOf } from '../../api/label-selector.ts'
import { hasAnnotation } from '../../storage/names.ts'
import {
  GROUP_BEING_CREATED,
  GROUP_BEING_DELETED,
  GROUP_BOUND_FINALIZER,
  GROUP_CONTENT_FINALIZER,
  SNAPSHOT_SOURCE_CLAIM_FINALIZER,
} from '../../storage/snapshot-names.ts'
import { GROUP_REASONS } from './group-reasons.ts'
import type { GroupReason } from './group-reasons.ts'
import { groupContentNameOf } from './group-view.ts'
import type { GroupMember, GroupSource, GroupView } from './group-view.ts'
import { snapshotterSilence } from './snapshotter-silence.ts'
import { groupContentFor, memberContentFor, memberSnapshotFor, memberStatusOf } from './group-objects.ts'

export type GroupStep = Readonly<
  | { kind: 'wait'; reason: GroupReason; event?: string; retryInMs?: number }
  /** The user has to know: an event and the error in the status. `keepsReady`: readyToUse is not changed. */
  | { kind: 'refuse'; reason: GroupReason; event: string; keepsReady?: boolean }
  | { kind: 'set-class'; className: string }
  /** Add the finalizer, so that the group is kept until its dependents are gone. */
  | { kind: 'protect' }
  /** Protect the claims while the driver takes the group snapshot. */
  | { kind: 'hold-claims'; claims: readonly PersistentVolumeClaim[] }
  | { kind: 'create-content'; content: VolumeGroupSnapshotContent; claims: readonly PersistentVolumeClaim[] }
  /** Write the group's UID into a content that was created for it. */
  | { kind: 'bind-content'; content: VolumeGroupSnapshotContent }
  | { kind: 'create-members'; snapshots: readonly VolumeSnapshot[] }
  | { kind: 'create-member-contents'; contents: readonly VolumeSnapshotContent[] }
  | { kind: 'record-members'; records: readonly MemberRecord[] }
  | { kind: 'record'; status: VolumeGroupSnapshotStatus; removesError: boolean }
  /** Read from the server: the cache may not show an object that was just created. */
  | { kind: 'look-for-content'; name: string }
  | { kind: 'look-for-members' }
  | { kind: 'mark-being-deleted'; content: VolumeGroupSnapshotContent }
  | { kind: 'delete-content'; content: VolumeGroupSnapshotContent }
  /** Remove the finalizer of a content for which no driver was ever called. */
  | { kind: 'release-content'; content: VolumeGroupSnapshotContent }
  | { kind: 'delete-members'; snapshots: readonly VolumeSnapshot[] }
  /** Remove our finalizer. */
  | { kind: 'release' }
>

export type MemberRecord = { readonly content: VolumeSnapshotContent; readonly status: VolumeSnapshotContentStatus }

/** What to do about one VolumeGroupSnapshot. */
export function nextGroupStep(view: GroupView): GroupStep {
  const { group, groupClass, content } = view.seen
  const { source, volumeGroupSnapshotClassName: className } = group.spec
  if (group.metadata.deletionTimestamp !== undefined) return nextDeletionStep(view)
  const isStatic = source.volumeGroupSnapshotContentName !== undefined
  if (isStatic === (source.selector !== undefined))
    return { kind: 'refuse', reason: GROUP_REASONS.GroupSourceInvalid, event: 'GroupSnapshotValidationError' }
  const isReady = group.status?.readyToUse === true
  if (className !== undefined && !groupClass && !content && !isReady)
    return {
      kind: 'refuse',
      reason: GROUP_REASONS.GroupSnapshotClassMissing(className),
      event: 'GetGroupSnapshotClassFailed',
      keepsReady: true,
    }
  if (content && isOfGroup(content, group) && !hasFinalizer(group, GROUP_BOUND_FINALIZER)) return { kind: 'protect' }
  if (isReady && group.status?.boundVolumeGroupSnapshotContentName) return checkBound(view)
  return isStatic ? nextStaticStep(view) : nextDynamicStep(view)
}

const isOfGroup = (
  { spec: { volumeGroupSnapshotRef: ref } }: VolumeGroupSnapshotContent,
  { metadata }: VolumeGroupSnapshot,
): boolean => ref.uid === metadata.uid && ref.name === metadata.name && ref.namespace === metadata.namespace

function checkBound({ seen: { group, content } }: GroupView): GroupStep {
  const name = group.status?.boundVolumeGroupSnapshotContentName ?? ''
  if (!content)
    return { kind: 'refuse', reason: GROUP_REASONS.GroupContentMissing(name), event: 'GroupSnapshotContentMissing' }
  if (!isOfGroup(content, group))
    return { kind: 'refuse', reason: GROUP_REASONS.GroupSnapshotMisbound(name), event: 'GroupSnapshotMisbound' }
  return wait(GROUP_REASONS.GroupSnapshotReady)
}

function nextStaticStep({ seen: { group, content }, held }: GroupView): GroupStep {
  const name = groupContentNameOf(group)
  if (!content)
    return { kind: 'refuse', reason: GROUP_REASONS.GroupContentMissing(name), event: 'GroupSnapshotContentMissing' }
  if (!content.spec.source.groupSnapshotHandles)
    return {
      kind: 'refuse',
      reason: GROUP_REASONS.GroupContentMismatch(name, 'pre-provisioned'),
      event: 'GroupSnapshotContentMismatch',
    }
  const { volumeGroupSnapshotRef: ref } = content.spec
  const { metadata } = group
  if (ref.name !== metadata.name || ref.namespace !== metadata.namespace || (ref.uid && ref.uid !== metadata.uid))
    return { kind: 'refuse', reason: GROUP_REASONS.GroupContentMisbound(name), event: 'GroupSnapshotContentMisbound' }
  return ref.uid ? nextRecordStep(group, content, held?.nowMs) : { kind: 'bind-content', content }
}

function nextDynamicStep(view: GroupView): GroupStep {
  const { group, content } = view.seen
  if (!content) return nextCreationStep(view)
  const name = groupContentNameOf(group)
  if (content.spec.source.groupSnapshotHandles)
    return {
      kind: 'refuse',
      reason: GROUP_REASONS.GroupContentMismatch(name, 'dynamically provisioned'),
      event: 'GroupSnapshotContentMismatch',
    }
  if (!isOfGroup(content, group))
    return { kind: 'refuse', reason: GROUP_REASONS.GroupContentMisbound(name), event: 'GroupSnapshotContentMisbound' }
  // The members exist before the group is ready.
  return nextMemberStep(view, content) ?? nextRecordStep(group, content, view.held?.nowMs)
}

function nextMemberStep(
  { seen: { group, members }, held }: GroupView,
  content: VolumeGroupSnapshotContent,
): GroupStep | undefined {
  const groupHandle = content.status?.volumeGroupSnapshotHandle
  if (groupHandle === undefined) return undefined
  const withoutSnapshot = members.filter(({ snapshot }) => !snapshot)
  if (withoutSnapshot.length > 0)
    return {
      kind: 'create-members',
      snapshots: withoutSnapshot.map((member) => memberSnapshotFor(member, group, content)),
    }
  const withoutContent = members.filter((member) => !member.content)
  if (withoutContent.length > 0)
    return {
      kind: 'create-member-contents',
      contents: withoutContent.map((member) => memberContentFor(member, content, held?.passesVolumeMode ?? true)),
    }
  const records = unrecorded(members, groupHandle)
  return records.length > 0 ? { kind: 'record-members', records } : undefined
}

/** Contents of members that do not show the driver's response yet. */
const unrecorded = (members: readonly GroupMember[], groupHandle: string | undefined): MemberRecord[] =>
  members.flatMap((member) =>
    groupHandle !== undefined && member.content && member.content.status?.snapshotHandle === undefined
      ? [{ content: member.content, status: memberStatusOf(member, groupHandle) }]
      : [],
  )

function nextCreationStep(view: GroupView): GroupStep {
  const { group, groupClass, sources, selectorProblem } = view.seen
  const obstacle =
    selectorProblem === undefined ? findObstacle(view) : GROUP_REASONS.GroupSelectorInvalid(selectorProblem)
  if (obstacle) return failCreation(obstacle)
  const driver = sources[0]?.volume?.spec.csi?.driver ?? ''
  if (!groupClass) return chooseClass(view, driver)
  const stranger = sources.find(({ volume }) => volume?.spec.csi?.driver !== groupClass.driver)
  if (stranger) {
    const { metadata, spec } = stranger.volume ?? { metadata: {}, spec: {} }
    return {
      ...failCreation(
        GROUP_REASONS.GroupVolumeOfOtherDriver(metadata.name ?? '', spec.csi?.driver ?? '', groupClass.driver),
      ),
      event: 'CreateGroupSnapshotContentFailed',
    }
  }
  const nodes = nodesOf(sources, view)
  if (nodes.length > 1) return failCreation(GROUP_REASONS.GroupOnSeveralNodes(nodes))
  const created = groupContentFor(group, groupClass, sources, nodes[0])
  if (created.kind === 'problem') return failCreation(GROUP_REASONS.GroupSecretReferenceInvalid(created.message))
  if (!hasFinalizer(group, GROUP_BOUND_FINALIZER)) return { kind: 'protect' }
  const claims = sources.map(({ claim }) => claim)
  const unheld = claims.filter((claim) => !hasFinalizer(claim, SNAPSHOT_SOURCE_CLAIM_FINALIZER))
  if (unheld.length > 0) return { kind: 'hold-claims', claims: unheld }
  return { kind: 'create-content', content: created.content, claims }
}

const failCreation = (reason: GroupReason): Extract<GroupStep, { kind: 'refuse' }> => ({
  kind: 'refuse',
  reason,
  event:
    reason.code === 'GroupVolumeNotCsi' ? 'CreateGroupSnapshotContentFailed' : 'GroupSnapshotContentCreationFailed',
})

/** Why no snapshot of the claims can be taken. */
function findObstacle({ seen: { group, sources } }: GroupView): GroupReason | undefined {
  if (sources.length === 0)
    return GROUP_REASONS.NoClaimsSelected(
      formatLabelSelector(labelRequirementsOf(group.spec.source.selector ?? {})) || '<none>',
    )
  for (const { claim, volume } of sources) {
    const ref = { namespace: claim.metadata.namespace ?? '', name: claim.metadata.name ?? '' }
    const { volumeName } = claim.spec
    if (claim.status?.phase !== 'Bound' || !volumeName) return GROUP_REASONS.GroupClaimNotBound(ref)
    if (!volume) return GROUP_REASONS.GroupVolumeMissing(volumeName)
    if (volume.spec.claimRef?.uid !== claim.metadata.uid) return GROUP_REASONS.GroupVolumeOfOther(volumeName)
    if (!volume.spec.csi) return GROUP_REASONS.GroupVolumeNotCsi(volumeName)
    if (claim.metadata.deletionTimestamp !== undefined && !hasFinalizer(claim, SNAPSHOT_SOURCE_CLAIM_FINALIZER))
      return GROUP_REASONS.GroupClaimLeaving(ref)
  }
  return undefined
}

function nodesOf(sources: readonly GroupSource[], { held }: GroupView): string[] {
  const nodes = sources.flatMap(({ volume }) => (volume && held?.nodeOf?.(volume)) ?? [])
  return Array.from(new Set(nodes)).toSorted()
}

function chooseClass({ seen: { defaultClasses } }: GroupView, driver: string): GroupStep {
  const candidates = defaultClasses.filter((each) => each.driver === driver).map(({ metadata }) => metadata.name ?? '')
  const event = 'SetDefaultGroupSnapshotClassFailed'
  if (candidates.length > 1)
    return {
      kind: 'refuse',
      reason: GROUP_REASONS.SeveralDefaultGroupSnapshotClasses(candidates.toSorted()),
      event,
      keepsReady: true,
    }
  const [className] = candidates
  return className === undefined
    ? { kind: 'refuse', reason: GROUP_REASONS.NoDefaultGroupSnapshotClass(driver), event, keepsReady: true }
    : { kind: 'set-class', className }
}

/** Copies the status of the content. The time is set once. */
function nextRecordStep(
  group: VolumeGroupSnapshot,
  content: VolumeGroupSnapshotContent,
  nowMs: number | undefined,
): GroupStep {
  const { metadata, spec, status } = content
  const { name = '' } = metadata
  const before = group.status
  const hasFailed = status?.error?.message !== undefined && status.error.message !== before?.error?.message
  const wanted: VolumeGroupSnapshotStatus = {
    ...(before?.boundVolumeGroupSnapshotContentName === undefined ? { boundVolumeGroupSnapshotContentName: name } : {}),
    ...(before?.creationTime === undefined && status?.creationTime !== undefined
      ? { creationTime: status.creationTime }
      : {}),
    ...((before?.readyToUse ?? undefined) === (status?.readyToUse ?? false)
      ? {}
      : { readyToUse: status?.readyToUse ?? false }),
    ...(hasFailed && status?.error ? { error: status.error } : {}),
  }
  const removesError = before?.error !== undefined && (status?.error ?? undefined) === undefined
  if (Object.keys(wanted).length > 0 || removesError) return { kind: 'record', status: wanted, removesError }
  if (status?.readyToUse) return wait(GROUP_REASONS.GroupSnapshotReady)
  const silence = snapshotterSilence(content, GROUP_BEING_CREATED, nowMs)
  if (silence === 'long')
    return {
      kind: 'wait',
      reason: GROUP_REASONS.GroupSnapshotNotStarted(name, spec.driver),
      event: 'SnapshotterNotResponding',
    }
  const waiting = { kind: 'wait', reason: GROUP_REASONS.GroupSnapshotBeingTaken(name, spec.driver) } as const
  return silence === 'none' ? waiting : { ...waiting, retryInMs: silence.leftMs }
}

function nextDeletionStep({ seen, held }: GroupView): GroupStep {
  const { group, content, snapshots, restoring, members } = seen
  if (!hasFinalizer(group, GROUP_BOUND_FINALIZER)) return wait(GROUP_REASONS.GroupReleased)
  if (restoring)
    return {
      kind: 'wait',
      reason: GROUP_REASONS.MemberBeingRestored(refOf(restoring.snapshot), refOf(group), refOf(restoring.claim)),
      event: 'SnapshotDeletePending',
    }
  if (!content && held && !held.isContentConfirmed) return { kind: 'look-for-content', name: groupContentNameOf(group) }
  // Only a content that names exactly this group is deleted with it.
  const own = content && isOfGroup(content, group) ? content : undefined
  if (own && !hasAnnotation(own, GROUP_BEING_DELETED)) return { kind: 'mark-being-deleted', content: own }
  const deletesContent = own?.spec.deletionPolicy === 'Delete'
  // Contents of members that are kept must have their snapshot handles: nobody adds them later.
  const records = own && !deletesContent ? unrecorded(members, own.status?.volumeGroupSnapshotHandle) : []
  if (records.length > 0) return { kind: 'record-members', records }
  if (deletesContent && own.metadata.deletionTimestamp === undefined) return { kind: 'delete-content', content: own }
  const remaining = snapshots.filter(({ metadata }) => metadata.deletionTimestamp === undefined)
  if (remaining.length > 0) return { kind: 'delete-members', snapshots: remaining }
  if (deletesContent) {
    // No driver was called for a group snapshot, so a snapshotter has nothing to delete: none needs to be running.
    const isUntouched =
      !hasAnnotation(own, GROUP_BEING_CREATED) && !own.status && own.spec.source.volumeHandles !== undefined
    return isUntouched && hasFinalizer(own, GROUP_CONTENT_FINALIZER)
      ? { kind: 'release-content', content: own }
      : wait(GROUP_REASONS.GroupContentStillThere(own.metadata.name ?? '', own.spec.driver))
  }
  return held && !held.areSnapshotsConfirmed ? { kind: 'look-for-members' } : { kind: 'release' }
}

const refOf = ({
  metadata: { namespace = '', name = '' },
}: {
  readonly metadata: { namespace?: string; name?: string }
}) => ({
  namespace,
  name,
})

const wait = (reason: GroupReason): GroupStep => ({ kind: 'wait', reason })
