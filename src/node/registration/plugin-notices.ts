import type { Node } from '../../api/kinds/node.ts'
import { formatReason } from '../../api/reason.ts'
import type { RoleWorld } from '../../kube/process/role-world.ts'
import { createComplaints } from './complaints.ts'
import { REASONS } from './reasons.ts'
import type { RegistrationReason } from './reasons.ts'

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
    /** A plugin is not registered. */
    tell: (path: string, reason: RegistrationReason): void => {
      const why = formatReason(reason)
      if (!isNew(path, why)) return
      log.warn('a plugin is not registered', { path, why })
      // A stale socket is not worth an event.
      if (reason !== REASONS.noServer) report(reason)
    },
    /** A registered driver has another name. */
    warn: (path: string, reason: RegistrationReason, names: Readonly<Record<string, string>>): void => {
      if (!isNew(path, formatReason(reason))) return
      log.warn('a registered driver has another name', { path, ...names })
      report(reason, reason.code)
    },
  }
}
