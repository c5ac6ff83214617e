import { ignoreRace, isConflict, isForbidden, isInvalid, isNotFound } from '../../api/api-error.ts'
import type { PersistentVolumeClaim } from '../../api/kinds/persistent-volume-claim.ts'
import type { Pod } from '../../api/kinds/pod.ts'
import { keyOf } from '../../api/object-key.ts'
import { unreachable } from '../../base/abort.ts'
import type { Clock } from '../../base/clock.ts'
import { after, DONE } from '../../kube/controller.ts'
import type { Reconciler } from '../../kube/controller.ts'
import type { EventRecorder } from '../../kube/event-recorder.ts'
import type { WorkResult } from '../../kube/work-queue.ts'
import { classNameOf } from '../../volumes/names.ts'
import type { ClusterState } from './cluster-state.ts'
import type { Match } from './fit-volumes.ts'
import { nextPlacementStep } from './next-placement-step.ts'
import type { PlacementHeld, PlacementStep } from './placement-view.ts'
import type { PlacementWriter } from './placement-writer.ts'
import type { Refusals } from './refusals.ts'
import type { Reservations } from './reservations.ts'
import type { WaitingPods } from './waiting-pods.ts'

export type PodParts = {
  readonly schedulerName: string
  readonly clock: Clock
  readonly events: EventRecorder
  readonly state: ClusterState
  readonly write: PlacementWriter
  readonly reservations: Reservations
  readonly refusals: Refusals
  readonly waiting: WaitingPods
  /** Lets go of what was kept for the pod, and tells those who may want it. */
  release(podKey: string): void
}

// Reserve, give up, reserve elsewhere, place: with room for what changes meanwhile.
const MOST_STEPS = 10

/**
 * One pass over one pod. Between the decision and the moment from which it counts nothing is awaited: no two pods are ever decided on the
 * same view.
 */
export function createPodReconciler(parts: PodParts): Reconciler {
  const { schedulerName, clock, events, state, write, reservations, refusals, waiting } = parts
  let startAt = 0
  // What was said last about each pod that waits: a pod that is looked at again says nothing twice.
  const said = new Map<string, string>()

  const heldFor = (pod: Pod): PlacementHeld => {
    const reservation = reservations.find(pod)
    const refusal = refusals.find(keyOf(pod))
    return { nowMs: clock.monotonicMs(), schedulerName, startAt, ...(reservation ? { reservation } : {}), ...(refusal ? { refusal } : {}) }
  }
  const forget = (key: string): WorkResult => {
    said.delete(key)
    refusals.forget(key)
    parts.release(key)
    return DONE
  }

  const reconcile: Reconciler = async (key, { log, signal }) => {
    for (let steps = 0; steps < MOST_STEPS; steps++) {
      signal.throwIfAborted()
      waiting.leave(key)
      const pod = state.pods.get(key)
      if (!pod) return forget(key)
      const step = nextPlacementStep({ seen: { pod, world: state.view }, held: heldFor(pod) })
      log.debug('placement step', { step: step.kind, ...('reason' in step ? { reason: step.reason } : {}), ...('node' in step ? { node: step.node } : {}) })
      if ('visited' in step) startAt += step.visited
      const result = await perform(pod, step, signal)
      if (result) return result
    }
    return after(0)
  }

  /** Undefined: there may be more to do at once. */
  const perform = async (pod: Pod, step: PlacementStep, signal: AbortSignal): Promise<WorkResult | undefined> => {
    const key = keyOf(pod)
    switch (step.kind) {
      case 'wait': {
        const { nodeName } = pod.spec
        const reservation = reservations.find(pod)
        if (!reservation?.isPlaced || (nodeName && nodeName !== reservation.node)) return forget(key)
        // The server told where the pod is before it answered our write: nobody will tell again.
        if (nodeName) reservations.release(key)
        return DONE
      }
      case 'unschedulable':
        waiting.wait(key, classNamesOf(pod), step.plan)
        say(pod, step.message)
        await write.unschedulable(pod, step.message, signal).catch(ignoreRace)
        return DONE
      case 'back-off':
        await write.unschedulable(pod, step.message, signal).catch(ignoreRace)
        return after(step.retryInMs)
      case 'reserve': {
        reservations.keep(pod, step.node, step)
        const match = async (each: Match): Promise<void> => {
          await write.match(each, signal)
          reservations.matched(pod, keyOf(each.claim), keyOf(each.volume))
        }
        const select = async (claim: PersistentVolumeClaim): Promise<void> => {
          await write.select(claim, step.node, signal)
          reservations.selected(pod, keyOf(claim))
        }
        // Another may want a shared claim elsewhere: until that is settled nothing of the pod's own is bound to the node.
        const shared = step.select.filter((claim) => state.podsWith(keyOf(claim)).length > 1)
        for (const claim of shared) await select(claim)
        await allDone([...step.matches.map(match), ...step.select.filter((claim) => !shared.includes(claim)).map(select)])
        return undefined
      }
      case 'await-volumes':
        reservations.keep(pod, step.node)
        return step.retryInMs === undefined ? undefined : after(step.retryInMs)
      case 'place':
        reservations.keep(pod, step.node)
        await place(pod, step.node, signal)
        return DONE
      case 'give-up':
        parts.release(key)
        if (step.refused) refusals.add(key, step.refused)
        events.record(pod, 'Warning', 'FailedScheduling', `running PreBind plugin "VolumeBinding": ${step.message}`)
        return undefined
      default:
        return unreachable(step)
    }
  }
  const place = async (pod: Pod, node: string, signal: AbortSignal): Promise<void> => {
    try {
      await write.place(pod, node, signal)
    } catch (error) {
      // The pod may have a node already: from us, if the answer to an earlier try was lost. Whatever was not refused may have been done,
      // and then the node stays the pod's until the server tells.
      if (isConflict(error)) await write.reread(pod, signal).catch(ignoreRace)
      if (isConflict(error) || isNotFound(error) || isInvalid(error) || isForbidden(error)) parts.release(keyOf(pod))
      if (isNotFound(error)) return
      throw error
    }
    reservations.placed(pod)
    refusals.forget(keyOf(pod))
    said.delete(keyOf(pod))
    const { namespace, name } = pod.metadata
    events.record(pod, 'Normal', 'Scheduled', `Successfully assigned ${namespace}/${name} to ${node}`)
  }
  const say = (pod: Pod, message: string): void => {
    if (said.get(keyOf(pod)) === message) return
    said.set(keyOf(pod), message)
    events.record(pod, 'Warning', 'FailedScheduling', message)
  }
  const classNamesOf = (pod: Pod): string[] => {
    const claims = state.view.recordOf(pod).claims.flatMap(({ key }) => state.claims.get(key) ?? [])
    return [...new Set(claims.map(classNameOf))]
  }
  return reconcile
}

/** Waits for all of them, so that nothing is under way any more when the first failure is told. */
async function allDone(works: readonly Promise<void>[]): Promise<void> {
  const failed = (await Promise.allSettled(works)).find((result) => result.status === 'rejected')
  if (failed) throw failed.reason
}
