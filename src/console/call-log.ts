import type { Clock } from '../base/clock.ts'
import type { CallObserver } from '../csi/index.ts'
import type { CallInfo } from './protocol.ts'

/** The CSI calls of this process, as far as they are recent. */
export interface CallLog {
  /** `by` is the caller: `sidecars`, `node-1`. */
  observe(by: string): CallObserver
  /** Calls for a volume, newest first. CreateVolume is known by the name of the volume, all others by its handle. */
  callsFor(volumeName: string, volumeHandle: string | undefined): readonly CallInfo[]
  onCall(listener: (volumeIds: readonly string[]) => void): void
}

// Enough for the recent life of a few thousand volumes.
const MOST_CALLS = 20_000

type LoggedCall = { readonly ids: readonly string[]; readonly call: CallInfo }

/** `clock` is the one that callers measure with. */
export function createCallLog(clock: Clock): CallLog {
  const calls: LoggedCall[] = []
  const listeners: ((ids: readonly string[]) => void)[] = []
  const observe =
    (by: string): CallObserver =>
    ({ rpc, request, response, code, error, tookMs }) => {
      // Probes and questions about capabilities belong to no volume.
      const ids = volumeIdsOf(request, response)
      calls.push({
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
      if (ids.length > 0) for (const listener of listeners) listener(ids)
    }
  const callsFor = (volumeName: string, volumeHandle: string | undefined): CallInfo[] =>
    calls
      .filter(({ ids }) => ids.includes(volumeName) || (volumeHandle !== undefined && ids.includes(volumeHandle)))
      .map(({ call }) => call)
      .reverse()
  return { observe, callsFor, onCall: (listener) => void listeners.push(listener) }
}

/** The names and handles that a call is about. */
function volumeIdsOf(request: unknown, response: unknown): readonly string[] {
  const { name, volumeId, sourceVolumeId } = request as Partial<Record<string, unknown>>
  const made = (response as { volume?: { volumeId?: unknown } } | undefined)?.volume?.volumeId
  return [name, volumeId, sourceVolumeId, made].filter((id) => typeof id === 'string' && id !== '') as string[]
}
