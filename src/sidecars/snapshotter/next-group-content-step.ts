import { hasFinalizer } from '../../api/finalizers.ts'
import type { VolumeGroupSnapshotContent } from '../../api/kinds/volume-group-snapshot.ts'
import { hasAnnotation } from '../../storage/names.ts'
import {
  GROUP_BEING_CREATED,
  GROUP_BEING_DELETED,
  GROUP_CONTENT_FINALIZER,
  GROUP_DELETION_SECRET_NAME,
  GROUP_DELETION_SECRET_NAMESPACE,
} from '../../storage/snapshot-names.ts'
import { driverParametersOf, resolveSnapshotSecret } from '../../storage/snapshot-secrets.ts'
import { annotatedSecret, hasRefused, nextSecretStep, snapshotNameOf, wait, waitForRetry } from './driver-call.ts'
import type { CallStep, SecretRef } from './driver-call.ts'
import type { GroupAnswer, GroupContentView } from './group-content-view.ts'
import { REASONS } from './reasons.ts'
import type { SnapshotterReason } from './reasons.ts'

export type CreateGroupRequest = {
  readonly name: string
  readonly sourceVolumeIds: readonly string[]
  readonly parameters: Readonly<Record<string, string>>
}

/** A group snapshot that the driver has. */
export type KnownGroup = { readonly groupHandle: string; readonly snapshotHandles: readonly string[] }

export type GroupContentStep =
  | CallStep<GroupAnswer>
  | { readonly kind: 'create'; readonly request: CreateGroupRequest }
  | ({ readonly kind: 'check' } & KnownGroup)
  | ({ readonly kind: 'delete' } & KnownGroup)

/** What to do about one VolumeGroupSnapshotContent of this driver. */
export function nextGroupContentStep(view: GroupContentView): GroupContentStep {
  const { content } = view.seen
  const { memory } = view.held ?? {}
  if (memory?.kind === 'answered') return { kind: 'record', answer: memory.answer }
  const isLeaving = content.metadata.deletionTimestamp !== undefined
  if (isLeaving) {
    if (isToBeDeleted(content)) return nextDeleteStep(view)
    if (hasRefused(memory) && hasAnnotation(content, GROUP_BEING_CREATED)) return { kind: 'unmark-being-created' }
  }
  if (content.status?.readyToUse) {
    if (hasAnnotation(content, GROUP_BEING_CREATED)) return { kind: 'unmark-being-created' }
    return wait(isLeaving ? REASONS.GroupSnapshotStillThere : REASONS.GroupSnapshotReady)
  }
  const { volumeHandles = [], groupSnapshotHandles } = content.spec.source
  if (groupSnapshotHandles) return nextCheckStep(view, groupSnapshotHandles.volumeGroupSnapshotHandle)
  return nextCreateStep(view, volumeHandles)
}

/** An unused content is deleted immediately; a used one is deleted with its VolumeGroupSnapshot, and never while a call may still create one. */
function isToBeDeleted(content: VolumeGroupSnapshotContent): boolean {
  const { source, volumeGroupSnapshotRef } = content.spec
  if (source.groupSnapshotHandles && !volumeGroupSnapshotRef.uid) return true
  if (!hasAnnotation(content, GROUP_BEING_DELETED)) return false
  return !hasAnnotation(content, GROUP_BEING_CREATED) || content.status?.volumeGroupSnapshotHandle !== undefined
}

function nextDeleteStep({ seen: { content }, held }: GroupContentView): GroupContentStep {
  if (!hasFinalizer(content, GROUP_CONTENT_FINALIZER)) return wait(REASONS.Released)
  const groupHandle = content.status?.volumeGroupSnapshotHandle
  const isDriversToDelete = content.spec.deletionPolicy === 'Delete' && groupHandle !== undefined
  if (!isDriversToDelete || held?.memory?.kind === 'deleted') return { kind: 'release' }
  return (
    waitForRetry('delete', held) ??
    nextSecretStep('delete', deletionSecretOf(content), held?.secret) ?? {
      kind: 'delete',
      groupHandle,
      snapshotHandles: snapshotHandlesOf(content),
    }
  )
}

/** The handles of the members: from the driver, or from the user for a pre-provisioned group snapshot. */
function snapshotHandlesOf({ spec, status }: VolumeGroupSnapshotContent): readonly string[] {
  const listed = (status?.volumeSnapshotInfoList ?? []).flatMap(({ snapshotHandle }) => snapshotHandle ?? [])
  return listed.length > 0 ? listed : (spec.source.groupSnapshotHandles?.volumeSnapshotHandles ?? [])
}

function nextCheckStep(
  { seen: { content, groupClass }, held }: GroupContentView,
  groupHandle: string,
): GroupContentStep {
  const { volumeGroupSnapshotClassName: className, driver } = content.spec
  const refuse = (reason: SnapshotterReason): GroupContentStep => ({ kind: 'refuse', call: 'check', reason })
  const waiting = waitForRetry('check', held)
  if (waiting) return waiting
  if (held && !held.canTakeGroups) return refuse(REASONS.GroupSnapshotsNotSupported(driver))
  const check = { kind: 'check', groupHandle, snapshotHandles: snapshotHandlesOf(content) } as const
  if (className === undefined) return check
  if (!groupClass) return refuse(REASONS.GroupSnapshotClassMissing(className))
  const subject = { word: 'volumegroupsnapshot', contentName: content.metadata.name ?? '' } as const
  const secret = resolveSnapshotSecret('group-snapshotter-get', groupClass.parameters ?? {}, subject)
  if (secret.kind === 'problem') return refuse(REASONS.GroupSecretReferenceInvalid(secret.message))
  return nextSecretStep('check', secret.kind === 'named' ? secret.ref : undefined, held?.secret) ?? check
}

function nextCreateStep(
  { seen: { content, groupClass }, held }: GroupContentView,
  sourceVolumeIds: readonly string[],
): GroupContentStep {
  const { volumeGroupSnapshotClassName: className, volumeGroupSnapshotRef: ref, driver } = content.spec
  const refuse = (reason: SnapshotterReason): GroupContentStep => ({ kind: 'refuse', call: 'create', reason })
  const waiting = waitForRetry('create', held)
  if (waiting) return waiting
  if (!ref.uid) return wait(REASONS.GroupContentNotBound)
  if (held && !held.canTakeGroups) return refuse(REASONS.GroupSnapshotsNotSupported(driver))
  if (className === undefined) return refuse(REASONS.GroupSnapshotClassNotNamed(content.metadata.name ?? ''))
  if (!groupClass) return refuse(REASONS.GroupSnapshotClassMissing(className))
  const own = driverParametersOf(groupClass.parameters ?? {})
  if (own.kind === 'problem') return refuse(REASONS.GroupParametersInvalid(own.message))
  const secret = nextSecretStep('create', deletionSecretOf(content), held?.secret)
  if (secret) return secret
  if (!hasAnnotation(content, GROUP_BEING_CREATED)) return { kind: 'mark-being-created' }
  const request = {
    sourceVolumeIds,
    name: snapshotNameOf(ref.uid, held?.names ?? { prefix: 'groupsnapshot', uuidLength: -1 }),
    parameters: { ...own.parameters, ...(held?.passesMetadata ? metadataOf(content) : {}) },
  }
  return { kind: 'create', request }
}

const deletionSecretOf = (content: VolumeGroupSnapshotContent): SecretRef | undefined =>
  annotatedSecret(content, GROUP_DELETION_SECRET_NAME, GROUP_DELETION_SECRET_NAMESPACE)

const metadataOf = ({ metadata, spec }: VolumeGroupSnapshotContent): Record<string, string> => ({
  'csi.storage.k8s.io/volumegroupsnapshot/name': spec.volumeGroupSnapshotRef.name ?? '',
  'csi.storage.k8s.io/volumegroupsnapshot/namespace': spec.volumeGroupSnapshotRef.namespace ?? '',
  'csi.storage.k8s.io/volumegroupsnapshotcontent/name': metadata.name ?? '',
})
