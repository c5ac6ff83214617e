import type { Api } from '../../api/api.ts'
import type { Clock, Timer } from '../../base/clock.ts'
import { decorateApi } from './decorate-api.ts'

export type RequestLimits = {
  readonly clock: Clock
  /** Aborts every request in flight, and rejects later ones. */
  readonly signal: AbortSignal
  /** How long to wait for a response. Default 30 s. */
  readonly timeoutMs?: number
}

const DEFAULT_TIMEOUT_MS = 30_000

type InFlight = {
  readonly controller: AbortController
  readonly reject: (reason: unknown) => void
  readonly deadlineMs: number
}

/** The API with a deadline on every request except watches. An expired request rejects immediately, whatever the server does. */
export function limitRequests(api: Api, { clock, signal, timeoutMs = DEFAULT_TIMEOUT_MS }: RequestLimits): Api {
  // Every request has the same timeout, so the oldest is always the next to expire and one timer is enough.
  const inFlight = new Set<InFlight>()
  let timer: Timer | undefined
  const give = (request: InFlight, reason: unknown): void => {
    inFlight.delete(request)
    request.reject(reason)
    request.controller.abort(reason)
  }
  const arm = (): void => {
    timer?.cancel()
    timer = undefined
    const { value: oldest } = inFlight.values().next()
    if (oldest) timer = clock.setTimer(Math.max(0, oldest.deadlineMs - clock.monotonicMs()), expire)
  }
  const expire = (): void => {
    const nowMs = clock.monotonicMs()
    for (const request of inFlight) {
      if (request.deadlineMs > nowMs) break
      give(request, new Error(`the API server did not answer within ${timeoutMs / 1000} s`))
    }
    timer = undefined
    arm()
  }
  const abortAll = (): void => {
    for (const request of inFlight) give(request, signal.reason)
    arm()
  }
  signal.addEventListener('abort', abortAll, { once: true })

  const send = <T>(outer: AbortSignal | undefined, ask: (signal: AbortSignal) => Promise<T>): Promise<T> => {
    if (signal.aborted) return Promise.reject(signal.reason as Error)
    if (outer?.aborted) return Promise.reject(outer.reason as Error)
    return new Promise<T>((resolve, reject) => {
      const request: InFlight = {
        controller: new AbortController(),
        reject,
        deadlineMs: clock.monotonicMs() + timeoutMs,
      }
      inFlight.add(request)
      if (!timer) arm()
      const onOuterAbort = outer && ((): void => give(request, outer.reason))
      if (outer && onOuterAbort) outer.addEventListener('abort', onOuterAbort, { once: true })
      const end = (): void => {
        inFlight.delete(request)
        if (inFlight.size === 0) arm()
        if (outer && onOuterAbort) outer.removeEventListener('abort', onOuterAbort)
      }
      ask(request.controller.signal).then(
        (value) => {
          end()
          resolve(value)
        },
        (error: unknown) => {
          end()
          reject(error as Error)
        },
      )
    })
  }
  return decorateApi(api, {
    request: ({ options }, ask) => send(options.signal, ask),
    beforeWatch: () => signal.throwIfAborted(),
  })
}
