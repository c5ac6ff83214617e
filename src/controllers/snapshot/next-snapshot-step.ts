import { hasFinalizer } from '../../api/finalizers.ts'
import type { PersistentVolumeClaim } from '../../api/kinds/persistent-volume-claim.ts'
import type { PersistentVolume } from '../../api/kinds/persistent-volume.ts'
import type { VolumeGroupSnapshot } from '../../api/kinds/volume-group-snapshot.ts'
import type {
  VolumeSnapshot,
  VolumeSnapshotClass,
  VolumeSnapshotContent,
  VolumeSnapshotStatus,
} from '../../api/kinds/volume-snapshot.ts'
import { isOwnedBy } from '../../api/owner-references.ts'
import { quantityOfBytes } from '../../api/quantity.ts'
import { formatTimestamp } from '../../api/timestamps.ts'
import { hasAnnotation } from '../../storage/names.ts'
import {
  BEING_CREATED,
  BEING_DELETED,
  CONTENT_FINALIZER,
  DELETION_SECRET_NAME,
  DELETION_SECRET_NAMESPACE,
  GROUP_HANDLE,
  MANAGED_BY,
  SNAPSHOT_AS_SOURCE_FINALIZER,
  SNAPSHOT_BOUND_FINALIZER,
  SNAPSHOT_IN_GROUP_FINALIZER,
  SNAPSHOT_SOURCE_CLAIM_FINALIZER,
} from '../../storage/snapshot-names.ts'
import { resolveSnapshotSecret } from '../../storage/snapshot-secrets.ts'
import { REASONS } from './reasons.ts'
import type { SnapshotReason } from './reasons.ts'
import { contentNameOf, groupRefOf, isCreatedForGroup } from './snapshot-view.ts'
import type { SnapshotView } from './snapshot-view.ts'
import { snapshotterSilence } from './snapshotter-silence.ts'

export type SnapshotStep =
  | { readonly kind: 'wait'; readonly reason: SnapshotReason; readonly event?: string; readonly retryInMs?: number }
  /** The user has to know: an event and the error in the status. `keepsReady`: readyToUse is not changed. */
  | { readonly kind: 'refuse'; readonly reason: SnapshotReason; readonly event: string; readonly keepsReady?: boolean }
  | { readonly kind: 'set-class'; readonly className: string }
  /** Add finalizers, so that the snapshot is kept until its dependents are gone. */
  | { readonly kind: 'protect'; readonly finalizers: readonly string[] }
  /** Protect the claim while the driver takes the snapshot. */
  | { readonly kind: 'hold-claim'; readonly claim: PersistentVolumeClaim }
  | { readonly kind: 'create-content'; readonly content: VolumeSnapshotContent }
  /** Write the snapshot's UID into a content that was created for it. */
  | { readonly kind: 'bind-content'; readonly content: VolumeSnapshotContent }
  | { readonly kind: 'record'; readonly status: VolumeSnapshotStatus; readonly removesError: boolean }
  /** Read from the server: the cache may not show a content that was just created. */
  | { readonly kind: 'look-for-content'; readonly name: string }
  | { readonly kind: 'look-for-group'; readonly ref: { readonly namespace: string; readonly name: string } }
  /** Make the group the owner of a member that the user has created. */
  | { readonly kind: 'join-group'; readonly group: VolumeGroupSnapshot }
  | { readonly kind: 'mark-being-deleted'; readonly content: VolumeSnapshotContent }
  | { readonly kind: 'delete-content'; readonly content: VolumeSnapshotContent }
  /** Remove the finalizer of a content for which no driver was ever called. */
  | { readonly kind: 'release-content'; readonly content: VolumeSnapshotContent }
  /** Remove our finalizers. */
  | { readonly kind: 'release' }

/** What to do about one VolumeSnapshot. */
export function nextSnapshotStep(view: SnapshotView): SnapshotStep {
  const { snapshot, snapshotClass } = view.seen
  const { source, volumeSnapshotClassName: className } = snapshot.spec
  if (snapshot.metadata.deletionTimestamp !== undefined) return nextDeletionStep(view)
  const isStatic = source.volumeSnapshotContentName !== undefined
  if (isStatic === (source.persistentVolumeClaimName !== undefined))
    return { kind: 'refuse', reason: REASONS.SourceInvalid, event: 'SnapshotValidationError' }
  if (className !== undefined && !snapshotClass && !isReady(snapshot))
    return {
      kind: 'refuse',
      reason: REASONS.SnapshotClassMissing(className),
      event: 'GetSnapshotClassFailed',
      keepsReady: true,
    }
  const missing = missingFinalizers(view)
  if (missing.length > 0) return { kind: 'protect', finalizers: missing }
  if (isReady(snapshot) && snapshot.status?.boundVolumeSnapshotContentName) return checkBound(view)
  if (isCreatedForGroup(snapshot)) return nextMemberStep(view)
  return isStatic ? nextStaticStep(view) : nextDynamicStep(view)
}

const isReady = ({ status }: VolumeSnapshot): boolean => status?.readyToUse === true

const isOfSnapshot = (
  { spec: { volumeSnapshotRef: ref } }: VolumeSnapshotContent,
  { metadata }: VolumeSnapshot,
): boolean => ref.uid === metadata.uid && ref.name === metadata.name && ref.namespace === metadata.namespace

function missingFinalizers({ seen: { snapshot, content, snapshotClass } }: SnapshotView): string[] {
  // A content to be created has the policy of its class: both finalizers are added in one write.
  const policy = content
    ? isOfSnapshot(content, snapshot)
      ? content.spec.deletionPolicy
      : 'Retain'
    : snapshotClass?.deletionPolicy
  const isStaticWithoutContent = snapshot.spec.source.volumeSnapshotContentName !== undefined && !content
  const wanted = [
    SNAPSHOT_AS_SOURCE_FINALIZER,
    ...(policy === 'Delete' && !isStaticWithoutContent ? [SNAPSHOT_BOUND_FINALIZER] : []),
  ]
  return wanted.filter((finalizer) => !hasFinalizer(snapshot, finalizer))
}

function checkBound({ seen: { snapshot, content, group } }: SnapshotView): SnapshotStep {
  const name = snapshot.status?.boundVolumeSnapshotContentName ?? ''
  if (!content) return { kind: 'refuse', reason: REASONS.ContentMissing(name), event: 'SnapshotContentMissing' }
  if (!isOfSnapshot(content, snapshot))
    return { kind: 'refuse', reason: REASONS.SnapshotMisbound(name), event: 'SnapshotMisbound' }
  if (group && group.metadata.deletionTimestamp === undefined) {
    const groupName = groupNameOf(snapshot, group)
    if (groupName) return { kind: 'record', status: groupName, removesError: false }
    if (!isOwnedBy(snapshot, group)) return { kind: 'join-group', group }
  }
  return wait(REASONS.SnapshotReady)
}

/** The content of a snapshot that was created for a group is also created by the group. */
function nextMemberStep({ seen: { snapshot, content, group } }: SnapshotView): SnapshotStep {
  const name = contentNameOf(snapshot)
  // The group writes the driver's response about this member next.
  if (!content || content.status?.snapshotHandle === undefined) return wait(REASONS.MemberWithoutContent(name))
  return isOfSnapshot(content, snapshot)
    ? nextRecordStep(snapshot, content, group)
    : { kind: 'refuse', reason: REASONS.ContentMisbound(name), event: 'SnapshotContentMisbound' }
}

function nextStaticStep({ seen: { snapshot, content, group }, held }: SnapshotView): SnapshotStep {
  const name = contentNameOf(snapshot)
  if (!content) return { kind: 'refuse', reason: REASONS.ContentMissing(name), event: 'SnapshotContentMissing' }
  if (content.spec.source.snapshotHandle === undefined)
    return {
      kind: 'refuse',
      reason: REASONS.ContentMismatch(name, 'pre-provisioned'),
      event: 'SnapshotContentMismatch',
    }
  const { volumeSnapshotRef: ref } = content.spec
  const { metadata } = snapshot
  if (ref.name !== metadata.name || ref.namespace !== metadata.namespace || (ref.uid && ref.uid !== metadata.uid))
    return { kind: 'refuse', reason: REASONS.ContentMisbound(name), event: 'SnapshotContentMisbound' }
  return ref.uid ? nextRecordStep(snapshot, content, group, held?.nowMs) : { kind: 'bind-content', content }
}

function nextDynamicStep(view: SnapshotView): SnapshotStep {
  const { snapshot, content, snapshotClass, claim, volume } = view.seen
  const name = contentNameOf(snapshot)
  if (content) {
    if (content.spec.source.volumeHandle === undefined)
      return {
        kind: 'refuse',
        reason: REASONS.ContentMismatch(name, 'dynamically provisioned'),
        event: 'SnapshotContentMismatch',
      }
    return isOfSnapshot(content, snapshot)
      ? nextRecordStep(snapshot, content, view.seen.group, view.held?.nowMs)
      : { kind: 'refuse', reason: REASONS.ContentMisbound(name), event: 'SnapshotContentMisbound' }
  }
  const ref = {
    namespace: snapshot.metadata.namespace ?? '',
    name: snapshot.spec.source.persistentVolumeClaimName ?? '',
  }
  const fail = (reason: SnapshotReason): SnapshotStep => ({
    kind: 'refuse',
    reason,
    event: 'SnapshotContentCreationFailed',
  })
  if (!claim) return fail(REASONS.ClaimMissing(ref))
  if (claim.status?.phase !== 'Bound' || !claim.spec.volumeName) return fail(REASONS.ClaimNotBound(ref))
  if (!volume) return fail(REASONS.VolumeMissing(claim.spec.volumeName))
  const { claimRef, csi } = volume.spec
  if (claimRef?.uid !== claim.metadata.uid) return fail(REASONS.VolumeOfOther(claim.spec.volumeName))
  if (!csi) return fail(REASONS.VolumeNotCsi(claim.spec.volumeName))
  if (!snapshotClass) return chooseClass(view, csi.driver)
  if (snapshotClass.driver !== csi.driver)
    return fail(REASONS.SnapshotClassOfOther(snapshotClass.metadata.name ?? '', snapshotClass.driver, csi.driver))
  if (!hasFinalizer(claim, SNAPSHOT_SOURCE_CLAIM_FINALIZER))
    return claim.metadata.deletionTimestamp === undefined
      ? { kind: 'hold-claim', claim }
      : fail(REASONS.ClaimLeaving(ref))
  const created = createContent(snapshot, snapshotClass, volume, view.held)
  return created.kind === 'content'
    ? { kind: 'create-content', content: created.content }
    : fail(REASONS.SecretReferenceInvalid(created.message))
}

function chooseClass({ seen: { defaultClasses } }: SnapshotView, driver: string): SnapshotStep {
  const candidates = defaultClasses.filter((each) => each.driver === driver).map(({ metadata }) => metadata.name ?? '')
  const event = 'SetDefaultSnapshotClassFailed'
  if (candidates.length > 1)
    return {
      kind: 'refuse',
      reason: REASONS.SeveralDefaultSnapshotClasses(candidates.toSorted()),
      event,
      keepsReady: true,
    }
  const [className] = candidates
  return className === undefined
    ? { kind: 'refuse', reason: REASONS.NoDefaultSnapshotClass(driver), event, keepsReady: true }
    : { kind: 'set-class', className }
}

type Created =
  | { readonly kind: 'content'; readonly content: VolumeSnapshotContent }
  | { readonly kind: 'problem'; readonly message: string }

function createContent(
  snapshot: VolumeSnapshot,
  { metadata: { name: className = '' }, driver, deletionPolicy, parameters = {} }: VolumeSnapshotClass,
  volume: PersistentVolume,
  held: SnapshotView['held'],
): Created {
  const { csi, volumeMode } = volume.spec
  const node = held?.nodeOf?.(volume)
  const { namespace = '', name = '', uid = '', resourceVersion = '' } = snapshot.metadata
  const contentName = contentNameOf(snapshot)
  const secret = resolveSnapshotSecret('snapshotter', parameters, {
    word: 'volumesnapshot',
    contentName,
    snapshot: { namespace, name },
  })
  if (secret.kind === 'problem') return secret
  const annotations =
    secret.kind === 'named'
      ? { [DELETION_SECRET_NAME]: secret.ref.name, [DELETION_SECRET_NAMESPACE]: secret.ref.namespace }
      : undefined
  const content: VolumeSnapshotContent = {
    apiVersion: 'snapshot.storage.k8s.io/v1',
    kind: 'VolumeSnapshotContent',
    // Created with its finalizer, which saves a write and leaves no moment without protection.
    metadata: {
      name: contentName,
      finalizers: [CONTENT_FINALIZER],
      ...(annotations ? { annotations } : {}),
      ...(node === undefined ? {} : { labels: { [MANAGED_BY]: node } }),
    },
    spec: {
      volumeSnapshotRef: {
        apiVersion: snapshot.apiVersion,
        kind: snapshot.kind,
        namespace,
        name,
        uid,
        resourceVersion,
      },
      source: { volumeHandle: csi?.volumeHandle ?? '' },
      volumeSnapshotClassName: className,
      deletionPolicy,
      driver,
      ...((held?.passesVolumeMode ?? true) && volumeMode ? { sourceVolumeMode: volumeMode } : {}),
    },
  }
  return { kind: 'content', content }
}

/** Copies the status of the content. Time and size are set once. */
function nextRecordStep(
  snapshot: VolumeSnapshot,
  content: VolumeSnapshotContent,
  group: VolumeGroupSnapshot | undefined,
  nowMs?: number,
): SnapshotStep {
  const { metadata, spec, status } = content
  const { name = '' } = metadata
  const before = snapshot.status
  const hasFailed = status?.error?.message !== undefined && status.error.message !== before?.error?.message
  const wanted: VolumeSnapshotStatus = {
    ...(before?.boundVolumeSnapshotContentName === undefined ? { boundVolumeSnapshotContentName: name } : {}),
    ...(before?.creationTime === undefined && status?.creationTime !== undefined
      ? { creationTime: formatTimestamp(Number(BigInt(status.creationTime) / 1_000_000n)) }
      : {}),
    ...((before?.readyToUse ?? undefined) === (status?.readyToUse ?? false)
      ? {}
      : { readyToUse: status?.readyToUse ?? false }),
    ...(isUnsized(before?.restoreSize) && status?.restoreSize
      ? { restoreSize: quantityOfBytes(BigInt(status.restoreSize)) }
      : {}),
    ...(hasFailed && status?.error ? { error: status.error } : {}),
    ...(group && groupNameOf(snapshot, group)),
  }
  const removesError = before?.error !== undefined && (status?.error ?? undefined) === undefined
  if (Object.keys(wanted).length > 0 || removesError) return { kind: 'record', status: wanted, removesError }
  if (status?.readyToUse) return wait(REASONS.SnapshotReady)
  const silence = snapshotterSilence(content, BEING_CREATED, nowMs)
  if (silence === 'long')
    return { kind: 'wait', reason: REASONS.SnapshotNotStarted(name, spec.driver), event: 'SnapshotterNotResponding' }
  return {
    ...wait(REASONS.SnapshotBeingTaken(name, spec.driver)),
    ...(silence === 'none' ? {} : { retryInMs: silence.leftMs }),
  }
}

/** The name of the group, unless the snapshot has it. */
const groupNameOf = ({ status }: VolumeSnapshot, { metadata: { name = '' } }: VolumeGroupSnapshot) =>
  status?.volumeGroupSnapshotName === undefined ? { volumeGroupSnapshotName: name } : undefined

const isUnsized = (size: string | undefined): boolean => size === undefined || size === '0'

function nextDeletionStep({ seen: { snapshot, content, restoring, group }, held }: SnapshotView): SnapshotStep {
  if (!OUR_FINALIZERS.some((finalizer) => hasFinalizer(snapshot, finalizer))) return wait(REASONS.Released)
  if (restoring) {
    const { namespace = '', name = '' } = restoring.metadata
    return { kind: 'wait', reason: REASONS.BeingRestored({ namespace, name }), event: 'SnapshotDeletePending' }
  }
  const { namespace = '', name: snapshotName = '' } = snapshot.metadata
  const groupRef = groupRefOf(snapshot)
  if (group) {
    const reason = REASONS.SnapshotInGroup({ namespace, name: snapshotName }, group.metadata.name ?? '')
    const retry = held?.followsGroups === false ? { retryInMs: UNFOLLOWED_RETRY_MS } : {}
    // A group that is being deleted deletes its members too.
    const event = group.metadata.deletionTimestamp === undefined ? { event: 'SnapshotDeletePending' } : {}
    return { kind: 'wait', reason, ...event, ...retry }
  }
  if (groupRef && held && !held.isGroupConfirmed)
    return { kind: 'look-for-group', ref: { namespace, name: groupRef.name } }
  if (!content && held && !held.isContentConfirmed) return { kind: 'look-for-content', name: contentNameOf(snapshot) }
  // Only a content that names exactly this snapshot is deleted with it.
  if (!content || !isOfSnapshot(content, snapshot)) return { kind: 'release' }
  const isMember = hasAnnotation(content, GROUP_HANDLE) || content.status?.volumeGroupSnapshotHandle !== undefined
  const deletesContent = content.spec.deletionPolicy === 'Delete'
  // The snapshotter has to delete a snapshot only if it is not deleted with its group.
  const needsSnapshotter = !isMember || !deletesContent
  if (needsSnapshotter && !hasAnnotation(content, BEING_DELETED)) return { kind: 'mark-being-deleted', content }
  if (!deletesContent) return { kind: 'release' }
  if (content.metadata.deletionTimestamp === undefined) return { kind: 'delete-content', content }
  // No driver was called for a snapshot, so a snapshotter has nothing to delete: none needs to be running.
  const isUntouched =
    !hasAnnotation(content, BEING_CREATED) && !content.status && content.spec.source.volumeHandle !== undefined
  if ((isUntouched || isMember) && hasFinalizer(content, CONTENT_FINALIZER)) return { kind: 'release-content', content }
  return wait(REASONS.ContentStillThere(content.metadata.name ?? '', content.spec.driver))
}

const OUR_FINALIZERS = [SNAPSHOT_AS_SOURCE_FINALIZER, SNAPSHOT_BOUND_FINALIZER, SNAPSHOT_IN_GROUP_FINALIZER]
const UNFOLLOWED_RETRY_MS = 60_000

const wait = (reason: SnapshotReason): Extract<SnapshotStep, { kind: 'wait' }> => ({ kind: 'wait', reason })
