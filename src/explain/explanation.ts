import type { Reason } from '../api/reason.ts'

/** Which object, as people know it. */
export type ObjectId = {
  readonly kind: string
  readonly namespace?: string
  readonly name: string
  readonly uid?: string
}

/**
 * - `ready`: nothing is missing.
 * - `waits`: something has to change, and this link or one below it says what.
 * - `follows`: not ready either, but it is the turn of what depends on it.
 */
export type LinkStatus = 'ready' | 'waits' | 'follows'

/** One object of the chain, and what it depends on. */
export type Link = {
  readonly object: ObjectId
  /** As lists show it: `Pending`, `Bound`, `attached`; `absent` for what is not there, `not visible` for what may not be read. */
  readonly state: string
  readonly status: LinkStatus
  /** Asked to go, and still there. */
  readonly isLeaving?: boolean
  /** How a sentence calls it, where its name says nothing to people. */
  readonly title?: string
  /** As the controllers give it. `waitsFor` names who or what has to act. */
  readonly reason?: Reason
  readonly lastError?: LastError
  readonly dependsOn: readonly Link[]
}

export type LastError = { readonly message: string; readonly time?: string }

/** Something that was said about an object of the chain. */
export type RelevantEvent = {
  readonly object: ObjectId
  readonly type: string
  readonly reason: string
  readonly message: string
  readonly lastTime: string
  readonly count: number
}

export type Explanation = {
  readonly object: ObjectId
  readonly isReady: boolean
  /** The cause and the cure. */
  readonly sentence: string
  /** Of the last link that waits. Left out when nothing waits. */
  readonly cause?: Reason
  readonly chain: Link
  /** Newest first. */
  readonly events: readonly RelevantEvent[]
  /** What could not be read, and why: the answer may be incomplete. */
  readonly unseen: readonly string[]
}
