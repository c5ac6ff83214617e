import { CsiError } from '../../csi/csi-error.ts'
import { after, atStart, defineController } from '../../kube/controller/index.ts'
import type { ControllerRole, WaitStep } from '../../kube/controller/index.ts'
import type { HealthParts } from './health-controller.ts'

export type SurveyParts = Pick<HealthParts, 'driver' | 'calls' | 'config' | 'queue' | 'findings'> & {
  /** Handles and names of the volumes to check. */
  volumes(): Iterable<{ readonly name: string; readonly handle: string }>
}

/** Lists the health of all volumes, at the start and then periodically, and wakes the volumes that the driver reports on. */
export function defineSurveyController(
  { createQueue }: ControllerRole,
  { driver, calls, config, queue, findings, volumes }: SurveyParts,
) {
  return defineController({
    name: 'health-survey',
    queue: createQueue({ name: 'csi-monitor-list', lanes: { default: 1 } }),
    watch: [atStart('volumes')],
    view: () => ({}),
    decide: (_view: object): WaitStep | { readonly kind: 'list' } => ({ kind: 'list' }),
    perform: {
      list: async (_step, { signal, log }) => {
        const all = [...volumes()]
        try {
          const wanted = new Set(all.map(({ handle }) => handle))
          const found = await calls.list?.(driver, wanted, { timeoutMs: config.timeoutMs, signal })
          for (const { name, handle } of all) {
            const finding = found?.get(handle)
            if (!finding) continue
            findings.set(name, finding)
            queue.add(name)
          }
        } catch (error) {
          signal.throwIfAborted()
          // A failed call says nothing about the volumes.
          const problem = error instanceof CsiError ? error.message : error
          log.warn('the health of volumes could not be listed', { error: problem })
        }
        return after(config.listVolumesIntervalMs)
      },
    },
  })
}
