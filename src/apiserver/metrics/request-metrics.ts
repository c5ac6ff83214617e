import type { Clock } from '../../base/clock.ts'
import type { EndedRequest, RequestObserver } from '../core/core.ts'
import type { ResourceAttributes } from '../core/request.ts'
import type { Labels, Metric, Sample } from './format-metrics.ts'

/** Counts requests and open watches. */
export interface RequestMetrics {
  readonly observe: RequestObserver
  /** A watch has begun; call the result when it ends. */
  watchStarted(attributes: ResourceAttributes): () => void
  metrics(): Metric[]
}

// The buckets of kube-apiserver.
const BUCKETS_SECONDS = [
  0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45, 60,
]

const VERBS: Readonly<Record<string, string>> = {
  get: 'GET',
  list: 'LIST',
  watch: 'WATCH',
  create: 'POST',
  update: 'PUT',
  patch: 'PATCH',
  delete: 'DELETE',
  deletecollection: 'DELETECOLLECTION',
}

type Series = {
  readonly labels: Labels
  readonly codes: Map<number, number>
  readonly buckets: number[]
  sum: number
  count: number
}

export function createRequestMetrics(
  clock: Clock,
  isServed: (attributes: ResourceAttributes) => boolean,
): RequestMetrics {
  const series = new Map<string, Series>()
  const watches = new Map<string, { labels: Labels; open: number }>()

  const seriesOf = ({ attributes, request }: EndedRequest): Series => {
    const isDry =
      request !== undefined && 'options' in request && 'dryRun' in request.options && request.options.dryRun === true
    const isApply = request?.verb === 'patch' && request.patch.type === 'apply'
    const key = `${isDry ? 'd' : ''}${isApply ? 'a' : ''} ${keyOf(attributes, isServed)}`
    let found = series.get(key)
    if (!found) {
      const labels = { ...labelsOf(attributes, isServed), dry_run: isDry ? 'All' : '' }
      found = {
        labels: isApply ? { ...labels, verb: 'APPLY' } : labels,
        codes: new Map(),
        buckets: Array.from({ length: BUCKETS_SECONDS.length }, () => 0),
        sum: 0,
        count: 0,
      }
      series.set(key, found)
    }
    return found
  }
  const observe: RequestObserver = (ended) => {
    const found = seriesOf(ended)
    found.codes.set(ended.code, (found.codes.get(ended.code) ?? 0) + 1)
    // A watch ends when its client wants it to.
    if (ended.attributes.verb === 'watch') return
    const seconds = Math.max(0, clock.nowMs() - ended.startedMs) / 1000
    found.sum += seconds
    found.count += 1
    const bucket = BUCKETS_SECONDS.findIndex((limit) => seconds <= limit)
    if (bucket >= 0) found.buckets[bucket] = (found.buckets[bucket] ?? 0) + 1
  }
  const watchStarted: RequestMetrics['watchStarted'] = (attributes) => {
    const key = keyOf(attributes, isServed)
    const entry = watches.get(key) ?? { labels: labelsOf(attributes, isServed), open: 0 }
    watches.set(key, entry)
    entry.open += 1
    return () => void (entry.open -= 1)
  }
  const metrics = (): Metric[] => [
    {
      name: 'apiserver_request_total',
      help: 'Counter of apiserver requests broken out for each verb, dry run value, group, version, resource, scope, component, and HTTP response code.',
      type: 'counter',
      samples: [...series.values()].flatMap(({ labels, codes }) =>
        Array.from(codes, ([code, value]) => ({ labels: { ...labels, code: String(code) }, value })),
      ),
    },
    {
      name: 'apiserver_request_duration_seconds',
      help: 'Response latency distribution in seconds for each verb, dry run value, group, version, resource, subresource, scope and component.',
      type: 'histogram',
      samples: [...series.values()].filter(({ count }) => count > 0).flatMap(histogramOf),
    },
    {
      name: 'apiserver_longrunning_requests',
      help: 'Gauge of all active long-running apiserver requests broken out by verb, group, version, resource, scope and component. Not all requests are tracked this way.',
      type: 'gauge',
      samples: [...watches.values()].map(({ labels, open }) => ({ labels, value: open })),
    },
  ]
  return { observe, watchStarted, metrics }
}

function histogramOf({ labels, buckets, sum, count }: Series): Sample[] {
  let below = 0
  const cumulative = BUCKETS_SECONDS.map((limit, index): Sample => {
    below += buckets[index] ?? 0
    return { suffix: '_bucket', labels: { ...labels, le: String(limit) }, value: below }
  })
  return [
    ...cumulative,
    { suffix: '_bucket', labels: { ...labels, le: '+Inf' }, value: count },
    { suffix: '_sum', labels, value: sum },
    { suffix: '_count', labels, value: count },
  ]
}

type Attributes = EndedRequest['attributes']
type IsServed = (attributes: ResourceAttributes) => boolean

// Names that clients made up would fill the memory.
const isKnown = (attributes: Attributes, isServed: IsServed): attributes is ResourceAttributes =>
  attributes.isResource && isServed(attributes)

function keyOf(attributes: Attributes, isServed: IsServed): string {
  if (!isKnown(attributes, isServed)) return verbOf(attributes)
  const { verb, group, version, resource, subresource, namespace, name } = attributes
  return `${verb} ${group}/${version}/${resource}/${subresource} ${scopeOf(namespace, name)}`
}

function labelsOf(attributes: Attributes, isServed: IsServed): Labels {
  const verb = verbOf(attributes)
  if (!isKnown(attributes, isServed))
    return { verb, group: '', version: '', resource: '', subresource: '', scope: '', component: 'apiserver' }
  const { group, version, resource, subresource, namespace, name } = attributes
  const scope = scopeOf(namespace, name)
  return { verb, group, version, resource, subresource, scope, component: 'apiserver' }
}

// An unknown method is not counted under its own name.
const verbOf = ({ verb }: Attributes): string => VERBS[verb] ?? 'other'

const scopeOf = (namespace: string, name: string): string =>
  name !== '' ? 'resource' : namespace === '' ? 'cluster' : 'namespace'
