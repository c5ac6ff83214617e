import type { Clock } from '../../base/clock.ts'
import { createRecentMap } from '../../kube/cache/recent-map.ts'
import type { RecentMap } from '../../kube/cache/recent-map.ts'

const SILENT_MS = 600_000
// Beyond that the oldest are dropped: a hostile plugin must not fill the memory.
const MOST_PATHS = 256
const MOST_TEXTS = 16

/** What was already reported about the plugin at a path. */
export function createComplaints(clock: Pick<Clock, 'monotonicMs'>) {
  const saidAtMs = createRecentMap<RecentMap<number>>(MOST_PATHS)
  return {
    /** Whether to report this now: not again for a while, even if a new socket is created for each try. */
    isNew: (path: string, text: string): boolean => {
      const ofPath = saidAtMs.get(path) ?? createRecentMap<number>(MOST_TEXTS)
      const before = ofPath.get(text)
      if (before !== undefined && clock.monotonicMs() - before < SILENT_MS) return false
      ofPath.set(text, clock.monotonicMs())
      saidAtMs.set(path, ofPath)
      return true
    },
    /** The plugin works: whatever is wrong with it later is news. */
    forget: (path: string): void => saidAtMs.delete(path),
  }
}
