/** A running part of a process. */
export interface RunningRole {
  /** Whether nothing is in flight and nothing is ready to be done. */
  isIdle(): boolean
  /** Starts no more work; calls in flight may end, but their responses are ignored. */
  stop(): Promise<void>
  /** Rejects if the role cannot continue: then it is stopped and restarted later. Absent if that never happens. */
  readonly failed?: Promise<never>
}
