import type { RecordedCall } from './recorded-call.ts'

/** Rate and latency of one RPC under load. */
export type RpcLoad = {
  readonly rpc: string
  readonly calls: number
  readonly failed: number
  readonly perSecond: number
  readonly p50Ms: number
  readonly p99Ms: number
}

/** Rate and latency of each RPC, in the order of the first call. */
export function measureCalls(calls: readonly RecordedCall[], tookMs: number): RpcLoad[] {
  return [...Map.groupBy(calls, ({ rpc }) => rpc)].map(([rpc, some]) => {
    const times = some.map((call) => call.tookMs).sort((a, b) => a - b)
    return {
      rpc,
      calls: some.length,
      failed: some.filter(({ code }) => code !== 'OK').length,
      perSecond: tookMs > 0 ? (some.length * 1000) / tookMs : 0,
      p50Ms: percentile(times, 0.5),
      p99Ms: percentile(times, 0.99),
    }
  })
}

/** The smallest value that at least this share of the sorted values does not exceed. */
const percentile = (sorted: readonly number[], share: number): number =>
  sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0
