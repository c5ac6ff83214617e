import type { LevelUse } from '../http/fair-queue.ts'
import { formatMetrics } from './format-metrics.ts'
import type { Metric } from './format-metrics.ts'

/** What is read when somebody asks. */
export type ServerGauges = {
  levels(): readonly LevelUse[]
  /** How many requests of each kind are running. */
  inflight(): { readonly mutating: number; readonly readOnly: number }
  /** How many objects of each resource there are: `pods`, `leases.coordination.k8s.io`. */
  objects(): ReadonlyMap<string, number>
  revision(): number
}

/** The text of `/metrics`. */
export const formatServerMetrics = (requests: readonly Metric[], gauges: ServerGauges): string =>
  formatMetrics([...requests, ...gaugesOf(gauges)])

function gaugesOf({ levels, inflight, objects, revision }: ServerGauges): Metric[] {
  const use = levels()
  const { mutating, readOnly } = inflight()
  const perLevel = (valueOf: (level: LevelUse) => number): Metric['samples'] =>
    use.map((level) => ({ labels: { priority_level: level.level, flow_schema: level.level }, value: valueOf(level) }))
  return [
    {
      name: 'apiserver_current_inflight_requests',
      help: 'Maximal number of currently used inflight request limit of this apiserver per request kind in last second.',
      type: 'gauge',
      samples: [
        { labels: { request_kind: 'mutating' }, value: mutating },
        { labels: { request_kind: 'readOnly' }, value: readOnly },
      ],
    },
    {
      name: 'apiserver_flowcontrol_current_executing_requests',
      help: 'Number of requests in initial (for a WATCH) or any (for a non-WATCH) execution stage in the API Priority and Fairness subsystem',
      type: 'gauge',
      samples: perLevel(({ running }) => running),
    },
    {
      name: 'apiserver_flowcontrol_current_inqueue_requests',
      help: 'Number of requests currently pending in queues of the API Priority and Fairness subsystem',
      type: 'gauge',
      samples: perLevel(({ waiting }) => waiting),
    },
    {
      name: 'apiserver_flowcontrol_rejected_requests_total',
      help: 'Number of requests rejected by API Priority and Fairness subsystem',
      type: 'counter',
      samples: use.flatMap(({ level, rejected }) =>
        Object.entries(rejected).map(([reason, value]) => ({
          labels: { priority_level: level, flow_schema: level, reason },
          value,
        })),
      ),
    },
    {
      name: 'apiserver_storage_objects',
      help: 'Number of stored objects at the time of last check split by kind.',
      type: 'gauge',
      samples: Array.from(objects(), ([resource, value]) => ({ labels: { resource }, value })),
    },
    {
      name: 'holdfast_apiserver_revision',
      help: 'The newest resource version.',
      type: 'gauge',
      samples: [{ labels: {}, value: revision() }],
    },
  ]
}
