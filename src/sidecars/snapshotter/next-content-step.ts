import { hasFinalizer } from '../../api/finalizers.ts'
import type { VolumeSnapshotContent } from '../../api/kinds/volume-snapshot.ts'
import { findAnnotation, hasAnnotation } from '../../storage/names.ts'
import {
  BEING_CREATED,
  BEING_DELETED,
  CONTENT_FINALIZER,
  DELETION_SECRET_NAME,
  DELETION_SECRET_NAMESPACE,
  GROUP_HANDLE,
} from '../../storage/snapshot-names.ts'
import { driverParametersOf, resolveSnapshotSecret } from '../../storage/snapshot-secrets.ts'
import type { ContentHeld, ContentView, NameRules, SnapshotAnswer } from './content-view.ts'
import { REASONS } from './reasons.ts'
import type { SnapshotterReason } from './reasons.ts'

type SecretRef = { readonly namespace: string; readonly name: string }
type Call = 'create' | 'check' | 'delete'

export type CreateRequest = {
  readonly sourceVolumeId: string
  readonly name: string
  readonly parameters: Readonly<Record<string, string>>
}

export type ContentStep =
  | { readonly kind: 'wait'; readonly reason: SnapshotterReason; readonly retryInMs?: number }
  /** The user has to know why nothing happens. It is tried again later, or when what it waits for changes. */
  | { readonly kind: 'refuse'; readonly call: Call; readonly reason: SnapshotterReason }
  | { readonly kind: 'read-secret'; readonly ref: SecretRef }
  /** Note on the content that the driver is about to be asked, so that nobody forgets a snapshot that may exist. */
  | { readonly kind: 'mark-being-created' }
  | { readonly kind: 'unmark-being-created' }
  | { readonly kind: 'create'; readonly request: CreateRequest }
  | { readonly kind: 'check'; readonly snapshotHandle: string }
  | { readonly kind: 'record'; readonly answer: SnapshotAnswer }
  | { readonly kind: 'delete'; readonly snapshotHandle: string }
  /** Remove the finalizer. */
  | { readonly kind: 'release' }

/** What to do about one VolumeSnapshotContent of this driver. */
export function nextContentStep(view: ContentView): ContentStep {
  const { content } = view.seen
  const { memory } = view.held ?? {}
  if (memory?.kind === 'answered') return { kind: 'record', answer: memory.answer }
  if (content.metadata.deletionTimestamp !== undefined) {
    if (isToBeDeleted(content)) return nextDeleteStep(view)
    // The driver has finally refused: there is no snapshot to wait for.
    const hasRefused = memory?.kind === 'failed' && memory.call === 'create' && memory.outcome === 'final'
    if (hasRefused && hasAnnotation(content, BEING_CREATED)) return { kind: 'unmark-being-created' }
  }
  if (content.status?.readyToUse)
    return hasAnnotation(content, BEING_CREATED) ? { kind: 'unmark-being-created' } : wait(waitOfReady(content))
  const { volumeHandle, snapshotHandle } = content.spec.source
  const isMember = hasAnnotation(content, GROUP_HANDLE)
  const known = snapshotHandle ?? (isMember ? content.status?.snapshotHandle : undefined)
  if (known !== undefined) return nextCheckStep(view, known)
  if (isMember || volumeHandle === undefined) return wait(REASONS.memberOfGroup)
  return nextCreateStep(view, volumeHandle)
}

const waitOfReady = ({ metadata }: VolumeSnapshotContent): SnapshotterReason =>
  metadata.deletionTimestamp === undefined ? REASONS.ready : REASONS.snapshotStillThere

/** A content that nobody uses goes at once; one that is used goes with its VolumeSnapshot, and never while a call may still create a snapshot. */
function isToBeDeleted(content: VolumeSnapshotContent): boolean {
  const { source, volumeSnapshotRef } = content.spec
  if (source.snapshotHandle !== undefined && !volumeSnapshotRef.uid) return true
  if (!hasAnnotation(content, BEING_DELETED)) return false
  return !hasAnnotation(content, BEING_CREATED) || content.status?.snapshotHandle !== undefined
}

function nextDeleteStep({ seen: { content }, held }: ContentView): ContentStep {
  if (!hasFinalizer(content, CONTENT_FINALIZER)) return wait(REASONS.released)
  const { snapshotHandle, volumeGroupSnapshotHandle } = content.status ?? {}
  const isDriversToDelete =
    content.spec.deletionPolicy === 'Delete' && snapshotHandle !== undefined && volumeGroupSnapshotHandle === undefined
  if (!isDriversToDelete || held?.memory?.kind === 'deleted') return { kind: 'release' }
  return (
    waitForRetry('delete', held) ??
    nextSecretStep('delete', deletionSecretOf(content), held) ?? { kind: 'delete', snapshotHandle }
  )
}

function nextCheckStep({ seen: { content, snapshotClass }, held }: ContentView, snapshotHandle: string): ContentStep {
  const { volumeSnapshotClassName: className } = content.spec
  const waiting = waitForRetry('check', held)
  if (waiting) return waiting
  if (hasAnnotation(content, GROUP_HANDLE))
    return nextSecretStep('check', deletionSecretOf(content), held) ?? { kind: 'check', snapshotHandle }
  if (className === undefined) return { kind: 'check', snapshotHandle }
  if (!snapshotClass) return { kind: 'refuse', call: 'check', reason: REASONS.classMissing(className) }
  const subject = { word: 'volumesnapshot', contentName: content.metadata.name ?? '' } as const
  const secret = resolveSnapshotSecret('snapshotter-list', snapshotClass.parameters ?? {}, subject)
  if (secret.kind === 'problem') return { kind: 'refuse', call: 'check', reason: REASONS.secretInvalid(secret.message) }
  const ref = secret.kind === 'named' ? secret.ref : undefined
  return nextSecretStep('check', ref, held) ?? { kind: 'check', snapshotHandle }
}

function nextCreateStep({ seen: { content, snapshotClass }, held }: ContentView, sourceVolumeId: string): ContentStep {
  const { volumeSnapshotClassName: className, volumeSnapshotRef } = content.spec
  const name = content.metadata.name ?? ''
  const refuse = (reason: SnapshotterReason): ContentStep => ({ kind: 'refuse', call: 'create', reason })
  const waiting = waitForRetry('create', held)
  if (waiting) return waiting
  if (!volumeSnapshotRef.uid) return wait(REASONS.notBound)
  if (className === undefined) return refuse(REASONS.classNotNamed(name))
  if (!snapshotClass) return refuse(REASONS.classMissing(className))
  const own = driverParametersOf(snapshotClass.parameters ?? {})
  if (own.kind === 'problem') return refuse(REASONS.parametersInvalid(own.message))
  const secret = nextSecretStep('create', deletionSecretOf(content), held)
  if (secret) return secret
  if (!hasAnnotation(content, BEING_CREATED)) return { kind: 'mark-being-created' }
  const request = {
    sourceVolumeId,
    name: snapshotNameOf(volumeSnapshotRef.uid, held?.names ?? { prefix: 'snapshot', uuidLength: -1 }),
    parameters: { ...own.parameters, ...(held?.passesMetadata ? metadataOf(content) : {}) },
  }
  return { kind: 'create', request }
}

const deletionSecretOf = (content: VolumeSnapshotContent): SecretRef | undefined => {
  const name = findAnnotation(content, DELETION_SECRET_NAME)
  const namespace = findAnnotation(content, DELETION_SECRET_NAMESPACE)
  return name === undefined || namespace === undefined ? undefined : { name, namespace }
}

function nextSecretStep(
  call: Call,
  ref: SecretRef | undefined,
  held: ContentHeld | undefined,
): ContentStep | undefined {
  if (!ref) return undefined
  const secret = held?.secret
  switch (secret?.kind) {
    case undefined:
      return { kind: 'read-secret', ref }
    case 'read':
      return undefined
    case 'missing':
      // The driver decides whether it can delete without: a secret that is gone must not keep a snapshot forever.
      return call === 'delete' ? undefined : { kind: 'refuse', call, reason: REASONS.secretMissing(ref) }
    case 'forbidden':
      return { kind: 'refuse', call, reason: REASONS.secretForbidden(ref) }
    case 'not-text':
      return { kind: 'refuse', call, reason: REASONS.secretNotText(ref, secret.key) }
  }
}

function waitForRetry(call: Call, held: ContentHeld | undefined): ContentStep | undefined {
  const { memory, nowMs = 0 } = held ?? {}
  if (memory?.kind === 'polling' && call !== 'delete' && memory.retryAtMs > nowMs)
    return { kind: 'wait', reason: REASONS.notReady, retryInMs: memory.retryAtMs - nowMs }
  if (memory?.kind !== 'failed' || memory.call !== call || memory.retryAtMs <= nowMs) return undefined
  return { kind: 'wait', reason: REASONS.retrying(memory.message), retryInMs: memory.retryAtMs - nowMs }
}

/** `snapshot-<uid>`, or with a length the first characters of the uid without its dashes. */
export function snapshotNameOf(uid: string, { prefix, uuidLength }: NameRules): string {
  return `${prefix}-${uuidLength < 0 ? uid : uid.replaceAll('-', '').slice(0, uuidLength)}`
}

const metadataOf = ({ metadata, spec }: VolumeSnapshotContent): Record<string, string> => ({
  'csi.storage.k8s.io/volumesnapshot/name': spec.volumeSnapshotRef.name ?? '',
  'csi.storage.k8s.io/volumesnapshot/namespace': spec.volumeSnapshotRef.namespace ?? '',
  'csi.storage.k8s.io/volumesnapshotcontent/name': metadata.name ?? '',
})

const wait = (reason: SnapshotterReason): ContentStep => ({ kind: 'wait', reason })
