import { awaitingActor, because, defineReasons } from '../../api/reason.ts'
import type { ReasonIn } from '../../api/reason.ts'

export type ExpansionReason = ReasonIn<typeof REASONS>

export const REASONS = defineReasons({
  NotBound: 'the claim is not bound',
  LargeEnough: 'the volume has the requested size',
  NodesNotAwaited: 'the claim is not waiting for a node',
  NodesHinted: 'every node that has the volume knows that it has to expand it',
  /** Upstream's message, with the sizes after it. */
  ExternalExpanding: (driver: string | undefined, present: string, wanted: string) => {
    const resizer = driver === undefined ? 'a resizer for this volume type' : `the resizer of ${driver}`
    return because(`waiting for an external controller to expand this PVC from ${present} to ${wanted}`, {
      ...awaitingActor(resizer),
      detail: { wanted, present, ...(driver === undefined ? {} : { driver }) },
      cure: `If this persists, check that ${resizer} is running.`,
    })
  },
})
