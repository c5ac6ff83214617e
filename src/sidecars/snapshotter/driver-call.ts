import type { KubeObject } from '../../api/object.ts'
import type { SecretRead } from '../../storage/read-secret.ts'
import { findAnnotation } from '../../storage/names.ts'
import { REASONS } from './reasons.ts'
import type { SnapshotterReason } from './reasons.ts'

// Shared by decisions about contents and group contents: secrets, retries, and the steps for them.

export type SecretRef = { readonly namespace: string; readonly name: string }
/** The kind of driver call. */
export type Call = 'create' | 'check' | 'delete'

/** Remembered about the calls for one content. */
export type CallMemory<Answer> =
  | {
      readonly kind: 'failed'
      readonly call: Call
      /** `in-doubt`: the call may still be running. */
      readonly outcome: 'in-doubt' | 'final'
      readonly message: string
      readonly count: number
      readonly retryAtMs: number
    }
  /** The driver has responded, and the content does not show it yet. */
  | { readonly kind: 'answered'; readonly answer: Answer; readonly polls: number }
  /** The driver has the snapshot, but it is not ready: it is checked again at that time. */
  | { readonly kind: 'polling'; readonly count: number; readonly retryAtMs: number }
  /** The driver has deleted the snapshot, and the content still has its finalizer. */
  | { readonly kind: 'deleted' }

export type CallHeld<Answer> = {
  readonly nowMs: number
  readonly names: NameRules
  /** Snapshot, namespace and content are passed to the driver as parameters. */
  readonly passesMetadata: boolean
  /** Of this pass. Undefined until it was read. */
  readonly secret?: SecretRead
  readonly memory?: CallMemory<Answer>
}

/** How snapshots are named in the driver. */
export type NameRules = { readonly prefix: string; readonly uuidLength: number }

/** Steps that all kinds of content share. */
export type CallStep<Answer> =
  | { readonly kind: 'wait'; readonly reason: SnapshotterReason; readonly retryInMs?: number }
  /** The user has to know why nothing happens. It is retried later, or when the object that it waits for changes. */
  | { readonly kind: 'refuse'; readonly call: Call; readonly reason: SnapshotterReason }
  | { readonly kind: 'read-secret'; readonly ref: SecretRef }
  /** Record on the content that the driver is about to be called, so that a snapshot that may exist is not forgotten. */
  | { readonly kind: 'mark-being-created' }
  | { readonly kind: 'unmark-being-created' }
  | { readonly kind: 'record'; readonly answer: Answer }
  /** Remove the finalizer. */
  | { readonly kind: 'release' }

export const wait = (reason: SnapshotterReason): { readonly kind: 'wait'; readonly reason: SnapshotterReason } => ({
  kind: 'wait',
  reason,
})

/** The secret named by the annotations of a content. */
export function annotatedSecret(content: KubeObject, nameKey: string, namespaceKey: string): SecretRef | undefined {
  const name = findAnnotation(content, nameKey)
  const namespace = findAnnotation(content, namespaceKey)
  return name === undefined || namespace === undefined ? undefined : { name, namespace }
}

/** The step that is needed before the call can have its secret. Undefined if none is needed. */
export function nextSecretStep(
  call: Call,
  ref: SecretRef | undefined,
  secret: SecretRead | undefined,
): CallStep<never> | undefined {
  if (!ref) return undefined
  switch (secret?.kind) {
    case undefined:
      return { kind: 'read-secret', ref }
    case 'read':
      return undefined
    case 'missing':
      // The driver decides whether it can delete without the secret: a missing secret must not keep a snapshot forever.
      return call === 'delete' ? undefined : { kind: 'refuse', call, reason: REASONS.SecretMissing(ref) }
    case 'forbidden':
      return { kind: 'refuse', call, reason: REASONS.SecretForbidden(ref) }
    case 'not-text':
      return { kind: 'refuse', call, reason: REASONS.SecretNotText(ref, secret.key) }
  }
}

/** Whether it is too early to call the driver again. */
export function waitForRetry<Answer>(call: Call, held: CallHeld<Answer> | undefined): CallStep<never> | undefined {
  const { memory, nowMs = 0 } = held ?? {}
  if (memory?.kind === 'polling' && call !== 'delete' && memory.retryAtMs > nowMs)
    return { kind: 'wait', reason: REASONS.SnapshotNotReady, retryInMs: memory.retryAtMs - nowMs }
  if (memory?.kind !== 'failed' || memory.call !== call || memory.retryAtMs <= nowMs) return undefined
  return { kind: 'wait', reason: REASONS.RetryingSnapshot(memory.message), retryInMs: memory.retryAtMs - nowMs }
}

/** The driver has finally refused to create: there is no snapshot to wait for. */
export const hasRefused = (memory: CallMemory<unknown> | undefined): boolean =>
  memory?.kind === 'failed' && memory.call === 'create' && memory.outcome === 'final'

/** `snapshot-<uid>`, or with a length the first characters of the uid without its dashes. */
export function snapshotNameOf(uid: string, { prefix, uuidLength }: NameRules): string {
  return `${prefix}-${uuidLength < 0 ? uid : uid.replaceAll('-', '').slice(0, uuidLength)}`
}
