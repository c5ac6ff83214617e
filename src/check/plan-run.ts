import type { CaseInfo } from './case.ts'
import { findMissing } from './find-missing.ts'
import type { Offer } from './find-missing.ts'
import type { CheckSettings } from './settings.ts'

/** What a run is going to create, at most. */
export type RunPlan = {
  readonly cases: number
  /** Volumes that exist at the same time, including clones and restored snapshots. */
  readonly volumes: number
  /** Volumes created in the whole run. */
  readonly created: number
  readonly sizeBytes: bigint
  /** The largest size that a case requests. */
  readonly largestBytes: bigint
}

const LARGEST_FACTOR = 4n

export function planRun(
  cases: readonly CaseInfo[],
  offer: Offer,
  { parallel, settings }: { parallel: number; settings: CheckSettings },
): RunPlan {
  const applicable = cases.filter(({ needs }) => findMissing(needs, offer) === undefined)
  const volumesOf = (some: readonly CaseInfo[]): number[] =>
    some.map(({ volumes = 0 }) => volumes).sort((a, b) => b - a)
  const together = volumesOf(applicable.filter(({ alone }) => !alone)).slice(0, parallel)
  const alone = volumesOf(applicable.filter((one) => one.alone === true)).slice(0, 1)
  const sum = (counts: readonly number[]): number => counts.reduce((total, count) => total + count, 0)
  const largest = [LARGEST_FACTOR * settings.sizeBytes, settings.expandBytes]
  return {
    cases: applicable.length,
    volumes: Math.max(sum(together), sum(alone)),
    created: sum(volumesOf(applicable)),
    sizeBytes: settings.sizeBytes,
    largestBytes: largest.reduce((a, b) => (a > b ? a : b)),
  }
}
