import type { NodeView } from './cluster-view.ts'

/** The part of the cluster that a driver does not tell the node apart from: what it refused for one node it refuses for all of them. */
export function segmentOf(driver: string, { name, labels, drivers }: NodeView): string {
  const keys = drivers.get(driver)?.topologyKeys ?? []
  const values = keys.toSorted().map((key) => [key, labels[key] ?? null])
  return JSON.stringify(values.length === 0 ? [driver, name] : [driver, values])
}
