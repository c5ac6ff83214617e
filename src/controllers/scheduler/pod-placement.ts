import { ignoreRace, isConflict, isForbidden, isInvalid, isNotFound } from '../../api/api-error.ts'
import type { PersistentVolumeClaim } from '../../api/kinds/persistent-volume-claim.ts'
import type { Pod } from '../../api/kinds/pod.ts'
import { keyOf } from '../../api/object-key.ts'
import type { Clock } from '../../base/clock.ts'
import { after, defineController, DONE } from '../../kube/controller/index.ts'
import type { ControllerDefinition, Pass, StepOutcome, WorkQueue } from '../../kube/controller/index.ts'
import type { EventRecorder } from '../../kube/controller/event-recorder.ts'
import { classNameOf } from '../../storage/names.ts'
import type { ClusterState } from './cluster-view.ts'
import type { Match } from './fit-volumes.ts'
import { nextPlacementStep } from './next-placement-step.ts'
import type { PlacementHeld, PlacementStep, PlacementView } from './next-placement-step.ts'
import type { PlacementWriter } from './placement-writer.ts'
import type { createRefusals } from './refusals.ts'
import type { createReservations } from './reservations.ts'
import type { createWaitingPods } from './waiting-pods.ts'

export type PodParts = {
  readonly schedulerName: string
  readonly clock: Clock
  readonly events: EventRecorder
  readonly queue: WorkQueue
  readonly state: ClusterState
  readonly write: PlacementWriter
  readonly reservations: ReturnType<typeof createReservations>
  readonly refusals: ReturnType<typeof createRefusals>
  readonly waiting: ReturnType<typeof createWaitingPods>
  /** Releases what was kept for the pod, and wakes pods that may want it. */
  readonly release: (podKey: string) => void
}

/** Places one pod. Nothing is awaited between a decision and the moment when it counts: no two pods are decided on the same view. */
export function definePodPlacement(parts: PodParts): ControllerDefinition<PlacementView, PlacementStep> {
  const { schedulerName, clock, events, queue, state, write, reservations, refusals, waiting, release } = parts
  let startAt = 0

  const heldFor = (pod: Pod): PlacementHeld => {
    const reservation = reservations.find(pod)
    const refusal = refusals.find(keyOf(pod))
    return {
      nowMs: clock.monotonicMs(),
      schedulerName,
      startAt,
      ...(reservation ? { reservation } : {}),
      ...(refusal ? { refusal } : {}),
    }
  }
  const forget = (key: string): void => {
    refusals.forget(key)
    release(key)
  }
  const classNamesOf = (pod: Pod): string[] => {
    const claims = state.view.recordOf(pod).claims.flatMap(({ key }) => state.claims.get(key) ?? [])
    return [...new Set(claims.map(classNameOf))]
  }

  return defineController<PlacementView, PlacementStep>({
    name: 'scheduler',
    queue,
    watch: [],
    // Reserve, give up, reserve elsewhere, place: with room for changes meanwhile.
    stepLimit: 10,
    view: (key) => {
      waiting.leave(key)
      const pod = state.pods.get(key)
      return pod && { seen: { pod, world: state.view }, held: heldFor(pod) }
    },
    forget,
    decide: (view) => {
      const step = nextPlacementStep(view)
      if ('visited' in step) startAt += step.visited
      return step
    },
    perform: {
      wait: (_step, { key, view: { seen }, unsay }) => {
        const { nodeName } = seen.pod.spec
        const reservation = reservations.find(seen.pod)
        if (!reservation?.isPlaced || (nodeName && nodeName !== reservation.node)) {
          unsay()
          forget(key)
        }
        // The watch reported where the pod is before our request was answered: it will not report it again.
        else if (nodeName) reservations.release(key)
      },
      unschedulable: async ({ plan, message }, { key, view: { seen }, say }) => {
        waiting.wait(key, classNamesOf(seen.pod), plan)
        say(seen.pod, { type: 'Warning', event: 'FailedScheduling' }, message)
        await write.unschedulable(seen.pod, message).catch(ignoreRace)
        return DONE
      },
      'back-off': async ({ reason, retryInMs }, { view: { seen } }) => {
        await write.unschedulable(seen.pod, reason.message ?? '').catch(ignoreRace)
        return after(retryInMs)
      },
      reserve: (step, { view: { seen } }) => reserve(parts, step, seen.pod),
      'await-volumes': ({ node, retryInMs }, { view: { seen } }) => {
        reservations.keep(seen.pod, node)
        return retryInMs === undefined ? undefined : after(retryInMs)
      },
      place: (step, pass) => place(parts, step.node, pass),
      'give-up': ({ refused, reason: { message } }, { key, view: { seen } }) => {
        release(key)
        if (refused) refusals.add(key, refused)
        events.record(seen.pod, 'Warning', 'FailedScheduling', `running PreBind plugin "VolumeBinding": ${message}`)
      },
    },
  })
}

async function reserve(
  { write, reservations, state }: PodParts,
  { node, matches, select }: Extract<PlacementStep, { kind: 'reserve' }>,
  pod: Pod,
): Promise<void> {
  reservations.keep(pod, node, { matches, select })
  const matchVolume = async (match: Match): Promise<void> => {
    await write.match(match)
    reservations.matched(pod, keyOf(match.claim), keyOf(match.volume))
  }
  const selectNode = async (claim: PersistentVolumeClaim): Promise<void> => {
    await write.select(claim, node)
    reservations.selected(pod, keyOf(claim))
  }
  // Another pod may want a shared claim on another node: until that is settled, nothing else of the pod is bound to the node.
  const shared = select.filter((claim) => state.podsWith(keyOf(claim)).length > 1)
  for (const claim of shared) await selectNode(claim)
  const own = select.filter((claim) => !shared.includes(claim))
  // All of them, so that nothing is in flight when the first failure is reported.
  const results = await Promise.allSettled([...matches.map(matchVolume), ...own.map(selectNode)])
  const failed = results.find(({ status }) => status === 'rejected')
  if (failed?.status === 'rejected') throw failed.reason
}

async function place(
  { write, reservations, refusals, events, release }: PodParts,
  node: string,
  { key, view, unsay }: Pass<PlacementView>,
): Promise<StepOutcome> {
  const { pod } = view.seen
  reservations.keep(pod, node)
  try {
    await write.place(pod, node)
  } catch (error) {
    // The pod may already have a node: from us, if the answer to an earlier request was lost. A request that was not refused may have
    // succeeded; the node is then kept for the pod until the API server reports it.
    if (isConflict(error)) await write.reread(pod).catch(ignoreRace)
    if (isConflict(error) || isNotFound(error) || isInvalid(error) || isForbidden(error)) release(key)
    if (isNotFound(error)) return DONE
    throw error
  }
  reservations.placed(pod)
  refusals.forget(key)
  unsay()
  events.record(pod, 'Normal', 'Scheduled', `Successfully assigned ${keyOf(pod)} to ${node}`)
  return DONE
}
