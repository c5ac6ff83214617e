import { Gauge } from 'prom-client'
import type { Registry } from 'prom-client'
import { ignoreNotFound } from '../../../api/api-error.ts'
import type { Api } from '../../../api/api.ts'
import { isEqualJson } from '../../../api/equal-json.ts'
import { CSI_STORAGE_CAPACITIES } from '../../../api/kinds/csi-storage-capacity.ts'
import type { CSIStorageCapacity } from '../../../api/kinds/csi-storage-capacity.ts'
import { NODES } from '../../../api/kinds/node.ts'
import type { PersistentVolume } from '../../../api/kinds/persistent-volume.ts'
import { STORAGE_CLASSES } from '../../../api/kinds/storage-class.ts'
import type { StorageClass } from '../../../api/kinds/storage-class.ts'
import { formatObject, keyOf, refOf } from '../../../api/object-key.ts'
import type { ObjectRef } from '../../../api/object.ts'
import { backoffOf } from '../../../base/backoff.ts'
import { ControllerServiceCapability_RPC_Type as Capability } from '../../../csi/generated/csi/v1/csi.ts'
import { defineController, DONE, limitRequests, on } from '../../../kube/controller/index.ts'
import type { ControllerDefinition, FollowedKind, Pass, StepOutcome } from '../../../kube/controller/index.ts'
import { DRIVER_NAME_LABEL } from '../../../storage/names.ts'
import type { SidecarRole } from '../../role.ts'
import type { OwnNode } from '../claim-eligibility.ts'
import type { RegisteredNodes } from '../cluster-topology.ts'
import { driverParameters } from '../create-volume-request.ts'
import type { ProvisionerConfig } from '../provisioner-options.ts'
import { findSegment, termOf } from '../topology.ts'
import { createCapacityPairs, pairKeyOfObject } from './capacity-pair.ts'
import { nextCapacityStep } from './next-capacity-step.ts'
import type { CapacityStep, CapacityView, Room } from './next-capacity-step.ts'
import { findOwner, MANAGED_BY_LABEL, managedBy, probeCapacityApi } from './publisher.ts'

/** What capacity needs besides the role. */
export type CapacityParts = {
  /** For reading and writing the objects, with a separate rate limit. Default: the API of the role. */
  readonly capacityApi?: Api | undefined
  /** Where the objects are. */
  readonly namespace: string
  /** The pod of this process. Needed unless the objects have no owner. */
  readonly pod?: ObjectRef | undefined
  /** Default: one instance publishes for the whole cluster. */
  readonly ownNode?: Pick<OwnNode, 'name' | 'segments'> | undefined
  followNodes(): Promise<RegisteredNodes>
}

export type CapacityRole = SidecarRole & CapacityParts

/** Is notified of events that may have changed the capacity. */
export interface CapacityTracker {
  /** It was created or deleted. */
  onVolumeChange(volume: PersistentVolume): void
  /** A call has ended without a volume. */
  onProvisionFailed(className: string): void
}

type CapacityPairs = ReturnType<typeof createCapacityPairs>
/** The driver's last response for a pair. `isOutdated`: something has happened since that changes the response, or there was none. */
type Asked = { readonly room?: Room; readonly atMs: number; readonly isOutdated: boolean }
/** An object that we created and the watch may not show yet. */
type Created = { readonly object: CSIStorageCapacity; readonly untilMs: number }

const BY_PAIR = 'capacity/pair'
// Many changes within one second cause one call.
const SHORTEST_PAUSE_MS = 1000
// An object that the cache does not show by then was deleted before it could be seen.
const BELIEVED_MS = 60_000

/** Publishes the capacity of each class in each topology segment, for the scheduler. Undefined if the driver cannot report it. */
export async function defineCapacity(
  role: CapacityRole,
  config: ProvisionerConfig,
): Promise<(CapacityTracker & { readonly controller: ControllerDefinition<CapacityView, CapacityStep> }) | undefined> {
  const { clock, log, facts, namespace, ownNode, capacityApi, pod, registry } = role
  if (!facts.controller.has(Capability.GET_CAPACITY)) {
    log.error('capacity is not published: --enable-capacity is set but the driver lacks the capability GET_CAPACITY')
    return undefined
  }
  const api = capacityApi ? limitRequests(capacityApi, { clock, signal: role.signal }) : role.api
  if (namespace === '') throw new Error('--enable-capacity needs a namespace for its objects: set NAMESPACE')
  await probeCapacityApi(api, namespace, role.starting)
  const owner = await findOwner(role.api, config.capacityOwnerrefLevel, pod, role.starting)
  const labels = { [DRIVER_NAME_LABEL]: facts.name, [MANAGED_BY_LABEL]: managedBy(ownNode?.name) }
  const labelSelector = Object.entries(labels)
    .map(([key, value]) => `${key}=${value}`)
    .join(',')
  const published = role.follow(CSI_STORAGE_CAPACITIES, {
    scope: { namespace, labelSelector },
    indexes: { [BY_PAIR]: (object) => [pairKeyOfObject(object)] },
  })
  const lanes = { default: config.capacityThreads }
  const queue = role.createQueue({ name: 'csistoragecapacity', lanes, backoff: backoffOf(config) })
  const pairs = createCapacityPairs()
  const asked = new Map<string, Asked>()
  const created = new Map<string, Created>()
  const askInMs = (key: string): number => {
    const { atMs = -Infinity, isOutdated = true } = asked.get(key) ?? {}
    return Math.max(0, atMs + (isOutdated ? SHORTEST_PAUSE_MS : config.capacityPollIntervalMs) - clock.monotonicMs())
  }
  const refresh = (keys: Iterable<string>): void => {
    for (const key of keys) {
      const last = asked.get(key)
      if (last) asked.set(key, { ...last, isOutdated: true })
      queue.addAfter(key, pairs.find(key) ? askInMs(key) : 0)
    }
  }
  await followPairs(role, config, pairs, refresh)
  role.onReady(() => {
    refresh(pairs.keysOf())
    log.info('publishing capacity', { namespace, classes: pairs.classes.size, segments: pairs.segments.size() })
    if (registry) role.onStop(measureCapacity(registry, pairs, published))
  })
  const publisher = { namespace, labels, owner }
  return {
    controller: defineController<CapacityView, CapacityStep>({
      name: 'capacity',
      queue,
      // Also for objects that were published before and are obsolete.
      watch: [
        on(published, ({ before, after }) => {
          if (after) created.delete(pairKeyOfObject(after))
          return [before, after].flatMap((each) => (each ? pairKeyOfObject(each) : []))
        }),
      ],
      view: (key) => {
        const pair = pairs.find(key)
        const seen = published.byIndex(BY_PAIR, key)
        const { object, untilMs = 0 } = created.get(key) ?? {}
        const objects = object && clock.monotonicMs() < untilMs ? [...seen, object] : seen
        if (!pair && objects.length === 0) return undefined
        return { seen: { pair, objects }, held: { publisher, room: asked.get(key)?.room, askInMs: askInMs(key) } }
      },
      forget: (key) => {
        asked.delete(key)
        created.delete(key)
      },
      decide: nextCapacityStep,
      perform: capacitySteps(role, config, { api, pairs, asked, created, published }),
    }),
    onVolumeChange: (volume) => refresh(pairs.keysOfVolume(volume)),
    onProvisionFailed: (className) => refresh(pairs.keysOfClass(className)),
  }
}

type StepOf<Kind> = Extract<CapacityStep, { kind: Kind }>
type CapacityPass = Pass<CapacityView>
type CapacityState = {
  readonly api: Api
  readonly pairs: CapacityPairs
  readonly asked: Map<string, Asked>
  readonly created: Map<string, Created>
  readonly published: FollowedKind<CSIStorageCapacity>
}

function capacitySteps(
  { clock, driver }: CapacityRole,
  { timeoutMs }: ProvisionerConfig,
  { api, pairs, asked, created, published }: CapacityState,
) {
  return {
    ask: async ({ pair: { className, term } }: StepOf<'ask'>, { key, signal }: CapacityPass): Promise<void> => {
      const place = Object.keys(term).length === 0 ? {} : { accessibleTopology: { segments: term } }
      const request = { parameters: { ...pairs.classes.get(className) }, ...place }
      const before = asked.get(key)
      // Changes from now on make the response outdated again.
      asked.set(key, { ...before, atMs: clock.monotonicMs(), isOutdated: false })
      const answered = (change: Partial<Asked>): void =>
        void asked.set(key, { isOutdated: false, ...asked.get(key), atMs: clock.monotonicMs(), ...change })
      try {
        const { availableCapacity, maximumVolumeSize } = await driver.getCapacity(request, { timeoutMs, signal })
        answered({ room: { available: availableCapacity, largestVolume: maximumVolumeSize } })
      } catch (error) {
        answered({ isOutdated: true })
        throw error
      }
    },
    create: async ({ object }: StepOf<'create'>, { key, log }: CapacityPass): Promise<void> => {
      const made = await api.create(CSI_STORAGE_CAPACITIES, object)
      if (!published.get(keyOf(made))) created.set(key, { object: made, untilMs: clock.monotonicMs() + BELIEVED_MS })
      log.info('capacity published', {
        object: formatObject(made),
        class: made.storageClassName,
        capacity: made.capacity,
      })
    },
    update: async ({ object }: StepOf<'update'>, { key }: CapacityPass): Promise<void> => {
      const updated = await api.update(CSI_STORAGE_CAPACITIES, object)
      published.remember(updated)
      const young = created.get(key)
      if (young && young.object.metadata.uid === updated.metadata.uid) created.set(key, { ...young, object: updated })
    },
    delete: async ({ object, reason }: StepOf<'delete'>, { key, log }: CapacityPass): Promise<StepOutcome> => {
      const { uid } = object.metadata
      const options = uid ? { preconditions: { uid } } : {}
      await api.delete(CSI_STORAGE_CAPACITIES, refOf(object), options).catch(ignoreNotFound)
      if (created.get(key)?.object.metadata.uid === uid) created.delete(key)
      log.info('published capacity withdrawn', { object: formatObject(object), reason })
      // While the cache still shows it, nothing can be decided; the watch brings the key back.
      return published.get(keyOf(object)) ? DONE : undefined
    },
  }
}

/** The gauges of the upstream provisioner, computed only when metrics are read. Call the result to end it. */
function measureCapacity(
  registry: Registry,
  pairs: CapacityPairs,
  published: FollowedKind<CSIStorageCapacity>,
): () => void {
  const wanted = (): number => pairs.keysOf().length
  const current = (): number => pairs.keysOf().filter((key) => published.byIndex(BY_PAIR, key).length > 0).length
  const gauges: readonly [name: string, help: string, count: () => number][] = [
    ['desired_goal', 'CSIStorageCapacity objects that are desired', wanted],
    ['desired_current', 'CSIStorageCapacity objects that are desired and exist', current],
    ['obsolete', 'CSIStorageCapacity objects that exist and are not desired', () => published.size() - current()],
  ]
  const names = gauges.map(([suffix, help, count]) => {
    const name = `csistoragecapacities_${suffix}`
    new Gauge({
      name,
      help,
      registers: [registry],
      collect() {
        this.set(count())
      },
    })
    return name
  })
  return () => names.forEach((name) => registry.removeSingleMetric(name))
}

/** Keeps classes and segments up to date, and calls back with the pairs that were added, removed or changed. */
async function followPairs(
  { follow, facts: { name: driverName }, ownNode, followNodes }: CapacityRole,
  config: ProvisionerConfig,
  { classes, segments, keysOf }: CapacityPairs,
  onChange: (keys: readonly string[]) => void,
): Promise<void> {
  follow(STORAGE_CLASSES).onChange(({ key, after }) => {
    const before = classes.get(key)
    const parameters = after && findTrackedParameters(after, driverName, config)
    if (parameters) classes.set(key, parameters)
    else classes.delete(key)
    // No other part of a class changes the response.
    if (!isEqualJson(before, parameters)) onChange(keysOf([key]))
  })
  if (ownNode) return void segments.place(ownNode.name, termOf(ownNode.segments))
  const csiNodes = await followNodes()
  const nodes = follow(NODES)
  const place = ({ key }: { readonly key: string }): void => {
    const changed = segments.place(key, findSegment(driverName, csiNodes.get(key), nodes.get(key)))
    if (changed.length > 0) onChange(keysOf(undefined, changed))
  }
  csiNodes.onChange(place)
  nodes.onChange(place)
}

/** The parameters for the driver, for a class whose capacity is published: the scheduler only checks capacity if a volume waits for its pod. */
function findTrackedParameters(
  storageClass: StorageClass,
  driverName: string,
  { capacityForImmediateBinding }: ProvisionerConfig,
): Readonly<Record<string, string>> | undefined {
  if (storageClass.provisioner !== driverName) return undefined
  if (storageClass.volumeBindingMode !== 'WaitForFirstConsumer' && !capacityForImmediateBinding) return undefined
  // No volume is created with parameters that are rejected.
  const parameters = driverParameters(storageClass.parameters ?? {})
  return parameters.kind === 'ok' ? parameters.value : undefined
}
