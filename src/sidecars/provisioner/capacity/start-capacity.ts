import type { Api } from '../../../api/api.ts'
import { isEqualJson } from '../../../api/equal-json.ts'
import { CSI_STORAGE_CAPACITIES } from '../../../api/kinds/csi-storage-capacity.ts'
import { NODES } from '../../../api/kinds/node.ts'
import type { PersistentVolume } from '../../../api/kinds/persistent-volume.ts'
import { STORAGE_CLASSES } from '../../../api/kinds/storage-class.ts'
import type { StorageClass } from '../../../api/kinds/storage-class.ts'
import type { OwnerReference } from '../../../api/object.ts'
import { startWhole } from '../../../base/stops.ts'
import type { Stops } from '../../../base/stops.ts'
import { ControllerServiceCapability_RPC_Type as Capability } from '../../../csi/generated/csi/v1/csi.ts'
import { startController } from '../../../kube/controller.ts'
import type { Reconciler } from '../../../kube/controller.ts'
import { within } from '../../../kube/within.ts'
import { createWorkQueue } from '../../../kube/work-queue.ts'
import type { RoleParts, RunningRole } from '../../role.ts'
import { driverParameters } from '../class-parameters.ts'
import type { OwnNode } from '../claim-eligibility.ts'
import type { ProvisionerConfig } from '../provisioner-options.ts'
import { followRegisteredNodes } from '../registered-nodes.ts'
import { isPartOf, termOf, topologyOf } from '../topology-term.ts'
import type { TopologyTerm } from '../topology-term.ts'
import { pairKeyOf, pairKeyOfObject, parsePairKey, segmentKeyOf } from './capacity-pair.ts'
import { findOwner } from './find-owner.ts'
import { findSegment } from './find-segment.ts'
import { findVolumePlaces } from './find-volume-places.ts'
import { DRIVER_NAME_LABEL, MANAGED_BY_LABEL, managedBy } from './managed-by.ts'
import { measureCapacity } from './measure-capacity.ts'
import type { CapacityPair, Publisher, Room } from './next-capacity-step.ts'
import { probeCapacityApi } from './probe-capacity-api.ts'
import { createPublishedObjects } from './published-objects.ts'
import { createCapacityReconciler } from './reconcile-capacity.ts'
import { createRoomBook } from './room-book.ts'
import { createSegmentMap } from './segment-map.ts'
import type { SegmentMap } from './segment-map.ts'
import { startPolling } from './start-polling.ts'

export type CapacityParts = RoleParts & {
  /** For reading and writing the objects, with a limit of its own. Left out: the one for all. */
  readonly objectsApi?: Api
  /** Where the objects are. */
  readonly namespace: string
  /** The pod that this runs in. Needed unless nobody is to own the objects. */
  readonly owner?: { readonly podNamespace: string; readonly podName: string }
  /** Left out: one instance tells of the whole cluster. */
  readonly ownNode?: Pick<OwnNode, 'name' | 'segments'>
}

/** Told what may have changed the room there is. */
export interface CapacityTracker extends RunningRole {
  onProvisioned(volume: PersistentVolume): void
  /** A call was made and ended without a volume. */
  onProvisionFailed(className: string): void
  onDeleted(volume: PersistentVolume): void
}

type Parameters = Readonly<Record<string, string>>

/** Publishes how much room there is for each class in each part of the cluster, for the scheduler. */
export async function startCapacity(
  config: ProvisionerConfig,
  parts: CapacityParts,
  signal: AbortSignal,
): Promise<CapacityTracker> {
  const log = parts.log.with({ driver: parts.facts.name })
  if (!parts.facts.controller.has(Capability.GET_CAPACITY)) {
    log.error('room is not published: --enable-capacity is set but the driver lacks the capability GET_CAPACITY')
    return NOTHING_TO_TRACK
  }
  return startWhole((stops) => assemble(config, { ...parts, log }, signal, stops))
}

const NOTHING_TO_TRACK: CapacityTracker = {
  onProvisioned: () => {},
  onProvisionFailed: () => {},
  onDeleted: () => {},
  isIdle: () => true,
  stop: () => Promise.resolve(),
}

async function assemble(
  config: ProvisionerConfig,
  parts: CapacityParts,
  signal: AbortSignal,
  stops: Stops,
): Promise<CapacityTracker> {
  const { driver, facts, informers, clock, random, log, namespace, ownNode, objectsApi: api = parts.api } = parts
  const { onStop } = stops
  if (namespace === '') throw new Error('--enable-capacity needs a namespace for its objects: set NAMESPACE')
  await within(clock, signal, (until) => probeCapacityApi(api, namespace, until))
  const owner = await findConfiguredOwner(config, parts, signal)
  const labels = { [DRIVER_NAME_LABEL]: facts.name, [MANAGED_BY_LABEL]: managedBy(ownNode?.name) }
  const publisher: Publisher = { namespace, labels, owner }

  const backoff = { initialMs: config.retryIntervalStartMs, maximumMs: config.retryIntervalMaxMs }
  const queue = createWorkQueue({
    clock,
    random,
    lanes: { default: config.capacityThreads },
    backoff,
    observe: parts.queues?.observerOf('csistoragecapacity'),
  })
  const labelSelector = Object.entries(labels)
    .map(([key, value]) => `${key}=${value}`)
    .join(',')
  const objectCache = informers.get(CSI_STORAGE_CAPACITIES, { namespace, labelSelector })
  const objects = createPublishedObjects(objectCache, clock)
  onStop(() => objects.stop())
  const rooms = createRoomBook(clock)
  const segments = createSegmentMap()
  // With what the driver gets to see of them.
  const classes = new Map<string, Parameters>()

  const findPair = (key: string): CapacityPair | undefined => {
    const { className, segmentKey } = parsePairKey(key)
    const term = segments.find(segmentKey)
    return term && classes.has(className) ? { className, term } : undefined
  }
  const keysOf = (classNames: Iterable<string>, segmentKeys: Iterable<string>): string[] => {
    const all = [...segmentKeys]
    return Array.from(classNames).flatMap((className) => all.map((segmentKey) => pairKeyOf(className, segmentKey)))
  }
  const refresh = (keys: Iterable<string>): void => {
    for (const key of keys) queue.addAfter(key, findPair(key) ? rooms.outdate(key) : 0)
  }
  const askDriver = async ({ className, term }: CapacityPair, until: AbortSignal): Promise<Room> => {
    const request = {
      parameters: { ...classes.get(className) },
      ...(term.length === 0 ? {} : { accessibleTopology: topologyOf(term) }),
    }
    const { availableCapacity, maximumVolumeSize } = await driver.getCapacity(request, {
      timeoutMs: config.timeoutMs,
      signal: until,
    })
    return { available: availableCapacity, largestVolume: maximumVolumeSize }
  }

  const classCache = informers.get(STORAGE_CLASSES)
  onStop(
    classCache.onChange(({ key, after }) => {
      const before = classes.get(key)
      const parameters = after && findTrackedParameters(after, facts.name, config)
      if (parameters) classes.set(key, parameters)
      else classes.delete(key)
      // Nothing else of a class changes the answer.
      if (!isEqualJson(before, parameters)) refresh(keysOf([key], segments.all().keys()))
    }),
  )
  const synced = [objectCache.synced(signal), classCache.synced(signal)]
  if (ownNode)
    segments.place(ownNode.name, termOf(Object.entries(ownNode.segments).map(([key, value]) => ({ key, value }))))
  else synced.push(followNodes(parts, segments, (changed) => refresh(keysOf(classes.keys(), changed)), signal, stops))
  await Promise.all(synced)

  // Also what was published before and is not wanted any more.
  onStop(
    objectCache.onChange(({ before, after }) => {
      for (const object of [before, after]) if (object) queue.add(pairKeyOfObject(object))
    }),
  )
  refresh(keysOf(classes.keys(), segments.all().keys()))
  const reconcilePair = createCapacityReconciler({ api, clock, publisher, objects, rooms, findPair, askDriver })
  const polling = startPolling({
    clock,
    intervalMs: config.capacityPollIntervalMs,
    begin: () => {
      // What waits for an answer already keeps its place, and its back-off.
      const keys = keysOf(classes.keys(), segments.all().keys()).filter((key) => rooms.askInMs(key) === undefined)
      refresh(keys)
      return keys
    },
  })
  onStop(() => polling.stop())
  const reconcile: Reconciler = (key, context) => reconcilePair(key, context).finally(() => polling.looked(key))
  const controller = startController({ name: 'capacity', queue, reconcile, log })
  onStop(() => controller.stop())
  if (parts.registry) {
    onStop(
      measureCapacity(parts.registry, () => {
        const current = keysOf(classes.keys(), segments.all().keys()).filter((key) => objects.of(key).length > 0).length
        return {
          goal: classes.size * segments.all().size,
          current,
          obsolete: Math.max(0, objectCache.size() - current),
        }
      }),
    )
  }

  const refreshPlaces = (volume: PersistentVolume): void => {
    const places = findVolumePlaces(volume)
    const className = volume.spec.storageClassName ?? ''
    if (!places) return refresh(keysOf(classes.has(className) ? [className] : [], segments.all().keys()))
    // Classes mostly share what there is in one place.
    refresh(
      keysOf(
        classes.keys(),
        places.flatMap((place) => findSegmentsOf(place, segments)),
      ),
    )
  }
  log.info('publishing room', { namespace, classes: classes.size, segments: segments.all().size })
  return {
    onProvisioned: refreshPlaces,
    onProvisionFailed: (className) => refresh(keysOf(classes.has(className) ? [className] : [], segments.all().keys())),
    onDeleted: refreshPlaces,
    isIdle: () => queue.depth() === 0,
    stop: stops.run,
  }
}

/** What the driver is asked with, for a class that room is published for: the scheduler looks only where a volume waits for its pod. */
function findTrackedParameters(
  storageClass: StorageClass,
  driverName: string,
  { capacityForImmediateBinding }: ProvisionerConfig,
): Parameters | undefined {
  if (storageClass.provisioner !== driverName) return undefined
  if (storageClass.volumeBindingMode !== 'WaitForFirstConsumer' && !capacityForImmediateBinding) return undefined
  // No volume is going to be made with parameters that are refused.
  const parameters = driverParameters(storageClass.parameters ?? {})
  return parameters.kind === 'ok' ? parameters.value : undefined
}

/** One that equals the place, or else all that are part of it or that it is part of. */
function findSegmentsOf(place: TopologyTerm, segments: SegmentMap): string[] {
  const key = segmentKeyOf(place)
  if (segments.find(key)) return [key]
  return Array.from(segments.all()).flatMap(([other, term]) =>
    isPartOf(place, term) || isPartOf(term, place) ? [other] : [],
  )
}

async function findConfiguredOwner(
  { capacityOwnerrefLevel: level }: ProvisionerConfig,
  { api, clock, owner }: CapacityParts,
  signal: AbortSignal,
): Promise<OwnerReference | undefined> {
  if (level < 0) return undefined
  if (!owner)
    throw new Error(`--capacity-ownerref-level=${level} needs to know its pod: set POD_NAME and NAMESPACE, or use -1`)
  return within(clock, signal, (until) => findOwner(api, { level, ...owner }, until))
}

/** Resolves when the segments are those of all nodes. */
async function followNodes(
  parts: CapacityParts,
  segments: SegmentMap,
  onChange: (segmentKeys: readonly string[]) => void,
  signal: AbortSignal,
  stops: Stops,
): Promise<void> {
  const { facts, informers } = parts
  const csiNodes = followRegisteredNodes(parts, signal, stops)
  const nodes = informers.get(NODES)
  const place = (name: string): void => {
    const changed = segments.place(name, findSegment(facts.name, csiNodes.get(name), nodes.get(name)))
    if (changed.length > 0) onChange(changed)
  }
  stops.onStop(csiNodes.onChange(({ key }) => place(key)))
  stops.onStop(nodes.onChange(({ key }) => place(key)))
  await Promise.all([csiNodes.synced(), nodes.synced(signal)])
}
