import { inFlight } from './in-flight.ts'

/** How long each took, from our request until we saw it done, and all of them together. */
export type PhaseResult = { timesMs: number[]; elapsedMs: number; begunAt: number }

/** When the wishes of each phase were seen to have come true, by name. */
export interface Sightings<Phase extends string> {
  sight(phase: Phase, name: string): void
  /** Makes all wishes with that many requests under way, and waits until each has come true. `wish` resolves with the name that is sighted. */
  run<T>(phase: Phase, wanted: readonly T[], wish: (item: T) => Promise<string>, requests: number): Promise<PhaseResult>
}

// A run that makes no headway for so long has failed.
const PATIENCE_MS = 60_000

export function createSightings<Phase extends string>(): Sightings<Phase> {
  const seen = new Map<string, number>()
  const keyOf = (phase: Phase, name: string): string => `${phase} ${name}`
  let onSight = (_key: string): void => {}
  return {
    sight: (phase, name) => {
      const key = keyOf(phase, name)
      if (seen.has(key)) return
      seen.set(key, performance.now())
      onSight(key)
    },
    run: async (phase, wanted, wish, requests) => {
      const begun = new Map<string, number>()
      const missing = new Set<string>()
      let done = 0
      const { promise: allSeen, resolve, reject } = Promise.withResolvers<void>()
      allSeen.catch(() => {})
      let timer: NodeJS.Timeout | undefined
      const fail = (): void =>
        reject(
          new Error(
            `${phase}: ${wanted.length - done} of ${wanted.length} are missing, and none came for ${PATIENCE_MS / 1000} s`,
          ),
        )
      const count = (): void => {
        clearTimeout(timer)
        if (++done === wanted.length) resolve()
        else timer = setTimeout(fail, PATIENCE_MS)
      }
      onSight = (key) => {
        if (missing.delete(key)) count()
      }
      timer = setTimeout(fail, PATIENCE_MS)
      const begunAt = Date.now()
      const startMs = performance.now()
      try {
        await inFlight(wanted, requests, async (item) => {
          const wishedMs = performance.now()
          const key = keyOf(phase, await wish(item))
          begun.set(key, wishedMs)
          // It may have been seen before the answer to the wish was.
          if (seen.has(key)) count()
          else missing.add(key)
        })
        await allSeen
      } finally {
        clearTimeout(timer)
        onSight = () => {}
      }
      const timesMs = Array.from(begun, ([key, wishedMs]) => (seen.get(key) ?? Number.NaN) - wishedMs)
      return { timesMs, elapsedMs: performance.now() - startMs, begunAt }
    },
  }
}
