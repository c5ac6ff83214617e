import { Counter, Gauge } from 'prom-client'
import type { Registry } from 'prom-client'
import { LEAK_KINDS } from './leak.ts'
import type { Leak, LeakKind } from './leak.ts'
import type { Deletion } from './sweep.ts'

/** The leaks by kind, when they were last looked for, and what was deleted. If called again for the same registry, counting continues. */
export function createSweepMetrics(registry: Registry | undefined) {
  const registers = registry ? [registry] : []
  const find = (name: string): unknown => registry?.getSingleMetric(name)
  const gauge = <Label extends string>(name: string, help: string, labelNames: Label[]): Gauge<Label> =>
    (find(name) as Gauge<Label> | undefined) ?? new Gauge({ name, help, labelNames, registers })
  const leaks = gauge('holdfast_sweep_leaks', 'Number of leaks that the last sweep found, by kind', ['driver', 'kind'])
  const last = gauge('holdfast_sweep_last_timestamp_seconds', 'Time of the last complete sweep', ['driver'])
  const deletedName = 'holdfast_sweep_deletions_total'
  const deleted =
    (find(deletedName) as Counter<'driver' | 'result'> | undefined) ??
    new Counter({
      name: deletedName,
      help: 'Number of own volumes without an owner that were deleted, or failed to be',
      labelNames: ['driver', 'result'],
      registers,
    })
  return {
    swept: (driver: string, found: readonly Leak[], nowMs: number): void => {
      for (const kind of Object.keys(LEAK_KINDS) as LeakKind[])
        leaks.set({ driver, kind }, found.filter((leak) => leak.kind === kind).length)
      last.set({ driver }, nowMs / 1000)
    },
    deleted: (driver: string, { result }: Deletion): void => deleted.inc({ driver, result }),
  }
}
