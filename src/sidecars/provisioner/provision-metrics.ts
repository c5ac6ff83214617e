import { Counter, Histogram } from 'prom-client'
import type { Registry } from 'prom-client'

/** The metrics of the upstream provisioner, with the same names. If called again for the same registry, counting continues. */
export function createProvisionMetrics(registry: Registry | undefined) {
  const registers = registry ? [registry] : []
  const operation = <Label extends string>(object: string, verb: string, labelNames: Label[]) => {
    const name = `controller_${object}_${verb}`
    const find = (suffix: string): unknown => registry?.getSingleMetric(`${name}_${suffix}`)
    const counter = (suffix: string, help: string): Counter<Label> =>
      (find(suffix) as Counter<Label> | undefined) ??
      new Counter({ name: `${name}_${suffix}`, help, labelNames, registers })
    const total = counter('total', `Total number of succeeded ${object} ${verb} operations`)
    const failures = counter('failed_total', `Total number of failed ${object} ${verb} operations`)
    const help = `Latency in seconds to ${verb} ${object}s, from the first try`
    const duration =
      (find('duration_seconds') as Histogram<Label> | undefined) ??
      new Histogram({ name: `${name}_duration_seconds`, help, labelNames, registers })
    const succeeded = (labels: Record<Label, string>, tookMs: number): void => {
      total.inc(labels)
      duration.observe(labels, tookMs / 1000)
    }
    return { succeeded, failed: (labels: Record<Label, string>): void => failures.inc(labels) }
  }
  return {
    provision: operation('persistentvolumeclaim', 'provision', ['class', 'source']),
    delete: operation('persistentvolume', 'delete', ['class']),
  }
}

export type ProvisionMetrics = ReturnType<typeof createProvisionMetrics>
