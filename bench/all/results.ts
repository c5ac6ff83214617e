import type { PartName } from './parts.ts'

/** What was measured, by part. The page is made from this file and nothing else. */
export type Results = Partial<Record<PartName, Result>>

export type Result = {
  /** The complete output of each run. */
  readonly outputs: readonly string[]
  readonly command: string
  readonly isQuick: boolean
  /** When it was begun: `2030-01-01T12:00Z`. */
  readonly at: string
  readonly seconds: number
  readonly commit: string
  readonly machine: string
  /** Load of the machine over the minute before it was begun: above 0.5, other work was running. */
  readonly loadBefore: number
}
