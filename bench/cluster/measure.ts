import { cpuMicros, peakBytes, residentBytes } from '../apiserver/process-usage.ts'
import { quantile } from '../sidecars/measure.ts'
import type { Load, LoadResult } from './load.ts'
import type { Stage } from './stage.ts'
import { untilQuiet } from '../sidecars/until-quiet.ts'

/** By who they are: `server`, `controllers`, `sidecar`. */
export type ByComponent = Readonly<Record<string, number>>

/** What one claim, or pod, took. */
export type Numbers = {
  readonly perSecond: number
  readonly p50Ms: number
  readonly p99Ms: number
  readonly cpuMicros: ByComponent
  /** Revisions of the server, whoever made them. */
  readonly writes: number
  /** The part of them that the played nodes made. */
  readonly nodeWrites: number
}

/** Does it and counts, until everybody is idle again: what comes late, such as an event, belongs to it. */
export async function measure(
  { pids }: Stage,
  load: Load,
  count: number,
  act: () => Promise<LoadResult>,
): Promise<Numbers> {
  const all = Object.values(pids).flat()
  const [before, firstRevision, firstNodeWrites] = [cpuByComponent(pids), await load.revision(), load.nodeWrites()]
  const { timesMs, elapsedMs } = await act()
  await untilQuiet(all)
  const after = cpuByComponent(pids)
  return {
    perSecond: (count / elapsedMs) * 1000,
    p50Ms: quantile(timesMs, 0.5),
    p99Ms: quantile(timesMs, 0.99),
    cpuMicros: Object.fromEntries(
      Object.entries(after).map(([name, micros]) => [name, (micros - (before[name] ?? 0)) / count]),
    ),
    writes: ((await load.revision()) - firstRevision) / count,
    nodeWrites: (load.nodeWrites() - firstNodeWrites) / count,
  }
}

export const total = (parts: ByComponent): number => Object.values(parts).reduce((sum, part) => sum + part, 0)

const cpuByComponent = (pids: Stage['pids']): ByComponent =>
  Object.fromEntries(Object.entries(pids).map(([name, own]) => [name, cpuMicros(own)]))

/** In MiB. */
export const memoryOf = (pids: Stage['pids'], which: 'resident' | 'peak'): ByComponent =>
  Object.fromEntries(
    Object.entries(pids).map(([name, own]) => [
      name,
      (which === 'resident' ? residentBytes : peakBytes)(own) / (1024 * 1024),
    ]),
  )
