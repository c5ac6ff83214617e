import type { Clock } from '../../base/clock.ts'

/** Claims for which a content was just created. */
export interface RecentCreations {
  /** A content is being created for these claims. */
  add(claimKeys: readonly string[]): void
  /** The cache shows the content. */
  seen(claimKey: string): void
  /** How long the cache may still lag behind for this claim. Undefined if it does not. */
  leftMs(claimKey: string): number | undefined
}

// A content that was deleted before the watch showed it is never seen: after this time, the claim is released anyway.
const LIMIT_MS = 10_000

/** Without it, a claim whose content the cache does not show yet would look unused and be released while the driver takes the snapshot. */
export function createRecentCreations(clock: Clock): RecentCreations {
  const until = new Map<string, number>()
  return {
    add: (keys) => keys.forEach((key) => until.set(key, clock.monotonicMs() + LIMIT_MS)),
    seen: (key) => void until.delete(key),
    leftMs: (key) => {
      const leftMs = (until.get(key) ?? 0) - clock.monotonicMs()
      if (leftMs > 0) return leftMs
      until.delete(key)
      return undefined
    },
  }
}
