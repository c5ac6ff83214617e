import { awaitingActor, because, defineReasons } from '../../api/reason.ts'
import type { ReasonIn } from '../../api/reason.ts'

/** Why a node's report is waiting, or why the node can't take pods. */
export const REASONS = defineReasons({
  NodeReported: 'the node status is current',
  PodsNotKnown: because(
    'the node agent has not yet read its pods from the API server',
    awaitingActor('the API server'),
  ),
})

export type ReportReason = ReasonIn<typeof REASONS>
