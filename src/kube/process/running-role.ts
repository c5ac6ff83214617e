/** A running part of a process. */
export interface RunningRole {
  /** Has nothing in flight and nothing waiting to be done at once. */
  isIdle(): boolean
  /** Starts nothing more; calls under way may end, but their answers are ignored. */
  stop(): Promise<void>
  /** Rejects when the role can't go on: it is stopped then and comes back later. Left out: that never happens. */
  readonly failed?: Promise<never>
}
