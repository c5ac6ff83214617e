import type { PersistentVolume } from '../../api/kinds/persistent-volume.ts'
import type { VolumeAttachment } from '../../api/kinds/volume-attachment.ts'
import type { Reason } from '../../api/reason.ts'
import type { PublishRequest, PublishRules } from './publish-request.ts'
import type { SecretRef, Target } from './target.ts'

export type Operation = 'attach' | 'detach'

/** All that is known about one attachment. */
export type AttachView = {
  readonly seen: {
    readonly attachment: VolumeAttachment
    /** The one that the attachment names. */
    readonly volume?: PersistentVolume
    /** Of the attachment's node, as the driver registered it there. */
    readonly registeredNodeId?: string
  }
  /** Undefined when asked from outside. */
  readonly held?: AttachHeld
}

export type AttachHeld = {
  readonly nowMs: number
  readonly rules: PublishRules
  /** Targets of calls under way, as `targetKey` has them. */
  readonly busyTargets: ReadonlySet<string>
  /** Our finalizer on the volume is being removed at this moment. */
  readonly isVolumeReleasing: boolean
  /** The driver's list of published volumes says something else than the attachment. */
  readonly hasDrifted: boolean
  /** Undefined until it was read in this pass. */
  readonly secret?: 'read' | 'missing' | 'forbidden' | 'not-text'
  /** With `not-text`: the key whose value is not valid UTF-8. */
  readonly binaryKey?: string
  readonly failure?: Failure
}

/** The last try, if it failed. It stands in the way of the next one only as long as that would be the same. */
export type Failure = { readonly operation: Operation; readonly basis: string; readonly retryAtMs: number }

export type AttachStep =
  /** Until something changes, or until then at the latest. */
  | { readonly kind: 'wait'; readonly reason: Reason; readonly retryInMs?: number; readonly wakeOn?: readonly string[] }
  /** As it is it can't be done, and the user has to know. `retry`: nothing will tell when that changes. */
  | {
      readonly kind: 'refuse'
      readonly operation: Operation
      readonly reason: Reason
      readonly basis: string
      readonly retry: boolean
    }
  | { readonly kind: 'read-secret'; readonly ref: SecretRef }
  /** Put our finalizer on the volume, so that its data are there when it has to be detached. */
  | { readonly kind: 'hold-volume'; readonly volume: PersistentVolume; readonly basis: string }
  /** Put our finalizer on the attachment, and save where the volume is about to go. */
  | { readonly kind: 'claim'; readonly target: Target; readonly basis: string }
  /** The volume may be on another node than the one that is meant now: take it from there first, then claim anew. */
  | { readonly kind: 'move'; readonly from: Target; readonly to: Target; readonly basis: string }
  | { readonly kind: 'publish'; readonly request: PublishRequest; readonly basis: string }
  /** Then let the attachment go. */
  | { readonly kind: 'unpublish'; readonly target: Target; readonly basis: string }

export const operationOf = ({ metadata }: Pick<VolumeAttachment, 'metadata'>): Operation =>
  metadata.deletionTimestamp === undefined ? 'attach' : 'detach'
