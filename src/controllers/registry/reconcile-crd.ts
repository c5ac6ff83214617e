import { ignoreNotFound, isAlreadyExists } from '../../api/api-error.ts'
import type { Api } from '../../api/api.ts'
import { CUSTOM_RESOURCE_DEFINITIONS } from '../../api/kinds/custom-resource-definition.ts'
import type { CustomResourceDefinition } from '../../api/kinds/custom-resource-definition.ts'
import { formatReason } from '../../api/reason.ts'
import { unreachable } from '../../base/abort.ts'
import type { Clock } from '../../base/clock.ts'
import { after } from '../../kube/controller.ts'
import type { Reconciler } from '../../kube/controller.ts'
import type { EventRecorder } from '../../kube/event-recorder.ts'
import { within } from '../../kube/within.ts'
import { nextCrdStep } from './next-crd-step.ts'

export type CrdParts = {
  readonly api: Api
  readonly clock: Clock
  readonly events: EventRecorder
  readonly checkMs: number
  /** By name. */
  readonly wanted: ReadonlyMap<string, CustomResourceDefinition>
  /** Its objects can be followed now. */
  onUsable(name: string): void
}

/** Has a definition installed. What is there is read from the server each time: these are few, and a watch may be late. */
export function createCrdReconciler({ api, clock, events, checkMs, wanted, onUsable }: CrdParts): Reconciler {
  const healedMs = new Map<string, number>()
  return async (name, { log, signal }) => {
    const definition = wanted.get(name)
    if (!definition) return after(checkMs)
    const present = await findCrd(name, signal)
    const lastMs = healedMs.get(name)
    const restMs = lastMs === undefined ? 0 : lastMs + checkMs - clock.monotonicMs()
    const step = nextCrdStep({ seen: { wanted: definition, present }, held: { restMs } })
    log.debug('definition step', { step: step.kind })
    switch (step.kind) {
      case 'wait':
        if (step.usable) onUsable(name)
        return after(step.retryInMs ?? checkMs)
      case 'create':
        await createCrd(step.crd, signal)
        log.info('definition installed', { definition: name })
        // The server tells when it is served; should that get lost, the next look finds it.
        return after(checkMs)
      case 'heal':
        healedMs.set(name, clock.monotonicMs())
        await within(clock, signal, (until) => api.update(CUSTOM_RESOURCE_DEFINITIONS, step.crd, { signal: until }))
        log.info('definition completed', { definition: name })
        return after(checkMs)
      case 'refuse':
        log.warn('a definition is not ours and not what is needed', { definition: name, reason: step.reason })
        if (present) events.record(present, 'Warning', step.reason.code, formatReason(step.reason))
        return after(checkMs)
      default:
        return unreachable(step)
    }
  }

  function findCrd(name: string, signal: AbortSignal): Promise<CustomResourceDefinition | undefined> {
    return within(clock, signal, (until) => api.get(CUSTOM_RESOURCE_DEFINITIONS, { name }, { signal: until })).catch(ignoreNotFound)
  }
  async function createCrd(crd: CustomResourceDefinition, signal: AbortSignal): Promise<void> {
    try {
      await within(clock, signal, (until) => api.create(CUSTOM_RESOURCE_DEFINITIONS, crd, { signal: until }))
    } catch (error) {
      // Another one was faster; the watch brings us back to look at it.
      if (!isAlreadyExists(error)) throw error
    }
  }
}
