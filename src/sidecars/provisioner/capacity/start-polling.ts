import { abandonOnAbort } from '../../../base/abort.ts'
import { sleep } from '../../../base/clock.ts'
import type { Clock } from '../../../base/clock.ts'

export type Polling = {
  /** The key was looked at, with whatever result. */
  looked(key: string): void
  stop(): Promise<void>
}

export type PollingParts = {
  readonly clock: Clock
  readonly intervalMs: number
  /** Has everything looked at that is not waiting for it already, and gives the keys of that. */
  begin(): readonly string[]
}

/** One round after the other. The next is due a while after the last one ended, so that rounds which take long can't pile up. */
export function startPolling({ clock, intervalMs, begin }: PollingParts): Polling {
  const stopping = new AbortController()
  const { signal } = stopping
  const left = new Set<string>()
  let ended = Promise.withResolvers<void>()
  const run = async (): Promise<void> => {
    while (!signal.aborted) {
      await sleep(clock, intervalMs, signal)
      ended = Promise.withResolvers<void>()
      for (const key of begin()) left.add(key)
      if (left.size > 0) await abandonOnAbort(ended.promise, signal)
    }
  }
  // It ends only by being stopped.
  const running = run().catch(() => {})
  return {
    looked: (key) => {
      if (left.delete(key) && left.size === 0) ended.resolve()
    },
    stop: async () => {
      stopping.abort(new Error('nothing is asked any more'))
      await running
    },
  }
}
