import { definePeriodic, startControllers } from '../../kube/controller/index.ts'
import type { ConfigMap } from '../../api/kinds/config-map.ts'
import type { SidecarRole, StartRole } from '../role.ts'
import { journalRef } from './journal.ts'
import { identityOf, LEAK_KINDS } from './leak.ts'
import type { Leak } from './leak.ts'
import { createSweepMetrics } from './sweep-metrics.ts'
import type { SweepConfig } from './sweep-options.ts'
import { sweep } from './sweep.ts'

/** `namespace` has the journal, about which the events are. */
export type SweepPlace = { readonly namespace: string }

/** Compares the driver with the cluster periodically, and reports what changes. */
export const startSweep: (place: SweepPlace) => StartRole<SweepConfig> =
  ({ namespace }) =>
  (config, parts, signal) =>
    startControllers(parts, signal, (role) => Promise.resolve([defineSweep(role, config, namespace)]))

function defineSweep(role: SidecarRole, config: SweepConfig, namespace: string) {
  const { api, driver, facts, clock, events, registry } = role
  const metrics = createSweepMetrics(registry)
  // Events are about the journal: what leaked has no object.
  const journal: ConfigMap = { apiVersion: 'v1', kind: 'ConfigMap', metadata: journalRef(facts.name, namespace) }
  let known: ReadonlyMap<string, Leak> = new Map()
  return definePeriodic({
    name: 'sweep',
    intervalMs: config.intervalMs,
    problem: 'the driver and the cluster could not be compared',
    act: async ({ log, signal }) => {
      const { leaks } = await sweep({
        ...{ api, driver, facts, clock, signal, journalNamespace: namespace },
        ...{ settleMs: config.settleMs, timeoutMs: config.timeoutMs },
        ...(config.delete ? { deleteAfterMs: config.graceMs } : {}),
        onDeleted: (deletion, { object }) => {
          const { handle, result, because } = deletion
          metrics.deleted(facts.name, deletion)
          log.info('volume without an owner', { handle, result, because })
          const [type, reason] =
            result === 'deleted' ? (['Normal', 'LeakDeleted'] as const) : (['Warning', 'LeakNotDeleted'] as const)
          events.record(
            object() ?? journal,
            type,
            reason,
            `volume ${handle} of driver ${facts.name}: ${because ?? result}`,
          )
        },
      })
      metrics.swept(facts.name, leaks, clock.nowMs())
      const now = new Map(leaks.map((leak) => [identityOf(leak), leak]))
      const fresh = [...now].filter(([key]) => !known.has(key)).map(([, leak]) => leak)
      for (const [kind, found] of Map.groupBy(fresh, (leak) => leak.kind)) {
        log.warn('leaks found', { kind, leaks: found })
        events.record(journal, 'Warning', 'LeakFound', `${LEAK_KINDS[kind]}: ${found.map(nameOf).join(', ')}`)
      }
      for (const [key, leak] of known) if (!now.has(key)) log.info('leak is gone', leak)
      known = now
      return undefined
    },
  })
}

const nameOf = ({ object, handle, path }: Leak): string => object ?? handle ?? path ?? ''
