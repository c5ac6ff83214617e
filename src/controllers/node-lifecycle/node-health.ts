import { findCondition } from '../../api/conditions.ts'
import type { Lease } from '../../api/kinds/lease.ts'
import type { Node } from '../../api/kinds/node.ts'
import { findTimestamp } from '../../api/timestamps.ts'

/** The last sign of life of a node. */
export type NodeHealth = {
  readonly uid: string
  /** On the controller's clock: the clocks of nodes may differ. */
  readonly heardAtMs: number
  readonly heartbeat: string | undefined
  readonly renewTime: string | undefined
}

/** What is known about the node after this state of it and its lease was seen. */
export function hearNode(
  known: NodeHealth | undefined,
  node: Node,
  lease: Lease | undefined,
  nowMs: number,
): NodeHealth {
  const { uid = '', creationTimestamp } = node.metadata
  const ready = findCondition(node.status?.conditions, 'Ready')
  const heartbeat = ready && (ready.lastHeartbeatTime ?? '')
  const renewTime = lease?.spec?.renewTime ?? undefined
  const before = known?.uid === uid ? known : undefined
  const isRenewed = renewTime !== undefined && isAfter(renewTime, before?.renewTime)
  const isReported = heartbeat !== undefined && heartbeat !== before?.heartbeat
  // A node that has never reported is measured from its creation.
  const silentSinceMs = before?.heardAtMs ?? findTimestamp(creationTimestamp) ?? nowMs
  return { uid, heardAtMs: isRenewed || isReported ? nowMs : silentSinceMs, heartbeat, renewTime }
}

const isAfter = (time: string, other: string | undefined): boolean =>
  other === undefined || (findTimestamp(time) ?? 0) > (findTimestamp(other) ?? 0)
