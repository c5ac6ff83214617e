import { ignoreNotFound, isNotFound } from '../../../api/api-error.ts'
import type { Api } from '../../../api/api.ts'
import { isEqualJson } from '../../../api/equal-json.ts'
import { CSI_STORAGE_CAPACITIES } from '../../../api/kinds/csi-storage-capacity.ts'
import type { CSIStorageCapacity } from '../../../api/kinds/csi-storage-capacity.ts'
import { NODES } from '../../../api/kinds/node.ts'
import type { PersistentVolume } from '../../../api/kinds/persistent-volume.ts'
import { STORAGE_CLASSES } from '../../../api/kinds/storage-class.ts'
import type { StorageClass } from '../../../api/kinds/storage-class.ts'
import { formatObject, refOf } from '../../../api/object-key.ts'
import type { ObjectRef } from '../../../api/object.ts'
import { ControllerServiceCapability_RPC_Type as Capability } from '../../../csi/generated/csi/v1/csi.ts'
import { defineController, limitRequests, on } from '../../../kube/controller/index.ts'
import type { ControllerDefinition, ControllerRole, FollowedKind, WorkQueue } from '../../../kube/controller/index.ts'
import type { RoleParts } from '../../role.ts'
import type { OwnNode } from '../claim-eligibility.ts'
import type { RegisteredNodes } from '../cluster-topology.ts'
import { driverParameters } from '../create-volume-request.ts'
import { backoffOf } from '../provisioner-options.ts'
import type { ProvisionerConfig } from '../provisioner-options.ts'
import { findSegment, termOfRecord, topologyOf } from '../topology-term.ts'
import { createCapacityPairs, pairKeyOfObject } from './capacity-pair.ts'
import { measureCapacity } from './measure-capacity.ts'
import type { CapacityCounts } from './measure-capacity.ts'
import { nextCapacityStep } from './next-capacity-step.ts'
import type { CapacityStep, CapacityView, Publisher } from './next-capacity-step.ts'
import { createPublishedObjects } from './published-objects.ts'
import { DRIVER_NAME_LABEL, findOwner, MANAGED_BY_LABEL, managedBy, probeCapacityApi } from './publisher.ts'
import { createRoomBook } from './room-book.ts'
import { startPolling } from './start-polling.ts'

export type CapacityParts = Pick<RoleParts, 'driver' | 'facts' | 'registry'> & {
  /** For reading and writing the objects, with a limit of its own. Default: the API of the role. */
  readonly capacityApi?: Api | undefined
  /** Where the objects are. */
  readonly namespace: string
  /** The pod of this process. Needed unless the objects have no owner. */
  readonly pod?: ObjectRef | undefined
  /** Left out: one instance publishes for the whole cluster. */
  readonly ownNode?: Pick<OwnNode, 'name' | 'segments'> | undefined
  followNodes(): Promise<RegisteredNodes>
}

/** Gets to know what may have changed the capacity. */
export interface CapacityTracker {
  /** It was created or deleted. */
  onVolumeChange(volume: PersistentVolume): void
  /** A call has ended without a volume. */
  onProvisionFailed(className: string): void
}

type CapacityPairs = ReturnType<typeof createCapacityPairs>

/** Publishes the capacity of each class in each topology segment, for the scheduler. Undefined if the driver can't report it. */
export async function defineCapacity(
  role: ControllerRole,
  config: ProvisionerConfig,
  parts: CapacityParts,
  signal: AbortSignal,
): Promise<(CapacityTracker & { readonly controller: CapacityController }) | undefined> {
  const { clock, log } = role
  const { facts, namespace, ownNode, capacityApi, pod } = parts
  if (!facts.controller.has(Capability.GET_CAPACITY)) {
    log.error('capacity is not published: --enable-capacity is set but the driver lacks the capability GET_CAPACITY')
    return undefined
  }
  const api = capacityApi ? limitRequests(capacityApi, { clock, signal: role.signal }) : role.api
  if (namespace === '') throw new Error('--enable-capacity needs a namespace for its objects: set NAMESPACE')
  await probeCapacityApi(api, namespace, signal)
  const owner = await findOwner(role.api, config.capacityOwnerrefLevel, pod, signal)
  const labels = { [DRIVER_NAME_LABEL]: facts.name, [MANAGED_BY_LABEL]: managedBy(ownNode?.name) }
  const labelSelector = Object.entries(labels)
    .map(([key, value]) => `${key}=${value}`)
    .join(',')
  const published = role.follow(CSI_STORAGE_CAPACITIES, { scope: { namespace, labelSelector } })
  const lanes = { default: config.capacityThreads }
  const queue = role.createQueue({ name: 'csistoragecapacity', lanes, backoff: backoffOf(config) })
  const objects = createPublishedObjects(published, clock)
  const rooms = createRoomBook(clock)
  const pairs = createCapacityPairs()
  const refresh = (keys: Iterable<string>): void => {
    for (const key of keys) queue.addAfter(key, pairs.find(key) ? rooms.outdate(key) : 0)
  }
  await followPairs(role, config, parts, pairs, refresh)
  const countObjects = (): CapacityCounts => {
    const keys = pairs.keysOf()
    const current = keys.filter((key) => objects.of(key).length > 0).length
    return { goal: keys.length, current, obsolete: Math.max(0, published.size() - current) }
  }
  role.onReady(() => {
    refresh(pairs.keysOf())
    log.info('publishing capacity', { namespace, classes: pairs.classes.size, segments: pairs.segments.size() })
    if (parts.registry) role.onStop(measureCapacity(parts.registry, countObjects))
  })
  const state = { api, queue, pairs, rooms, published, objects, publisher: { namespace, labels, owner }, refresh }
  return {
    controller: defineCapacityController(role, config, parts, state),
    onVolumeChange: (volume) => refresh(pairs.keysOfVolume(volume)),
    onProvisionFailed: (className) => refresh(pairs.keysOfClass(className)),
  }
}

type CapacityController = ControllerDefinition<CapacityView, CapacityStep>
type CapacityState = {
  readonly api: Api
  readonly pairs: CapacityPairs
  readonly rooms: ReturnType<typeof createRoomBook>
  readonly published: FollowedKind<CSIStorageCapacity>
  readonly objects: ReturnType<typeof createPublishedObjects>
  readonly publisher: Publisher
  readonly queue: WorkQueue
  /** The answers for these pairs are outdated. */
  refresh(keys: Iterable<string>): void
}

function defineCapacityController(
  { clock, onStop }: ControllerRole,
  { capacityPollIntervalMs: intervalMs, timeoutMs }: ProvisionerConfig,
  { driver }: CapacityParts,
  { api, pairs, rooms, published, objects, publisher, queue, refresh }: CapacityState,
): CapacityController {
  const begin = (): readonly string[] => {
    // A key that is waiting for an answer keeps its place, and its back-off.
    const keys = pairs.keysOf().filter((key) => rooms.askInMs(key) === undefined)
    refresh(keys)
    return keys
  }
  const polling = startPolling({ clock, intervalMs, begin })
  onStop(() => polling.stop())
  return defineController<CapacityView, CapacityStep>({
    name: 'capacity',
    queue,
    // Also for objects that were published before and are obsolete.
    watch: [
      on(published, ({ before, after }) => [before, after].flatMap((each) => (each ? pairKeyOfObject(each) : []))),
    ],
    view: (key) => {
      const [pair, ours] = [pairs.find(key), objects.of(key)]
      if (!pair && ours.length === 0) return undefined
      return { seen: { pair, objects: ours }, held: { publisher, room: rooms.room(key), askInMs: rooms.askInMs(key) } }
    },
    forget: (key) => {
      rooms.forget(key)
      polling.looked(key)
    },
    decide: nextCapacityStep,
    onError: (_error, { key }) => {
      polling.looked(key)
      return undefined
    },
    perform: {
      wait: (_step, { key, view }) => {
        if (!view.seen.pair) rooms.forget(key)
        polling.looked(key)
      },
      ask: async ({ pair: { className, term } }, { key, signal }) => {
        const place = term.length === 0 ? {} : { accessibleTopology: topologyOf(term) }
        const request = { parameters: { ...pairs.classes.get(className) }, ...place }
        rooms.asking(key)
        try {
          const { availableCapacity, maximumVolumeSize } = await driver.getCapacity(request, { timeoutMs, signal })
          rooms.answered(key, { available: availableCapacity, largestVolume: maximumVolumeSize })
        } catch (error) {
          rooms.failed(key)
          throw error
        }
      },
      create: async ({ object }, pass) => {
        const created = await api.create(CSI_STORAGE_CAPACITIES, object)
        objects.created(created)
        const { storageClassName: className, capacity } = created
        pass.log.info('capacity published', { object: formatObject(created), class: className, capacity })
      },
      update: async ({ object }) => {
        try {
          objects.updated(await api.update(CSI_STORAGE_CAPACITIES, object))
        } catch (error) {
          if (!isNotFound(error)) throw error
          objects.deleted(object)
        }
      },
      delete: async ({ object, reason }, pass) => {
        const { uid } = object.metadata
        const options = uid ? { preconditions: { uid } } : {}
        await api.delete(CSI_STORAGE_CAPACITIES, refOf(object), options).catch(ignoreNotFound)
        objects.deleted(object)
        pass.log.info('published capacity withdrawn', { object: formatObject(object), reason })
      },
    },
  })
}

/** Keeps classes and segments up to date, and calls back with the pairs that came, went or changed. */
async function followPairs(
  { follow, onStop }: ControllerRole,
  config: ProvisionerConfig,
  { facts: { name: driverName }, ownNode, followNodes }: CapacityParts,
  { classes, segments, keysOf }: CapacityPairs,
  onChange: (keys: readonly string[]) => void,
): Promise<void> {
  onStop(
    follow(STORAGE_CLASSES).onChange(({ key, after }) => {
      const before = classes.get(key)
      const parameters = after && findTrackedParameters(after, driverName, config)
      if (parameters) classes.set(key, parameters)
      else classes.delete(key)
      // Nothing else of a class changes the answer.
      if (!isEqualJson(before, parameters)) onChange(keysOf([key]))
    }),
  )
  if (ownNode) return void segments.place(ownNode.name, termOfRecord(ownNode.segments))
  const csiNodes = await followNodes()
  const nodes = follow(NODES)
  const place = ({ key }: { readonly key: string }): void => {
    const changed = segments.place(key, findSegment(driverName, csiNodes.get(key), nodes.get(key)))
    if (changed.length > 0) onChange(keysOf(undefined, changed))
  }
  csiNodes.onChange(place)
  onStop(nodes.onChange(place))
}

/** The parameters for the driver, for a class whose capacity is published: the scheduler only looks where a volume waits for its pod. */
function findTrackedParameters(
  storageClass: StorageClass,
  driverName: string,
  { capacityForImmediateBinding }: ProvisionerConfig,
): Readonly<Record<string, string>> | undefined {
  if (storageClass.provisioner !== driverName) return undefined
  if (storageClass.volumeBindingMode !== 'WaitForFirstConsumer' && !capacityForImmediateBinding) return undefined
  // No volume is created with parameters that are refused.
  const parameters = driverParameters(storageClass.parameters ?? {})
  return parameters.kind === 'ok' ? parameters.value : undefined
}
