import { abandonOnAbort } from '../../../base/abort.ts'
import { sleep } from '../../../base/clock.ts'
import type { Clock } from '../../../base/clock.ts'

export type PollingParts = {
  readonly clock: Clock
  readonly intervalMs: number
  /** Enqueues everything that is not waiting already, and returns its keys. */
  begin(): readonly string[]
}

/** One round after the other. The next begins an interval after the last one ended, so that long rounds can't pile up. */
export function startPolling({ clock, intervalMs, begin }: PollingParts) {
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
    /** The pass of the key has ended, with whatever result. */
    looked: (key: string): void => {
      if (left.delete(key) && left.size === 0) ended.resolve()
    },
    stop: async (): Promise<void> => {
      stopping.abort(new Error('polling was stopped'))
      await running
    },
  }
}
