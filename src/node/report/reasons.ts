import { reason } from '../../api/reason.ts'
import type { ReasonIn } from '../../api/reason.ts'

/** Why a node's report is waiting, or why the node can't take pods. */
export const REASONS = {
  reported: reason('NodeReported', 'the node status is current'),
  podsNotKnown: reason('PodsNotKnown', 'the node agent has not yet read its pods from the API server', {
    waitsFor: { kind: 'actor', name: 'the API server' },
  }),
}

export type ReportReason = ReasonIn<typeof REASONS>
