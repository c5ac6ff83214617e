import type { PersistentVolumeClaim } from '../../../api/kinds/persistent-volume-claim.ts'
import type { Reason } from '../../../api/reason.ts'
import { SELECTED_NODE, selectedNodeOf } from '../../../storage/names.ts'

export type ContentionView = {
  readonly seen: { readonly claim: PersistentVolumeClaim; readonly nodeName: string; readonly requestedBytes: bigint }
  /** Undefined when asked from outside. */
  readonly held?: {
    /** Until it is our turn; undefined when none was drawn yet. */
    readonly waitMs: number | undefined
    /** Undefined until the driver was asked in this turn. */
    readonly answer: RoomAnswer | undefined
  }
}

/** What the driver says about room on this node. `unknown`: it can't say, or failed to. */
export type RoomAnswer =
  | { readonly kind: 'room'; readonly available: bigint; readonly largestVolume: bigint | undefined }
  | { readonly kind: 'unknown' }

export type ContentionStep =
  /** Another node has it. */
  | { readonly kind: 'give-up'; readonly reason: Reason }
  /** Draw a time to wait, longer than the last one. */
  | { readonly kind: 'draw' }
  | { readonly kind: 'wait'; readonly reason: Reason; readonly forMs: number }
  /** Call GetCapacity for the very volume, then ask again. */
  | { readonly kind: 'ask' }
  /** Update the claim: the node is this one. Who comes second has a conflict. */
  | { readonly kind: 'take'; readonly object: PersistentVolumeClaim }
  /** Other nodes may have room, or this one later. */
  | { readonly kind: 'leave'; readonly reason: Reason }

/**
 * On every node: which of the instances provisions a claim that no node was selected for. Each waits for a time of its own, and the first
 * that has room writes its name.
 */
export function nextContentionStep({
  seen: { claim, nodeName, requestedBytes },
  held,
}: ContentionView): ContentionStep {
  const selected = selectedNodeOf(claim)
  if (selected !== '') return { kind: 'give-up', reason: { code: 'OtherNode', detail: { node: selected } } }
  if (!held) return { kind: 'wait', reason: NO_NODE_YET, forMs: 0 }
  const { waitMs, answer } = held
  if (waitMs === undefined) return { kind: 'draw' }
  if (waitMs > 0) return { kind: 'wait', reason: NO_NODE_YET, forMs: waitMs }
  if (!answer) return { kind: 'ask' }
  const most = answer.kind === 'unknown' ? undefined : smaller(answer.available, answer.largestVolume)
  if (most !== undefined && most < requestedBytes) {
    return {
      kind: 'leave',
      reason: {
        code: 'NotEnoughRoom',
        waitsFor: { kind: 'actor', name: 'a node with more room' },
        detail: { node: nodeName, requested: bytes(requestedBytes), available: bytes(most) },
      },
    }
  }
  return {
    kind: 'take',
    object: {
      ...claim,
      metadata: { ...claim.metadata, annotations: { ...claim.metadata.annotations, [SELECTED_NODE]: nodeName } },
    },
  }
}

const NO_NODE_YET: Reason = {
  code: 'NoNodeSelected',
  waitsFor: { kind: 'actor', name: 'the provisioners of the nodes' },
}

const smaller = (one: bigint, other = one): bigint => (other < one ? other : one)
const bytes = (count: bigint): string => `${count} bytes`
