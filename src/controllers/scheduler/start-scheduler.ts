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
import type { KubeObject } from '../../api/object.ts'
import type { ResourceType } from '../../api/resource-type.ts'
import type { CacheChange } from '../../kube/cache/object-cache.ts'
import { startControllers } from '../../kube/controller/index.ts'
import type { ControllerRole, FollowedKind } from '../../kube/controller/index.ts'
import type { StartRole } from '../../kube/process/role-world.ts'
import { claimKeysOf } from '../../storage/claim-reference.ts'
import { classNameOf } from '../../storage/names.ts'
import { isFinishedPod, podClaimKeysOf } from '../../storage/pod-claims.ts'
import { sizeRank } from '../../storage/requested-size.ts'
import { createClusterView } from './cluster-view.ts'
import { createPlacementWriter, definePodPlacement } from './pod-placement.ts'
import { createRefusals } from './refusals.ts'
import type { SchedulerConfig } from './scheduler-options.ts'
import { createWaitingPods, isPending } from './waiting-pods.ts'

/** Assigns each pod to a node from which its volumes are accessible, once they are bound. */
export const startScheduler: StartRole<SchedulerConfig> = (config, world, signal) =>
  startControllers(world, signal, (role) => [defineScheduler(config, role)])

function defineScheduler(config: SchedulerConfig, role: ControllerRole) {
  const { api, events, clock } = role
  const world = createClusterView()
  const { reservations } = world
  const queue = role.createQueue({ name: 'scheduler', lanes: { default: config.workers } })
  const waiting = createWaitingPods(clock, world, (key) => queue.add(key))
  role.onStop(waiting.stop)
  role.onIdle(waiting.isSettled)

  const pods = follow(role, PODS, world.pods, ({ key, before, after }) => {
    if (after && isPending(after)) {
      if (!before || isOtherTask(before, after)) queue.add(key)
    } else if (before && isPending(before)) {
      const kept = after && reservations.find(after)
      if (after && kept?.isPlaced && kept.node === placeOf(after)) reservations.release(key)
      else queue.add(key)
    }
    const left = before && placeOf(before)
    if (left !== undefined && left !== (after && placeOf(after))) waiting.nodeChanged(left)
    if (before && !(after && !isFinishedPod(after)))
      for (const claimKey of podClaimKeysOf(before)) waiting.claimChanged(claimKey)
  })
  follow(role, PERSISTENT_VOLUME_CLAIMS, world.claims, ({ key }) => waiting.claimChanged(key))
  follow(role, PERSISTENT_VOLUMES, world.volumes, ({ before, after }) => {
    for (const claimKey of claimKeysOf(before, after)) waiting.claimChanged(claimKey)
    if (after && !after.spec.claimRef) waiting.classChanged(classNameOf(after))
  })
  follow(role, STORAGE_CLASSES, world.classes, ({ key }) => waiting.classChanged(key))
  follow(role, CSI_DRIVERS, world.drivers, waiting.wakeAll)
  follow(role, CSI_STORAGE_CAPACITIES, world.capacities, ({ before, after }) => {
    if (after && hasMoreRoom(after, before)) waiting.classChanged(after.storageClassName)
  })
  follow(role, NODES, world.nodes, ({ key, before, after }) => {
    if (after && (!before || isOtherPlace(before, after))) waiting.nodeChanged(key)
    // Pods that are waiting for volumes there need another node.
    if (!after || !before) for (const podKey of reservations.on(key)) queue.add(podKey)
  })
  follow(role, CSI_NODES, world.csiNodes, ({ key }) => waiting.nodeChanged(key))
  follow(role, VOLUME_ATTACHMENTS, world.attachments, ({ before, after }) => {
    if (before && !after) waiting.nodeChanged(before.spec.nodeName)
  })
  const write = createPlacementWriter(api, clock, pods)
  const backoff = { initialMs: config.podInitialBackoffMs, maximumMs: config.podMaxBackoffMs }
  const refusals = createRefusals(role, backoff)
  return definePodPlacement({ config, clock, events, queue, world, write, refusals, waiting })
}

/** Keeps the table up to date, then reacts to the change. Our own writes are in the table before the API server reports them. */
function follow<T extends KubeObject>(
  role: ControllerRole,
  type: ResourceType<T>,
  table: { set(key: string, object: T | undefined): void },
  react: (change: CacheChange<T>) => void,
): FollowedKind<T> {
  const kind = role.follow(type)
  kind.onUpdate((key) => table.set(key, kind.get(key)))
  kind.onChange(react)
  return kind
}

/** The node whose resources the pod uses. */
const placeOf = (pod: Pod): string | undefined => (isFinishedPod(pod) ? undefined : pod.spec.nodeName || undefined)

// Our own status and events are no reason to process the pod again.
const isOtherTask = (before: Pod, after: Pod): boolean =>
  before.metadata.uid !== after.metadata.uid ||
  before.metadata.deletionTimestamp !== after.metadata.deletionTimestamp ||
  !isEqualJson(before.spec, after.spec)

/** A heartbeat alone is not a change. */
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
