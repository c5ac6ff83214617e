/** What is known of the process of a driver. */
export type DriverProcessView = {
  readonly nowMs: number
  readonly process:
    | { readonly kind: 'none' }
    | { readonly kind: 'running' }
    /** Failures: how often it has ended in a row, each time soon after its start. */
    | { readonly kind: 'ended'; readonly atMs: number; readonly failures: number }
  /** Since the start of the process. `settling`: something was changed since the last look, so a build may be under way. */
  readonly files: 'same' | 'settling' | 'changed'
}

export type DriverStep =
  | { readonly kind: 'start' }
  | { readonly kind: 'restart' }
  /** `forMs` is absent if only a change of the process or of its files matters. */
  | { readonly kind: 'wait'; readonly forMs?: number }

const FIRST_DELAY_MS = 500
const LONGEST_DELAY_MS = 10_000

/** How long after its end a driver is started again. */
export const delayAfter = (failures: number): number =>
  Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** Math.max(0, failures - 1))

/** Whether to start or restart the driver. */
export function nextDriverStep({ nowMs, process, files }: DriverProcessView): DriverStep {
  // A program that is being written cannot be started.
  if (files === 'settling') return { kind: 'wait' }
  switch (process.kind) {
    case 'none':
      return { kind: 'start' }
    case 'running':
      return files === 'changed' ? { kind: 'restart' } : { kind: 'wait' }
    case 'ended': {
      // A change is probably the cure, so it does not have to wait.
      if (files === 'changed') return { kind: 'start' }
      const forMs = process.atMs + delayAfter(process.failures) - nowMs
      return forMs > 0 ? { kind: 'wait', forMs } : { kind: 'start' }
    }
  }
}
