import type { Api } from '../../api/api.ts'
import { sleep } from '../../base/clock.ts'
import type { Clock } from '../../base/clock.ts'
import type { Driver } from '../../csi/index.ts'
import type { DriverFacts } from '../discover-driver.ts'
import { findLeaks, stillThere } from './find-leaks.ts'
import type { DriverSide, Leak } from './find-leaks.ts'
import { readClusterSide } from './read-cluster-side.ts'
import { readDriverSide } from './read-driver-side.ts'

export type SweepParts = {
  readonly api: Api
  readonly driver: Driver
  readonly facts: DriverFacts
  readonly clock: Clock
  /** Between the two comparisons. A difference has to be in both. */
  readonly settleMs: number
  readonly timeoutMs: number
  readonly signal: AbortSignal
}

/** Compares what the driver lists with what the cluster knows. Nothing is changed. */
export async function sweep(
  parts: SweepParts,
): Promise<{ readonly leaks: readonly Leak[]; readonly side: DriverSide }> {
  const { clock, settleMs, signal } = parts
  const first = await compare(parts)
  if (first.leaks.length === 0) return first
  // A volume that is just being created or deleted is known to one side only for a moment.
  await sleep(clock, settleMs, signal)
  const second = await compare(parts)
  return { leaks: stillThere(first.leaks, second.leaks), side: second.side }
}

async function compare({
  api,
  driver,
  facts,
  timeoutMs,
  signal,
}: SweepParts): Promise<{ leaks: readonly Leak[]; side: DriverSide }> {
  const side = await readDriverSide(driver, facts, { timeoutMs, signal })
  return { leaks: findLeaks(side, await readClusterSide(api, facts.name, signal)), side }
}
