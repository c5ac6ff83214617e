import { hasFinalizer } from '../../api/finalizers.ts'
import type { VolumeSnapshotContent } from '../../api/kinds/volume-snapshot.ts'
import { hasAnnotation } from '../../storage/names.ts'
import {
  BEING_CREATED,
  BEING_DELETED,
  CONTENT_FINALIZER,
  DELETION_SECRET_NAME,
  DELETION_SECRET_NAMESPACE,
  GROUP_HANDLE,
} from '../../storage/snapshot-names.ts'
import { driverParametersOf, resolveSnapshotSecret } from '../../storage/snapshot-secrets.ts'
import type { ContentView, SnapshotAnswer } from './content-view.ts'
import { annotatedSecret, hasRefused, nextSecretStep, snapshotNameOf, wait, waitForRetry } from './driver-call.ts'
import type { CallStep, SecretRef } from './driver-call.ts'
import { REASONS } from './reasons.ts'
import type { SnapshotterReason } from './reasons.ts'

export type CreateRequest = {
  readonly sourceVolumeId: string
  readonly name: string
  readonly parameters: Readonly<Record<string, string>>
}

export type ContentStep =
  | CallStep<SnapshotAnswer>
  | { readonly kind: 'create'; readonly request: CreateRequest }
  | { readonly kind: 'check'; readonly snapshotHandle: string }
  | { readonly kind: 'delete'; readonly snapshotHandle: string }

/** What to do about one VolumeSnapshotContent of this driver. */
export function nextContentStep(view: ContentView): ContentStep {
  const { content } = view.seen
  const { memory } = view.held ?? {}
  if (memory?.kind === 'answered') return { kind: 'record', answer: memory.answer }
  if (content.metadata.deletionTimestamp !== undefined) {
    if (isToBeDeleted(content)) return nextDeleteStep(view)
    if (hasRefused(memory) && hasAnnotation(content, BEING_CREATED)) return { kind: 'unmark-being-created' }
  }
  if (content.status?.readyToUse)
    return hasAnnotation(content, BEING_CREATED) ? { kind: 'unmark-being-created' } : wait(waitOfReady(content))
  const { volumeHandle, snapshotHandle } = content.spec.source
  const isMember = hasAnnotation(content, GROUP_HANDLE)
  const known = snapshotHandle ?? (isMember ? content.status?.snapshotHandle : undefined)
  if (known !== undefined) return nextCheckStep(view, known)
  if (isMember || volumeHandle === undefined) return wait(REASONS.MemberOfGroup)
  return nextCreateStep(view, volumeHandle)
}

const waitOfReady = ({ metadata }: VolumeSnapshotContent): SnapshotterReason =>
  metadata.deletionTimestamp === undefined ? REASONS.SnapshotReady : REASONS.SnapshotStillThere

/** An unused content is deleted immediately; a used one is deleted with its VolumeSnapshot, and never while a call may still create a snapshot. */
function isToBeDeleted(content: VolumeSnapshotContent): boolean {
  const { source, volumeSnapshotRef } = content.spec
  if (source.snapshotHandle !== undefined && !volumeSnapshotRef.uid) return true
  if (!hasAnnotation(content, BEING_DELETED)) return false
  return !hasAnnotation(content, BEING_CREATED) || content.status?.snapshotHandle !== undefined
}

function nextDeleteStep({ seen: { content }, held }: ContentView): ContentStep {
  if (!hasFinalizer(content, CONTENT_FINALIZER)) return wait(REASONS.Released)
  const { snapshotHandle, volumeGroupSnapshotHandle } = content.status ?? {}
  const isDriversToDelete =
    content.spec.deletionPolicy === 'Delete' && snapshotHandle !== undefined && volumeGroupSnapshotHandle === undefined
  if (!isDriversToDelete || held?.memory?.kind === 'deleted') return { kind: 'release' }
  return (
    waitForRetry('delete', held) ??
    nextSecretStep('delete', deletionSecretOf(content), held?.secret) ?? { kind: 'delete', snapshotHandle }
  )
}

function nextCheckStep({ seen: { content, snapshotClass }, held }: ContentView, snapshotHandle: string): ContentStep {
  const { volumeSnapshotClassName: className } = content.spec
  const waiting = waitForRetry('check', held)
  if (waiting) return waiting
  if (hasAnnotation(content, GROUP_HANDLE))
    return nextSecretStep('check', deletionSecretOf(content), held?.secret) ?? { kind: 'check', snapshotHandle }
  if (className === undefined) return { kind: 'check', snapshotHandle }
  if (!snapshotClass) return { kind: 'refuse', call: 'check', reason: REASONS.SnapshotClassMissing(className) }
  const subject = { word: 'volumesnapshot', contentName: content.metadata.name ?? '' } as const
  const secret = resolveSnapshotSecret('snapshotter-list', snapshotClass.parameters ?? {}, subject)
  if (secret.kind === 'problem')
    return { kind: 'refuse', call: 'check', reason: REASONS.SecretReferenceInvalid(secret.message) }
  const ref = secret.kind === 'named' ? secret.ref : undefined
  return nextSecretStep('check', ref, held?.secret) ?? { kind: 'check', snapshotHandle }
}

function nextCreateStep({ seen: { content, snapshotClass }, held }: ContentView, sourceVolumeId: string): ContentStep {
  const { volumeSnapshotClassName: className, volumeSnapshotRef } = content.spec
  const name = content.metadata.name ?? ''
  const refuse = (reason: SnapshotterReason): ContentStep => ({ kind: 'refuse', call: 'create', reason })
  const waiting = waitForRetry('create', held)
  if (waiting) return waiting
  if (!volumeSnapshotRef.uid) return wait(REASONS.ContentNotBound)
  if (className === undefined) return refuse(REASONS.SnapshotClassNotNamed(name))
  if (!snapshotClass) return refuse(REASONS.SnapshotClassMissing(className))
  const own = driverParametersOf(snapshotClass.parameters ?? {})
  if (own.kind === 'problem') return refuse(REASONS.ParametersInvalid(own.message))
  const secret = nextSecretStep('create', deletionSecretOf(content), held?.secret)
  if (secret) return secret
  if (!hasAnnotation(content, BEING_CREATED)) return { kind: 'mark-being-created' }
  const request = {
    sourceVolumeId,
    name: snapshotNameOf(volumeSnapshotRef.uid, held?.names ?? { prefix: 'snapshot', uuidLength: -1 }),
    parameters: { ...own.parameters, ...(held?.passesMetadata ? metadataOf(content) : {}) },
  }
  return { kind: 'create', request }
}

const deletionSecretOf = (content: VolumeSnapshotContent): SecretRef | undefined =>
  annotatedSecret(content, DELETION_SECRET_NAME, DELETION_SECRET_NAMESPACE)

const metadataOf = ({ metadata, spec }: VolumeSnapshotContent): Record<string, string> => ({
  'csi.storage.k8s.io/volumesnapshot/name': spec.volumeSnapshotRef.name ?? '',
  'csi.storage.k8s.io/volumesnapshot/namespace': spec.volumeSnapshotRef.namespace ?? '',
  'csi.storage.k8s.io/volumesnapshotcontent/name': metadata.name ?? '',
})
