import { Gauge } from 'prom-client'
import type { Registry } from 'prom-client'

export type CapacityCounts = {
  /** Pairs of class and segment that an object is wanted for. */
  readonly goal: number
  /** Those of them that have one. */
  readonly current: number
  /** Objects that are to be deleted. */
  readonly obsolete: number
}

/** Shows what is published under the names that dashboards of the Go provisioner know; counted only when metrics are read. The result ends it. */
export function measureCapacity(registry: Registry, read: () => CapacityCounts): () => void {
  const define = (name: string, help: string, member: keyof CapacityCounts): string => {
    new Gauge({
      name,
      help,
      registers: [registry],
      collect() {
        this.set(read()[member])
      },
    })
    return name
  }
  const names = [
    define('csistoragecapacities_desired_goal', 'CSIStorageCapacity objects that are wanted', 'goal'),
    define('csistoragecapacities_desired_current', 'CSIStorageCapacity objects that are wanted and there', 'current'),
    define('csistoragecapacities_obsolete', 'CSIStorageCapacity objects that are there and not wanted', 'obsolete'),
  ]
  return () => names.forEach((name) => registry.removeSingleMetric(name))
}
