import type { WhyReason } from './why-reason.ts'

/** An object, as people refer to it. */
export type ObjectId = {
  readonly kind: string
  readonly namespace?: string
  readonly name: string
  readonly uid?: string
}

/**
 * - `ready`: nothing is missing.
 * - `waits`: it is waiting, and this link or one below it says for what.
 * - `follows`: not ready either, but what depends on it has to act first.
 */
export type LinkStatus = 'ready' | 'waits' | 'follows'

/** One object of the chain, and what it depends on. */
export type Link = {
  readonly object: ObjectId
  /** As lists show it: `Pending`, `Bound`, `attached`; `absent` if it does not exist, `not visible` if it may not be read. */
  readonly state: string
  readonly status: LinkStatus
  /** It is being deleted. */
  readonly isLeaving?: boolean
  /** How a sentence refers to it, where its name means nothing to people. */
  readonly title?: string
  /** As the part that decides gives it. `waitsFor` names who or what has to act. */
  readonly reason?: WhyReason
  readonly lastError?: LastError
  readonly dependsOn: readonly Link[]
}

export type LastError = { readonly message: string; readonly time?: string }

/** A wait that ends by itself. */
export type RunningClock = {
  readonly object: ObjectId
  /** What happens at its end, as a clause: `the pod is evicted`. */
  readonly what: string
  readonly endsAt: string
  /** It may happen sooner: when the clock was started is known only roughly. */
  readonly isLatest: boolean
  /** What shortens it, as an imperative. */
  readonly sooner?: string
}

/** An event about an object of the chain. */
export type RelevantEvent = {
  readonly object: ObjectId
  readonly type: string
  readonly reason: string
  readonly message: string
  readonly lastTime: string
  readonly count: number
}

/** How full the volume of a claim is, in bytes. */
export type Usage = {
  readonly capacityBytes: number
  readonly usedBytes: number
  readonly availableBytes: number
  /** Left out for file systems without a fixed number of inodes. */
  readonly inodes?: number
  readonly inodesUsed?: number
  /** When the node measured it. */
  readonly time: string
}

export type Explanation = {
  readonly object: ObjectId
  readonly isReady: boolean
  /** The cause, and what to do about it. */
  readonly sentence: string
  /** A sentence for each further problem: solving the first one alone is not enough. */
  readonly alsoWaitsFor: readonly string[]
  /** The reason of the last link that is waiting. Left out if the object is ready. */
  readonly cause?: WhyReason
  readonly chain: Link
  /** Waits that end by themselves. */
  readonly clocks: readonly RunningClock[]
  /** Of a claim: how full its volume is, if a pod uses it and its node reports it. */
  readonly usage?: Usage
  /** Newest first. */
  readonly events: readonly RelevantEvent[]
  /** What could not be read, and why: the answer may be incomplete. */
  readonly unseen: readonly string[]
}
