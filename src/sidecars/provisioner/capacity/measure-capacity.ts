import { Gauge } from 'prom-client'
import type { Registry } from 'prom-client'

export type CapacityCounts = {
  /** Pairs of class and segment. */
  readonly goal: number
  /** Those of them that have an object. */
  readonly current: number
  /** Objects to be deleted. */
  readonly obsolete: number
}

/** The gauges of the upstream provisioner, computed only when metrics are read. The result ends it. */
export function measureCapacity(registry: Registry, read: () => CapacityCounts): () => void {
  for (const [name, help, member] of GAUGES)
    new Gauge({
      name,
      help,
      registers: [registry],
      collect() {
        this.set(read()[member])
      },
    })
  return () => GAUGES.forEach(([name]) => registry.removeSingleMetric(name))
}

const GAUGES: readonly [name: string, help: string, member: keyof CapacityCounts][] = [
  ['csistoragecapacities_desired_goal', 'CSIStorageCapacity objects that are desired', 'goal'],
  ['csistoragecapacities_desired_current', 'CSIStorageCapacity objects that are desired and exist', 'current'],
  ['csistoragecapacities_obsolete', 'CSIStorageCapacity objects that exist and are not desired', 'obsolete'],
]
