import { ignoreRace, isConflict, isForbidden, isInvalid, isNotFound } from '../../api/api-error.ts'
import type { Api } from '../../api/api.ts'
import { setCondition } from '../../api/conditions.ts'
import type { Binding } from '../../api/kinds/binding.ts'
import { PERSISTENT_VOLUME_CLAIMS } from '../../api/kinds/persistent-volume-claim.ts'
import type { PersistentVolumeClaim } from '../../api/kinds/persistent-volume-claim.ts'
import { PERSISTENT_VOLUMES } from '../../api/kinds/persistent-volume.ts'
import { PODS } from '../../api/kinds/pod.ts'
import type { Pod, PodCondition } from '../../api/kinds/pod.ts'
import { keyOf, refOf } from '../../api/object-key.ts'
import type { Status } from '../../api/object.ts'
import type { Clock } from '../../base/clock.ts'
import { getOrAdd } from '../../base/get-or-add.ts'
import { after, defineController, DONE, mergeAsSeen } from '../../kube/controller/index.ts'
import type { ControllerRole, FollowedKind, Pass, StepOutcome, WorkQueue } from '../../kube/controller/index.ts'
import { claimReferenceTo, isVolumeBoundToClaim } from '../../storage/claim-reference.ts'
import { BOUND_BY_CONTROLLER, classNameOf, SELECTED_NODE } from '../../storage/names.ts'
import type { ClusterView } from './cluster-view.ts'
import { nextPlacementStep } from './next-placement-step.ts'
import type { PlacementStep, PlacementView } from './next-placement-step.ts'
import type { Refusals } from './refusals.ts'
import type { Choice, Match } from './reservations.ts'
import type { SchedulerConfig } from './scheduler-options.ts'
import { isPending } from './waiting-pods.ts'
import type { WaitingPods } from './waiting-pods.ts'

export type PodParts = Pick<ControllerRole, 'clock' | 'events'> & {
  readonly config: Pick<SchedulerConfig, 'schedulerName' | 'bindTimeoutMs'>
  readonly queue: WorkQueue
  readonly world: ClusterView
  readonly write: PlacementWriter
  readonly refusals: Refusals
  readonly waiting: WaitingPods
}

/** Places one pod. Nothing is awaited between a decision and its reservation: no two pods are decided on the same state. */
export function definePodPlacement(parts: PodParts) {
  const { config, clock, events, queue, world, write, refusals, waiting } = parts
  const { reservations } = world
  // When each pending pod was first considered.
  const firstMs = new Map<string, number>()
  let startAt = 0
  const forget = (key: string): void => {
    firstMs.delete(key)
    refusals.forget(key)
    release(parts, key)
  }
  const classNamesOf = (pod: Pod): string[] =>
    world
      .recordOf(pod)
      .claims.flatMap(({ key }) => world.claims.get(key) ?? [])
      .map(classNameOf)

  return defineController<PlacementView, PlacementStep>({
    name: 'scheduler',
    queue,
    watch: [],
    // Reserve, release, reserve elsewhere, place: with room for changes meanwhile.
    stepLimit: 10,
    view: (key) => {
      waiting.leave(key)
      const pod = world.pods.get(key)
      if (!pod) return undefined
      const reservation = reservations.find(pod)
      // Left by an earlier pod with this name.
      if (!reservation) release(parts, key)
      const { schedulerName } = config
      const nowMs = clock.monotonicMs()
      const first = isPending(pod) ? getOrAdd(firstMs, key, () => nowMs) : nowMs
      const held = { nowMs, schedulerName, startAt, reservation, refusal: refusals.find(key), firstMs: first }
      return { seen: { pod, world }, held }
    },
    lifeOf: ({ seen }) => world.recordOf(seen.pod).claims.map(({ key }) => world.claims.get(key)?.metadata.uid),
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
        // The watch reported the pod's node before our request was answered: it will not report it again.
        else if (nodeName) reservations.release(key)
      },
      unschedulable: async ({ plan, message }, { key, view: { seen }, say }) => {
        waiting.wait(key, classNamesOf(seen.pod), plan)
        say(seen.pod, { type: 'Warning', event: 'FailedScheduling' }, message)
        await write.unschedulable(seen.pod, message).catch(ignoreRace)
        return DONE
      },
      'await-binding': ({ retryInMs }, { key, view: { seen } }) => {
        waiting.wait(key, classNamesOf(seen.pod), undefined)
        return after(retryInMs)
      },
      'back-off': async ({ reason, retryInMs }, { view: { seen } }) => {
        await write.unschedulable(seen.pod, reason.message ?? '').catch(ignoreRace)
        return after(retryInMs)
      },
      reserve: (step, { view: { seen } }) => reserve(parts, step, seen.pod),
      'await-volumes': ({ node, retryInMs }, { view: { seen } }) => {
        keep(parts, seen.pod, { node })
        return retryInMs === undefined ? undefined : after(retryInMs)
      },
      place: async (step, pass) => {
        const outcome = await place(parts, step.node, pass)
        firstMs.delete(pass.key)
        return outcome
      },
      'give-up': ({ refused, reason: { message } }, { key, view: { seen } }) => {
        release(parts, key)
        if (refused) refusals.add(key, refused)
        events.record(seen.pod, 'Warning', 'FailedScheduling', `running PreBind plugin "VolumeBinding": ${message}`)
      },
    },
  })
}

const keep = ({ config, clock, world }: PodParts, pod: Pod, choice: Pick<Choice, 'node'> & Partial<Choice>) =>
  world.reservations.keep(pod, choice, clock.monotonicMs() + config.bindTimeoutMs)

/** Releases the pod's reservation, and wakes pods that may need it. */
function release({ world, waiting }: PodParts, podKey: string): void {
  const pod = world.pods.get(podKey)
  const kept = world.reservations.release(podKey)
  if (!kept) return
  waiting.nodeChanged(kept.node)
  for (const { volume: name = '' } of kept.claims.values()) {
    const volume = world.volumes.get(name)
    if (volume) waiting.classChanged(classNameOf(volume))
  }
  for (const { key } of pod ? world.recordOf(pod).claims : []) waiting.claimChanged(key, podKey)
}

async function reserve(parts: PodParts, { node, matches, select }: Choice, pod: Pod): Promise<void> {
  const { write, world } = parts
  const { claims } = keep(parts, pod, { node, matches, select })
  const noteWritten = (claim: PersistentVolumeClaim): void => {
    const kept = claims.get(keyOf(claim))
    if (kept) kept.isWritten = true
  }
  const selectNode = async (claim: PersistentVolumeClaim): Promise<void> => {
    await write.select(claim, node)
    noteWritten(claim)
  }
  // Another pod may need a shared claim on another node: until that is settled, nothing else of the pod is bound to the node.
  const isShared = (claim: PersistentVolumeClaim): boolean => world.podsWith(keyOf(claim)).length > 1
  const { shared = [], own = [] } = Object.groupBy(select, (claim) => (isShared(claim) ? 'shared' : 'own'))
  for (const claim of shared) await selectNode(claim)
  // All of them, so that nothing is in flight when the first failure is reported.
  const results = await Promise.allSettled([
    ...matches.map((match) => write.match(match).then(() => noteWritten(match.claim))),
    ...own.map(selectNode),
  ])
  const failed = results.find((result) => result.status === 'rejected')
  if (failed) throw failed.reason
}

async function place(parts: PodParts, node: string, pass: Pass<PlacementView>): Promise<StepOutcome> {
  const { write, refusals, events } = parts
  const { key, view, unsay } = pass
  const { pod } = view.seen
  const reservation = keep(parts, pod, { node })
  try {
    await write.place(pod, node)
  } catch (error) {
    // The pod may already have a node: from us, if the response to an earlier request was lost. A request that was not rejected may have succeeded;
    // the node is then kept for the pod until the API server reports it.
    if (isConflict(error)) await write.reread(pod).catch(ignoreRace)
    if (isConflict(error) || isNotFound(error) || isInvalid(error) || isForbidden(error)) release(parts, key)
    if (isNotFound(error)) return DONE
    throw error
  }
  reservation.isPlaced = true
  refusals.forget(key)
  unsay()
  events.record(pod, 'Normal', 'Scheduled', `Successfully assigned ${keyOf(pod)} to ${node}`)
  return DONE
}

export type PlacementWriter = ReturnType<typeof createPlacementWriter>

/** All writes of the scheduler. */
export function createPlacementWriter(api: Api, clock: Clock, pods: Pick<FollowedKind<Pod>, 'remember'>) {
  return {
    /** Reserves the volume for the claim; the binder does the rest. */
    match: async ({ claim, volume }: Match): Promise<void> => {
      // A controller may only undo a controller's choice.
      const metadata = isVolumeBoundToClaim(volume, claim) ? {} : { annotations: { [BOUND_BY_CONTROLLER]: 'yes' } }
      const change = { metadata, spec: { claimRef: claimReferenceTo(claim) } }
      await api.patch(PERSISTENT_VOLUMES, refOf(volume), mergeAsSeen(volume, change))
    },
    /** Has the claim's volume created for the node. */
    select: async (claim: PersistentVolumeClaim, node: string): Promise<void> => {
      const change = { metadata: { annotations: { [SELECTED_NODE]: node } } }
      await api.patch(PERSISTENT_VOLUME_CLAIMS, refOf(claim), mergeAsSeen(claim, change))
    },
    place: async ({ metadata: { namespace = '', name = '', uid = '' } }: Pod, node: string): Promise<void> => {
      const binding: Binding = {
        apiVersion: 'v1',
        kind: 'Binding',
        metadata: { namespace, name, uid },
        target: { kind: 'Node', name: node },
      }
      // Everything else about the pod waits for its node.
      await api.createSubresource<Status>(PODS, { namespace, name }, 'binding', binding, { urgency: 'now' })
    },
    /** Reads the pod's node from the API server, as the cache may be behind. */
    reread: async (pod: Pod): Promise<void> => pods.remember(await api.get(PODS, refOf(pod))),
    /** Reports in the pod's status why it has no node; writes nothing if the status already has the message. */
    unschedulable: async (pod: Pod, message: string): Promise<void> => {
      const before = pod.status?.conditions
      const after = setCondition<PodCondition>(
        before,
        { type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message },
        clock.nowMs(),
      )
      if (after === before) return
      const { uid = '' } = pod.metadata
      const value = { metadata: { uid }, status: { conditions: after.filter(({ type }) => type === 'PodScheduled') } }
      await api.patch(PODS, refOf(pod), { type: 'strategic', value }, { subresource: 'status' })
    },
  }
}
