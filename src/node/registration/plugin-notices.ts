import type { Node } from '../../api/kinds/node.ts'
import { formatReason } from '../../api/reason.ts'
import type { Clock } from '../../base/clock.ts'
import { createRecentMap } from '../../kube/cache/recent-map.ts'
import type { RecentMap } from '../../kube/cache/recent-map.ts'
import type { RoleWorld } from '../../kube/process/role-world.ts'
import { REASONS } from './reasons.ts'
import type { RegistrationReason } from './reasons.ts'

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

export type PluginNotices = ReturnType<typeof createPluginNotices>

/** Reports about plugins: in the log, and as events about the Node. */
export function createPluginNotices(
  { clock, events, log }: Pick<RoleWorld, 'clock' | 'events' | 'log'>,
  findNode: () => Node | undefined,
) {
  const { isNew, forget } = createComplaints(clock)
  const report = (reason: RegistrationReason, event = 'DriverRegistrationFailed'): void => {
    const node = findNode()
    if (node) events.record(node, 'Warning', event, formatReason(reason))
  }
  return {
    report,
    forget,
    isNews: isNew,
    /** A plugin is not registered. A stale socket is not worth an event. */
    tell: (path: string, reason: RegistrationReason): void => {
      const why = formatReason(reason)
      if (!isNew(path, why)) return
      log.warn('a plugin is not registered', { path, why })
      if (reason !== REASONS.NobodyServesSocket) report(reason)
    },
  }
}
