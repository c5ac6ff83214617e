import { reason } from '../../api/reason.ts'
import type { ReasonIn } from '../../api/reason.ts'

export type ExpansionReason = ReasonIn<typeof REASONS>

export const REASONS = {
  notBound: reason('NotBound', 'the claim is not bound'),
  largeEnough: reason('LargeEnough', 'the volume has the requested size'),
  nodesNotAwaited: reason('NodesNotAwaited', 'the claim is not waiting for a node'),
  nodesHinted: reason('NodesHinted', 'every node that has the volume knows that it has to expand it'),
  /** Upstream's message, with the sizes after it. */
  expanding: (driver: string | undefined, present: string, wanted: string) => {
    const resizer = driver === undefined ? 'a resizer for this volume type' : `the resizer of ${driver}`
    return reason(
      'ExternalExpanding',
      `waiting for an external controller to expand this PVC from ${present} to ${wanted}`,
      {
        waitsFor: { kind: 'actor', name: resizer },
        detail: { wanted, present },
        cure: `If this persists, check that ${resizer} is running.`,
      },
    )
  },
}
