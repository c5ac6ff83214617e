import type { Clock } from '../base/clock.ts'
import type { CallObserver } from '../csi/index.ts'
import type { CallInfo } from './protocol.ts'

/** The CSI calls of this process, as far as they are recent. */
export interface CallLog {
  /** `by` is the caller: `sidecars`, `node-1`. */
  observe(by: string, driver: string): CallObserver
  /** Calls for a volume, newest first. CreateVolume is known by the name of the volume, all others by its handle. */
  callsFor(volumeName: string, volumeHandle: string | undefined): readonly CallInfo[]
  /** Of the recent calls to this driver; undefined if there are none. */
  summaryOf(driver: string): CallSummary | undefined
  onCall(listener: (driver: string) => void): void
}

export type CallSummary = {
  readonly count: number
  readonly failed: number
  readonly p50Ms: number
  readonly p99Ms: number
}

// Enough for the recent life of a few thousand volumes.
const MOST_CALLS = 20_000

type LoggedCall = { readonly driver: string; readonly ids: readonly string[]; readonly call: CallInfo }

/** `clock` is the one that callers measure with. */
export function createCallLog(clock: Clock): CallLog {
  const calls: LoggedCall[] = []
  const listeners: ((driver: string) => void)[] = []
  const observe =
    (by: string, driver: string): CallObserver =>
    ({ rpc, request, response, code, error, tookMs }) => {
      // Empty for probes and questions about capabilities.
      const ids = volumeIdsOf(request, response)
      calls.push({
        driver,
        ids,
        call: {
          method: rpc.name,
          by,
          startMs: clock.nowMs() - tookMs,
          tookMs,
          code: code ?? 'none',
          ...(error ? { error: error.message } : {}),
        },
      })
      if (calls.length > 2 * MOST_CALLS) calls.splice(0, MOST_CALLS)
      for (const listener of listeners) listener(driver)
    }
  const callsFor = (volumeName: string, volumeHandle: string | undefined): CallInfo[] =>
    calls
      .filter(({ ids }) => ids.includes(volumeName) || (volumeHandle !== undefined && ids.includes(volumeHandle)))
      .map(({ call }) => call)
      .reverse()
  const summaryOf = (name: string): CallSummary | undefined =>
    summarize(calls.filter(({ driver }) => driver === name).map(({ call }) => call))
  return { observe, callsFor, summaryOf, onCall: (listener) => void listeners.push(listener) }
}

/** The names and handles that a call is about. */
function volumeIdsOf(request: unknown, response: unknown): readonly string[] {
  const { name, volumeId, sourceVolumeId } = request as Partial<Record<string, unknown>>
  const made = (response as { volume?: { volumeId?: unknown } } | undefined)?.volume?.volumeId
  return [name, volumeId, sourceVolumeId, made].filter((id) => typeof id === 'string' && id !== '') as string[]
}

function summarize(calls: readonly CallInfo[]): CallSummary | undefined {
  const times = calls.map(({ tookMs }) => tookMs).sort((one, other) => one - other)
  const at = (part: number): number => times[Math.min(times.length - 1, Math.floor(times.length * part))] ?? 0
  const failed = calls.filter(({ code }) => code !== 'OK').length
  return times.length === 0 ? undefined : { count: times.length, failed, p50Ms: at(0.5), p99Ms: at(0.99) }
}
