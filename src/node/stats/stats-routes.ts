import { Registry } from 'prom-client'
import { metricsPage, textAnswer } from '../../kube/process/serve-http.ts'
import type { HttpRoutes } from '../../kube/process/serve-http.ts'
import { summarizeStats } from './stats-summary.ts'
import { registerVolumeMetrics } from './volume-metrics.ts'
import type { PodVolumeStats } from './volume-stats.ts'

/** A node whose stats are served. */
export type MeasuredNode = { readonly name: string; stats(): readonly PodVolumeStats[] }

/** Metrics of all nodes of the process, and the summary of each: of a single node where a kubelet has it, else below its name. */
export function createStatsRoutes(nodes: readonly MeasuredNode[], registry: Registry = new Registry()): HttpRoutes {
  registerVolumeMetrics(registry, () => nodes.flatMap((node) => node.stats()))
  const summaries = nodes.map(({ name, stats }) => {
    const body = () => `${JSON.stringify(summarizeStats(name, stats()))}\n`
    const page = () => Promise.resolve({ status: 200, contentType: 'application/json', body: body() })
    return [nodes.length === 1 ? '/stats/summary' : `/${name}/stats/summary`, page] as const
  })
  return {
    '/metrics': metricsPage(registry),
    '/healthz': () => Promise.resolve(textAnswer(200, 'ok')),
    ...Object.fromEntries(summaries),
  }
}
