import type { Code } from '../../csi/index.ts'

/** What happens to a call that a fault applies to, after its delay. */
export type FaultAction =
  /** The call is passed on. */
  | { readonly kind: 'none' }
  /** The driver never gets the call; the caller gets this error. */
  | { readonly kind: 'error'; readonly code: Code; readonly message: string }
  /** The driver handles the call. If it succeeds, the caller gets this code instead; without a code, it gets no answer at all. */
  | { readonly kind: 'lose-reply'; readonly code: Code | undefined }
  /** The driver gets the call twice: again once the first has ended, or both at a time. The caller gets the last answer. */
  | { readonly kind: 'duplicate'; readonly when: 'after' | 'parallel' }
  /** The connection of the caller is closed, before the driver gets the call or after it has answered. */
  | { readonly kind: 'cut'; readonly when: 'before' | 'after' }
  /** A successful answer of the driver gets these values: field paths as in the protocol, `volume.capacity_bytes`. Null removes a value. */
  | { readonly kind: 'alter'; readonly changes: Readonly<Record<string, unknown>> }

/** One entry of a faults file. */
export type Fault = {
  /** For logs and recordings. */
  readonly label: string
  /** Names such as `CreateVolume`, or full paths for methods that are not CSI's. Undefined: all. */
  readonly rpcs: ReadonlySet<string> | undefined
  /** Matches an ID or a name in the request. Undefined: any request. */
  readonly volume: RegExp | undefined
  /** How many matching calls pass before the fault applies. */
  readonly skip: number
  /** How often the fault applies at most. */
  readonly times: number
  /** Of each matching call. */
  readonly probability: number
  readonly delayMs: number
  readonly action: FaultAction
}

export type FaultPlan = {
  /** Undefined if the file does not set it: every run differs then. */
  readonly seed: number | undefined
  readonly faults: readonly Fault[]
}
