import type { CSIDriver } from '../../api/kinds/csi-driver.ts'
import type { CSINode } from '../../api/kinds/csi-node.ts'
import type { CSIStorageCapacity } from '../../api/kinds/csi-storage-capacity.ts'
import type { Node } from '../../api/kinds/node.ts'
import type { PersistentVolumeClaim } from '../../api/kinds/persistent-volume-claim.ts'
import type { PersistentVolume } from '../../api/kinds/persistent-volume.ts'
import type { Pod } from '../../api/kinds/pod.ts'
import type { StorageClass } from '../../api/kinds/storage-class.ts'
import type { VolumeAttachment } from '../../api/kinds/volume-attachment.ts'
import type { NodeMatcher } from '../../api/node-selector.ts'
import { keyOf } from '../../api/object-key.ts'
import type { KubeObject } from '../../api/object.ts'
import { createObjectCache } from '../../kube/cache/object-cache.ts'
import type { CacheChange } from '../../kube/cache/object-cache.ts'
import { claimKeysOf } from '../../storage/claim-reference.ts'
import { classNameOf, NO_PROVISIONER } from '../../storage/names.ts'
import { isFinishedPod, podClaimKeysOf } from '../../storage/pod-claims.ts'
import { compileNodeSelector, createCapacityRooms, createVolumeShelves } from './anchored-shelves.ts'
import type { NodeEntry } from './node-entry.ts'
import { createNodeTable } from './node-table.ts'
import { countedOf, createPodRecord } from './pod-record.ts'
import type { CountedVolume, PodRecord } from './pod-record.ts'
import { createReservations } from './reservations.ts'

/** The state on which placement decisions are based, updated one object at a time. Decisions only read it. */
export type ClusterView = ReturnType<typeof createClusterView>

export function createClusterView() {
  const records = new Map<string, PodRecord>()
  const places = new Map<string, string>()
  const reaches = new Map<string, NodeMatcher>()
  const shelves = createVolumeShelves()
  const rooms = createCapacityRooms()

  const pods = createTable<Pod>(({ key, after }) => {
    if (after) records.set(key, createPodRecord(after))
    else records.delete(key)
    settle(key)
  })
  const podsWith = pods.indexBy(podClaimKeysOf)
  const claims = createTable<PersistentVolumeClaim>(({ key }) => touchUsers(key))
  const volumes = createTable<PersistentVolume>(({ key, before, after }) => {
    const affinity = after?.spec.nodeAffinity?.required
    if (affinity) reaches.set(key, compileNodeSelector(affinity))
    else reaches.delete(key)
    shelves.remove(key)
    if (after) shelves.put(after)
    claimKeysOf(before, after).forEach(touchUsers)
  })

  const touchUsers = (claimKey: string): void => {
    for (const pod of podsWith(claimKey)) nodeTable.touch(places.get(keyOf(pod)) ?? '')
  }
  /** Counts the pod on its current node. */
  const settle = (key: string): void => {
    const record = records.get(key)
    const { pod } = record ?? {}
    const before = places.get(key)
    const place = pod && !isFinishedPod(pod) ? pod.spec.nodeName || reservations.find(pod)?.node : undefined
    if (before !== undefined && before !== place) {
      places.delete(key)
      nodeTable.change(before, (entry) => entry.pods.delete(key))
    }
    if (place === undefined || !record) return
    places.set(key, place)
    nodeTable.change(place, (entry) => entry.pods.set(key, record))
  }
  const nodeTable = createNodeTable((entry) => volumesOn(entry, view))
  const reservations = createReservations(settle)
  const view = {
    pods,
    claims,
    volumes,
    nodes: createTable<Node>(({ key, after }) => nodeTable.setNode(key, after)),
    csiNodes: createTable<CSINode>(({ key, after }) => nodeTable.change(key, (entry) => entry.setDrivers(after))),
    classes: createTable<StorageClass>(nodeTable.touchAll),
    drivers: createTable<CSIDriver>(() => {}),
    capacities: createTable<CSIStorageCapacity>(({ key, after }) => {
      rooms.remove(key)
      if (after) rooms.put(after)
    }),
    attachments: createTable<VolumeAttachment>(({ key, before, after }) => {
      if (before) nodeTable.change(before.spec.nodeName, (entry) => entry.attachments.delete(key))
      if (after) nodeTable.change(after.spec.nodeName, (entry) => entry.attachments.set(key, after))
    }),
    nodeTable,
    shelves,
    rooms,
    reservations,
    recordOf: (pod: Pod): PodRecord => {
      const known = records.get(keyOf(pod))
      return known?.pod === pod ? known : createPodRecord(pod)
    },
    /** Undefined if the volume is accessible from every node. */
    reachOf: ({ metadata }: PersistentVolume): NodeMatcher | undefined => reaches.get(metadata.name ?? ''),
    /** Pods with the claim, placed or not. */
    podsWith,
    /** Keys of pods with the claim that are on a node or about to be. */
    usersOf: (claim: string): string[] =>
      podsWith(claim)
        .map(keyOf)
        .filter((key) => places.has(key)),
  }
  return view
}

/** How the attach limit of its driver counts the claim's volume, also before it exists; undefined if not at all. */
export function countedVolumeOf(claim: PersistentVolumeClaim, world: ClusterView): CountedVolume | undefined {
  const { volumes, classes, shelves, reservations } = world
  const volume =
    volumes.get(claim.spec.volumeName || reservations.choiceFor(keyOf(claim))?.volume || '') ??
    shelves.reservedFor(claim).find(({ spec }) => spec.claimRef?.uid)
  if (volume) return countedOf(volume)
  // A volume that does not exist yet is counted under the claim's key, which differs from any handle.
  const provisioner = classes.get(classNameOf(claim))?.provisioner
  return provisioner === undefined || provisioner === NO_PROVISIONER
    ? undefined
    : { driver: provisioner, handle: `claim ${keyOf(claim)}` }
}

/** The volumes that count on a node: those of its pods and of attachments. */
function* volumesOn({ pods, attachments }: NodeEntry, world: ClusterView): Iterable<CountedVolume> {
  for (const { claims, inLine } of pods.values()) {
    yield* inLine
    for (const { key } of claims) {
      const claim = world.claims.get(key)
      const counted = claim && countedVolumeOf(claim, world)
      if (counted) yield counted
    }
  }
  for (const { spec } of attachments.values()) {
    const { inlineVolumeSpec, persistentVolumeName = '' } = spec.source
    const handle = (inlineVolumeSpec ?? world.volumes.get(persistentVolumeName)?.spec)?.csi?.volumeHandle
    if (handle !== undefined) yield { driver: spec.attacher, handle }
  }
}

/** The objects of one kind; reports every change. */
function createTable<T extends KubeObject>(changed: (change: CacheChange<T>) => void) {
  const cache = createObjectCache<T>()
  const set = (key: string, after: T | undefined): void => {
    const before = cache.get(key)
    if (before === after) return
    if (before) cache.remove(before)
    if (after) cache.put(after)
    changed({ key, before, after })
  }
  const { get, indexBy } = cache
  return { get, indexBy, set, put: (object: T): void => set(keyOf(object), object) }
}
