import type { Clock } from '../../base/clock.ts'
import { createRecentMap } from '../../kube/recent-map.ts'
import type { RecentMap } from '../../kube/recent-map.ts'

/** What was already said about the plugin at a path. */
export interface Complaints {
  /** Whether this is to be said now: not again for a while, even when the socket is made anew for each try. */
  isNew(path: string, text: string): boolean
  /** The plugin works now: whatever is wrong with it later is news. */
  forget(path: string): void
}

const SILENT_MS = 600_000
// Beyond that the oldest are dropped: a hostile plugin must not fill the memory.
const MOST_PATHS = 256
const MOST_TEXTS = 16

export function createComplaints(clock: Pick<Clock, 'monotonicMs'>): Complaints {
  const saidAtMs = createRecentMap<RecentMap<number>>(MOST_PATHS)
  return {
    isNew: (path, text) => {
      const ofPath = saidAtMs.get(path) ?? createRecentMap<number>(MOST_TEXTS)
      const before = ofPath.get(text)
      if (before !== undefined && clock.monotonicMs() - before < SILENT_MS) return false
      ofPath.set(text, clock.monotonicMs())
      saidAtMs.set(path, ofPath)
      return true
    },
    forget: (path) => saidAtMs.delete(path),
  }
}
