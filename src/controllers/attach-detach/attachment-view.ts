import type { Node } from '../../api/kinds/node.ts'
import type { Pod } from '../../api/kinds/pod.ts'
import type { VolumeAttachment } from '../../api/kinds/volume-attachment.ts'
import type { Reason } from '../../api/reason.ts'
import type { CsiVolume } from '../../storage/resolve-pod-volume.ts'

/** A pod wants a volume on its node. */
export type PodWish = {
  /** Of the VolumeAttachment. */
  readonly name: string
  readonly nodeName: string
  readonly pod: Pod
  readonly volume: CsiVolume
}

/** All that is known about one volume and one node. */
export type AttachmentView = {
  readonly seen: {
    readonly name: string
    readonly nodeName: string
    /** As a node's status calls the volume. Undefined: the volume is gone, and nothing tells its handle. */
    readonly volumeName?: string
    /** Empty: nobody wants it here. */
    readonly wishes: readonly PodWish[]
    readonly attachment?: VolumeAttachment
    readonly node?: Node
    /** Of the same volume to other nodes, wanted or not, sure or not. */
    readonly elsewhere: readonly OtherAttachment[]
    /** Pods on other nodes that want the volume. */
    readonly otherPods: readonly Pod[]
  }
  /** Undefined when asked from outside. */
  readonly held?: AttachmentHeld
}

export type OtherAttachment = {
  readonly name: string
  readonly nodeName: string
  /** Undefined: it was asked for, and not seen yet. */
  readonly attachment?: VolumeAttachment
}

export type AttachmentHeld = {
  readonly nowMs: number
  /** Undefined: never, whatever the node's health. */
  readonly forceDetachAfterMs?: number
  readonly timeoutMs: number
  readonly create?: CreateState
  /** A deletion once sent is seen through: `sent` until the server has answered. */
  readonly deletion?: 'sent' | 'answered'
  /** A write of the node's list may or may not have happened. */
  readonly isStatusUnsure: boolean
  /** Since it is there, not attached, and wanted; or being deleted. */
  readonly waitingSinceMs?: number
  /** Since nobody wants it. */
  readonly unwantedSinceMs?: number
  /** What a node used that is gone. */
  readonly lastInUse?: readonly string[]
}

export type CreateState =
  | { readonly kind: 'sending' }
  /** The server has it; the cache does not yet. */
  | { readonly kind: 'sent'; readonly checkAtMs: number }
  /** No answer came: it may be there. */
  | { readonly kind: 'in-doubt'; readonly checkAtMs: number }

export type AttachmentStep =
  /** Until something changes, or until then at the latest. */
  | { readonly kind: 'wait'; readonly reason: Reason; readonly retryInMs?: number; readonly warning?: Warning }
  | { readonly kind: 'create'; readonly attachment: VolumeAttachment }
  /** Ask the server whether what we sent is there. */
  | { readonly kind: 'look' }
  /** `forced`: although the node has it in use. */
  | { readonly kind: 'delete'; readonly attachment: VolumeAttachment; readonly forced?: ForceReason }

export type ForceReason = 'timeout' | 'out-of-service'

/** For people. The same text is said once to each, and again for each further round. */
export type Warning =
  | { readonly about: 'pods'; readonly textFor: (pod: Pod) => string; readonly round: number }
  | { readonly about: 'attachment'; readonly text: string; readonly round: number }

/** A pod that does not get what others have. */
export type Refusal = { readonly pod: Pod; readonly reason: Reason }
