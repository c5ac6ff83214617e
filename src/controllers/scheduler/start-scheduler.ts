import { isEqualJson } from '../../api/equal-json.ts'
import { CSI_DRIVERS } from '../../api/kinds/csi-driver.ts'
import { CSI_NODES } from '../../api/kinds/csi-node.ts'
import { CSI_STORAGE_CAPACITIES } from '../../api/kinds/csi-storage-capacity.ts'
import type { CSIStorageCapacity } from '../../api/kinds/csi-storage-capacity.ts'
import { NODES } from '../../api/kinds/node.ts'
import type { Node } from '../../api/kinds/node.ts'
import { PERSISTENT_VOLUME_CLAIMS } from '../../api/kinds/persistent-volume-claim.ts'
import { PERSISTENT_VOLUMES } from '../../api/kinds/persistent-volume.ts'
import { PODS } from '../../api/kinds/pod.ts'
import type { Pod } from '../../api/kinds/pod.ts'
import { STORAGE_CLASSES } from '../../api/kinds/storage-class.ts'
import { VOLUME_ATTACHMENTS } from '../../api/kinds/volume-attachment.ts'
import { keyOf } from '../../api/object-key.ts'
import type { KubeObject } from '../../api/object.ts'
import type { ResourceType } from '../../api/resource-type.ts'
import { startControllers } from '../../kube/controller/index.ts'
import type { ControllerDefinition, ControllerRole, FollowedKind } from '../../kube/controller/index.ts'
import type { CacheChange } from '../../kube/cache/object-cache.ts'
import { claimKeysOf } from '../../storage/claim-reference.ts'
import { classNameOf } from '../../storage/names.ts'
import { isFinishedPod, podClaimKeysOf } from '../../storage/pod-claims.ts'
import { sizeRank } from '../../storage/requested-size.ts'
import type { StartClusterController } from '../cluster-controller.ts'
import { createClusterState } from './cluster-view.ts'
import { createPlacementWriter } from './placement-writer.ts'
import type { PlacementStep, PlacementView } from './next-placement-step.ts'
import { definePodPlacement } from './pod-placement.ts'
import { createRefusals } from './refusals.ts'
import { createReservations } from './reservations.ts'
import type { SchedulerConfig } from './scheduler-options.ts'
import { createWaitingPods } from './waiting-pods.ts'

/** Gives each pod a node from which its volumes are accessible, once they are bound. */
export const startScheduler: StartClusterController<SchedulerConfig> = (config, world, signal) =>
  startControllers(world, signal, (role) => [assemble(config, role)])

function assemble(config: SchedulerConfig, role: ControllerRole): ControllerDefinition<PlacementView, PlacementStep> {
  const { api, events, clock, random, onStop, onIdle } = role
  const state = createClusterState()
  const backoff = { initialMs: config.podInitialBackoffMs, maximumMs: config.podMaxBackoffMs }
  const queue = role.createQueue({ name: 'scheduler', lanes: { default: config.workers } })
  const waiting = createWaitingPods(clock, state.view, (key) => queue.add(key))
  onStop(() => waiting.stop())
  onIdle(() => waiting.isSettled())
  const reservations = createReservations({ state, now: () => clock.monotonicMs(), holdMs: config.bindTimeoutMs })
  const refusals = createRefusals(clock, random, backoff)

  const release = (podKey: string): void => {
    const pod = state.pods.get(podKey)
    const kept = reservations.release(podKey)
    if (!kept) return
    waiting.nodeChanged(kept.node)
    for (const name of kept.volumes.keys()) {
      const volume = state.volumes.get(name)
      if (volume) waiting.classChanged(classNameOf(volume))
    }
    for (const claimKey of pod ? podClaimKeysOf(pod) : []) enqueueUsers(claimKey, podKey)
  }
  /** Pods with the claim that have no node yet. */
  const enqueueUsers = (claimKey: string, except?: string): void => {
    for (const pod of state.podsWith(claimKey)) if (isPending(pod) && keyOf(pod) !== except) queue.add(keyOf(pod))
  }

  const pods = follow(role, PODS, state.pods, ({ key, before, after }) => {
    if (after && isPending(after)) {
      if (!before || isOtherTask(before, after)) queue.add(key)
    } else if (before && isPending(before)) {
      const isAsReserved =
        after !== undefined && placeOf(after) !== undefined && placeOf(after) === reservations.placeOf(key)
      if (isAsReserved) reservations.release(key)
      else queue.add(key)
    }
    const left = before && placeOf(before)
    if (left !== undefined && left !== (after && placeOf(after))) waiting.nodeChanged(left)
    if (before && !(after && !isFinishedPod(after)))
      for (const claimKey of podClaimKeysOf(before)) enqueueUsers(claimKey)
  })
  follow(role, PERSISTENT_VOLUME_CLAIMS, state.claims, ({ key }) => enqueueUsers(key))
  follow(role, PERSISTENT_VOLUMES, state.volumes, ({ before, after }) => {
    for (const claimKey of claimKeysOf(before, after)) enqueueUsers(claimKey)
    if (after && !after.spec.claimRef) waiting.classChanged(classNameOf(after))
  })
  follow(role, STORAGE_CLASSES, state.classes, ({ key }) => waiting.classChanged(key))
  follow(role, CSI_DRIVERS, state.drivers, () => waiting.wakeAll())
  follow(role, CSI_STORAGE_CAPACITIES, state.capacities, ({ before, after }) => {
    if (after && hasMoreRoom(after, before)) waiting.classChanged(after.storageClassName)
  })
  follow(role, NODES, state.nodes, ({ key, before, after }) => {
    if (after && (!before || isOtherPlace(before, after))) waiting.nodeChanged(key)
    // Pods that are waiting for volumes there need another node.
    if (!after || !before) for (const podKey of reservations.on(key)) queue.add(podKey)
  })
  follow(role, CSI_NODES, state.csiNodes, ({ key }) => waiting.nodeChanged(key))
  follow(role, VOLUME_ATTACHMENTS, state.attachments, ({ before, after }) => {
    if (before && !after) waiting.nodeChanged(before.spec.nodeName)
  })
  const write = createPlacementWriter(api, clock, pods)
  return definePodPlacement({
    schedulerName: config.schedulerName,
    clock,
    events,
    queue,
    state,
    write,
    reservations,
    refusals,
    waiting,
    release,
  })
}

/** Keeps the table up to date, then reacts to the change. Our own writes are in the table before the API server reports them. */
function follow<T extends KubeObject>(
  role: ControllerRole,
  type: ResourceType<T>,
  table: { set(key: string, object: T | undefined): void },
  react: (change: CacheChange<T>) => void,
): FollowedKind<T> {
  const kind = role.follow(type)
  const update = (key: string): void => table.set(key, kind.get(key))
  role.onStop(
    kind.onChange((change) => {
      update(change.key)
      react(change)
    }),
  )
  role.onStop(kind.onWrite(update))
  return kind
}

const isPending = (pod: Pod): boolean => !pod.spec.nodeName && !isFinishedPod(pod)

/** The node whose resources the pod uses. */
const placeOf = (pod: Pod): string | undefined => (isFinishedPod(pod) ? undefined : pod.spec.nodeName || undefined)

// Our own status and events are no reason to look at the pod again.
const isOtherTask = (before: Pod, after: Pod): boolean =>
  before.metadata.uid !== after.metadata.uid ||
  before.metadata.deletionTimestamp !== after.metadata.deletionTimestamp ||
  !isEqualJson(before.spec, after.spec)

/** The heartbeat alone is no change. */
function isOtherPlace(before: Node, after: Node): boolean {
  const read = ({ metadata, spec, status }: Node) => [
    metadata.uid,
    metadata.labels,
    spec,
    status?.allocatable,
    status?.conditions?.find(({ type }) => type === 'Ready')?.status,
  ]
  return !isEqualJson(read(before), read(after))
}

function hasMoreRoom(after: CSIStorageCapacity, before: CSIStorageCapacity | undefined): boolean {
  const room = ({ capacity = '0', maximumVolumeSize = capacity }: CSIStorageCapacity): bigint =>
    sizeRank(maximumVolumeSize)
  return (
    !before ||
    before.storageClassName !== after.storageClassName ||
    room(after) > room(before) ||
    !isEqualJson(before.nodeTopology, after.nodeTopology)
  )
}
