import { ApiError, isAlreadyExists, isConflict, isNotFound, isRetriable } from '../../api/api-error.ts'
import type { Api } from '../../api/api.ts'
import { PERSISTENT_VOLUME_CLAIMS } from '../../api/kinds/persistent-volume-claim.ts'
import type { PersistentVolumeClaim } from '../../api/kinds/persistent-volume-claim.ts'
import type { Pod } from '../../api/kinds/pod.ts'
import { refOf } from '../../api/object-key.ts'
import { formatReason } from '../../api/reason.ts'
import type { Clock } from '../../base/clock.ts'
import { DONE } from '../../kube/controller.ts'
import type { Reconciler } from '../../kube/controller.ts'
import type { EventRecorder } from '../../kube/event-recorder.ts'
import { within } from '../../kube/within.ts'
import { nextEphemeralStep } from './next-ephemeral-step.ts'
import type { EphemeralView } from './next-ephemeral-step.ts'

export type PodParts = {
  readonly api: Api
  readonly clock: Clock
  readonly events: EventRecorder
  /** Undefined when the pod is gone. */
  readSeen(key: string): EphemeralView['seen'] | undefined
}

/** One pass over the claims of one pod. What the server refuses for good is said in an event of the pod. */
export function createPodReconciler({ api, clock, events, readSeen }: PodParts): Reconciler {
  const tell = (pod: Pod, text: string): void => events.record(pod, 'Warning', 'FailedBinding', text)

  /** Undefined: it is made. Else what the server has in its place; the cache is behind then. */
  const make = async (claim: PersistentVolumeClaim, signal: AbortSignal): Promise<PersistentVolumeClaim | undefined> => {
    try {
      await within(clock, signal, (until) => api.create(PERSISTENT_VOLUME_CLAIMS, claim, { signal: until }))
      return undefined
    } catch (error) {
      if (!isAlreadyExists(error)) throw error
      return within(clock, signal, (until) => api.get(PERSISTENT_VOLUME_CLAIMS, refOf(claim), { signal: until }))
    }
  }

  return async (key, { log, signal }) => {
    const seen = readSeen(key)
    if (!seen) return DONE
    const { pod } = seen
    const step = nextEphemeralStep({ seen })
    log.debug('ephemeral step', { step: step.kind })
    if (step.kind === 'wait') return DONE
    const found: PersistentVolumeClaim[] = []
    for (const claim of step.claims) {
      try {
        const present = await make(claim, signal)
        if (present) found.push(present)
        else log.info('claim of an ephemeral volume made', { claim: claim.metadata.name })
      } catch (error) {
        if (isRefusal(error)) tell(pod, `The claim ${claim.metadata.name} of an ephemeral volume was refused: ${error.message}`)
        throw error
      }
    }
    const now = found.length === 0 ? step : nextEphemeralStep({ seen: { pod, claims: [...seen.claims, ...found] } })
    for (const obstacle of now.kind === 'make-claims' ? now.obstacles : []) tell(pod, formatReason(obstacle))
    return DONE
  }
}

// One that was found and is gone again by now is made by the next pass.
const isRefusal = (error: unknown): error is ApiError => error instanceof ApiError && !isRetriable(error) && !isNotFound(error) && !isConflict(error)
