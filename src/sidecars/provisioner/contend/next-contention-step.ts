import type { PersistentVolumeClaim } from '../../../api/kinds/persistent-volume-claim.ts'
import type { CreateVolumeRequest } from '../../../csi/generated/csi/v1/csi.ts'
import { SELECTED_NODE, selectedNodeOf } from '../../../storage/names.ts'
import { REASONS } from '../reasons.ts'
import type { ProvisionerReason } from '../reasons.ts'

export type ContentionView = {
  readonly seen: Readonly<{ claim: PersistentVolumeClaim; nodeName: string; request: CreateVolumeRequest }>
  readonly held?:
    | {
        /** Time until it is our turn; undefined if none was drawn yet. */
        readonly waitMs: number | undefined
        /** Undefined until the driver was asked in this turn. */
        readonly answer: RoomAnswer | undefined
      }
    | undefined
}

/** The driver's report about capacity on this node. `unknown`: it cannot report it, or the call failed. */
export type RoomAnswer =
  | { readonly kind: 'room'; readonly available: bigint; readonly largestVolume: bigint | undefined }
  | { readonly kind: 'unknown' }

export type ContentionStep =
  | { readonly kind: 'wait'; readonly reason: ProvisionerReason; readonly retryInMs?: number }
  /** Draw a waiting time, longer than the last one. */
  | { readonly kind: 'draw-turn' }
  /** Call GetCapacity for this volume, then decide again. */
  | { readonly kind: 'ask-for-room'; readonly request: CreateVolumeRequest }
  /** Update the claim with this node. An instance that comes second gets a conflict. */
  | { readonly kind: 'take-claim'; readonly object: PersistentVolumeClaim }
  /** Other nodes may have the capacity, or this one may have it later. */
  | { readonly kind: 'leave-claim'; readonly reason: ProvisionerReason }

/**
 * With an instance on each node: which of them provisions a claim without a selected node. Each waits for a random time, and the first one with
 * enough capacity writes the name of its node.
 */
export function nextContentionStep({ seen: { claim, nodeName, request }, held }: ContentionView): ContentionStep {
  const selected = selectedNodeOf(claim)
  if (selected !== '') return { kind: 'wait', reason: REASONS.OtherNode(selected) }
  if (!held) return { kind: 'wait', reason: REASONS.NodesContend }
  const { waitMs, answer } = held
  if (waitMs === undefined) return { kind: 'draw-turn' }
  if (waitMs > 0) return { kind: 'wait', reason: REASONS.NodesContend, retryInMs: waitMs }
  if (!answer) return { kind: 'ask-for-room', request }
  const most = answer.kind === 'unknown' ? undefined : smaller(answer.available, answer.largestVolume)
  const requested = request.capacityRange?.requiredBytes ?? 0n
  if (most !== undefined && most < requested)
    return { kind: 'leave-claim', reason: REASONS.NotEnoughRoom(nodeName, requested, most) }
  const annotations = { ...claim.metadata.annotations, [SELECTED_NODE]: nodeName }
  return { kind: 'take-claim', object: { ...claim, metadata: { ...claim.metadata, annotations } } }
}

const smaller = (one: bigint, other = one): bigint => (other < one ? other : one)
