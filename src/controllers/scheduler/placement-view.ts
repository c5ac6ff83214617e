import type { PersistentVolumeClaim } from '../../api/kinds/persistent-volume-claim.ts'
import type { Pod } from '../../api/kinds/pod.ts'
import type { Reason } from '../../api/reason.ts'
import type { Verdict } from './choose-node.ts'
import type { ClusterView } from './cluster-view.ts'
import type { Match } from './fit-volumes.ts'
import type { Plan } from './plan-placement.ts'

/** All that is known when a pod is to be placed. */
export type PlacementView = {
  readonly seen: { readonly pod: Pod; readonly world: ClusterView }
  /** Undefined when asked from outside. */
  readonly held?: PlacementHeld
}

export type PlacementHeld = {
  readonly nowMs: number
  /** Pods of other schedulers are left alone. */
  readonly schedulerName: string
  /** Where the search begins. */
  readonly startAt: number
  /** How many good nodes are enough to choose among; left out: as many as `enoughNodes` says. */
  readonly enough?: number
  readonly reservation?: Reservation
  readonly refusal?: Refusal
}

/** A node that was chosen for a pod whose volumes are being made ready. */
export type Reservation = {
  readonly node: string
  readonly untilMs: number
  /** Keys of the claims that we selected the node for. */
  readonly selected: ReadonlySet<string>
  /** Volumes that we gave to claims of the pod: names by claim key. */
  readonly matched: ReadonlyMap<string, string>
  /** The server has been told where the pod runs. */
  readonly isPlaced: boolean
}

/** A provisioner gave a claim back: places that are like that node are tried again only then. */
export type Refusal = {
  /** As `segmentOf` has them. */
  readonly segments: ReadonlySet<string>
  readonly claim: string
  readonly untilMs: number
}

export type PlacementStep =
  /** Nothing is to be done. */
  | { readonly kind: 'wait'; readonly reason: Reason }
  /** No node can take the pod as things are. `plan` is left out where nodes make no difference. */
  | {
      readonly kind: 'unschedulable'
      readonly reason: Reason
      readonly message: string
      readonly verdicts: readonly Verdict[]
      readonly plan?: Plan
      readonly visited: number
    }
  /** Only nodes for which the provisioner could not make the volume. */
  | {
      readonly kind: 'back-off'
      readonly reason: Reason
      readonly message: string
      readonly retryInMs: number
      readonly visited: number
    }
  /** Give the claims these volumes, and have the others made for the node. */
  | {
      readonly kind: 'reserve'
      readonly node: string
      readonly matches: readonly Match[]
      readonly select: readonly PersistentVolumeClaim[]
      readonly visited: number
    }
  | {
      readonly kind: 'await-volumes'
      readonly node: string
      readonly reason: Reason
      readonly retryInMs?: number
      readonly visited: number
    }
  | { readonly kind: 'place'; readonly node: string; readonly visited: number }
  /** The node that was chosen is no good any more: choose again. `refused` is the claim that the provisioner gave back. */
  | {
      readonly kind: 'give-up'
      readonly reason: Reason
      readonly message: string
      readonly refused?: { readonly claim: string; readonly segment: string }
    }
