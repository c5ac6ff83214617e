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
import { getOrAdd } from '../../base/get-or-add.ts'
import { createObjectCache } from '../../kube/cache/object-cache.ts'
import type { CacheChange } from '../../kube/cache/object-cache.ts'
import { claimKeysOf } from '../../storage/claim-reference.ts'
import { classNameOf, NO_PROVISIONER } from '../../storage/names.ts'
import { isFinishedPod, podClaimKeysOf } from '../../storage/pod-claims.ts'
import { createCapacityRooms } from './capacity-rooms.ts'
import { NodeEntry } from './node-entry.ts'
import type { NodeView } from './node-entry.ts'
import { compileNodeSelector } from './node-matcher.ts'
import { createNodeOrder } from './node-order.ts'
import { countedOf, createPodRecord } from './pod-record.ts'
import type { CountedVolume, PodRecord } from './pod-record.ts'
import { createVolumeShelves } from './volume-shelves.ts'

/** A pod that is about to be on a node, before the API server has confirmed it. */
export type Assumption = {
  readonly node: string
  /** Volumes chosen for claims of the pod: claim keys by volume name. */
  readonly volumes: ReadonlyMap<string, string>
  /** Keys of the claims that are to get the node's name. */
  readonly selects: ReadonlySet<string>
}

/** Everything that placing knows, kept up to date one object at a time. */
export type ClusterState = ReturnType<typeof createClusterState>

/** The cluster as the decisions see it. */
export type ClusterView = ClusterState['view']

const BY_CLAIM = 'claim'

// One function, since everything in it shares the same tables.
export function createClusterState() {
  const entries = new Map<string, NodeEntry>()
  const records = new Map<string, PodRecord>()
  const places = new Map<string, string>()
  const assumed = new Map<string, Assumption & { readonly uid: string }>()
  // Claim keys by the volumes that were chosen for them, and the reverse.
  const keepers = new Map<string, string>()
  const chosen = new Map<string, string>()
  // Nodes by pod, for each claim that is about to get its node's name.
  const selecting = new Map<string, Map<string, string>>()
  const reaches = new Map<string, NodeMatcher>()
  const shelves = createVolumeShelves()
  const rooms = createCapacityRooms()
  const nodeOrder = createNodeOrder()

  const pods = createTable<Pod>(({ key, after }) => {
    if (after) records.set(key, createPodRecord(after))
    else records.delete(key)
    const assumption = assumed.get(key)
    if (assumption && (!after || after.metadata.uid !== assumption.uid || after.spec.nodeName || isFinishedPod(after)))
      dropAssumption(key)
    settle(key)
  })
  pods.addIndex(BY_CLAIM, podClaimKeysOf)
  const nodes = createTable<Node>(({ key, after }) => changeNode(key, (entry) => entry.setNode(after)))
  const csiNodes = createTable<CSINode>(({ key, after }) => changeNode(key, (entry) => entry.setDrivers(after)))
  const claims = createTable<PersistentVolumeClaim>(({ key }) => touchUsers(key))
  const volumes = createTable<PersistentVolume>(({ key, before, after }) => {
    const affinity = after?.spec.nodeAffinity?.required
    if (affinity) reaches.set(key, compileNodeSelector(affinity))
    else reaches.delete(key)
    if (after) shelves.put(after)
    else if (before) shelves.remove(before)
    for (const claim of claimKeysOf(before, after)) touchUsers(claim)
  })
  const classes = createTable<StorageClass>(() => {
    for (const entry of entries.values()) entry.touch()
  })
  const drivers = createTable<CSIDriver>(() => {})
  const capacities = createTable<CSIStorageCapacity>(({ before, after }) => {
    if (after) rooms.put(after)
    else if (before) rooms.remove(before)
  })
  const attachments = createTable<VolumeAttachment>(({ key, before, after }) => {
    if (before) change(before.spec.nodeName, (entry) => entry.attachments.delete(key))
    if (after) change(after.spec.nodeName, (entry) => entry.attachments.set(key, after))
  })

  const change = (name: string, act: (entry: NodeEntry) => void): void => {
    const entry = getOrAdd(entries, name, () => new NodeEntry(name, volumesOn))
    act(entry)
    entry.touch()
    if (entry.isEmpty()) entries.delete(name)
  }
  const changeNode = (name: string, act: (entry: NodeEntry) => void): void => {
    change(name, act)
    const entry = entries.get(name)
    if (entry?.isKnown) nodeOrder.put(entry)
    else nodeOrder.remove(name)
  }
  const touchUsers = (claimKey: string): void => {
    for (const pod of pods.byIndex(BY_CLAIM, claimKey)) entries.get(places.get(keyOf(pod)) ?? '')?.touch()
  }
  /** Counts the pod on the node where it is by now. */
  const settle = (key: string): void => {
    const record = records.get(key)
    const before = places.get(key)
    const place = record && !isFinishedPod(record.pod) ? record.pod.spec.nodeName || assumed.get(key)?.node : undefined
    if (before !== undefined && before !== place) {
      places.delete(key)
      change(before, (entry) => entry.pods.delete(key))
    }
    if (place === undefined || !record) return
    places.set(key, place)
    change(place, (entry) => entry.pods.set(key, record))
  }

  /** Counts the pod as being on the node until it is forgotten, deleted, finished or bound to a node. */
  const assume = (pod: Pod, assumption: Assumption): void => {
    const key = keyOf(pod)
    dropAssumption(key)
    assumed.set(key, { ...assumption, uid: pod.metadata.uid ?? '' })
    for (const [volume, claim] of assumption.volumes) {
      keepers.set(volume, claim)
      chosen.set(claim, volume)
    }
    for (const claim of assumption.selects)
      getOrAdd(selecting, claim, () => new Map<string, string>()).set(key, assumption.node)
    settle(key)
  }
  const dropAssumption = (key: string): void => {
    for (const [volume, claim] of assumed.get(key)?.volumes ?? []) {
      keepers.delete(volume)
      chosen.delete(claim)
    }
    for (const claim of assumed.get(key)?.selects ?? []) {
      const nodesOfPods = selecting.get(claim)
      nodesOfPods?.delete(key)
      if (nodesOfPods?.size === 0) selecting.delete(claim)
    }
    assumed.delete(key)
  }
  const forget = (key: string): void => {
    dropAssumption(key)
    settle(key)
  }

  /** How the limit of its driver counts the claim's volume, also before it exists; undefined: not at all. */
  const countedVolumeOf = (claim: PersistentVolumeClaim): CountedVolume | undefined => {
    const volume =
      volumes.get(claim.spec.volumeName || chosen.get(keyOf(claim)) || '') ??
      shelves.reservedFor(claim).find(({ spec }) => spec.claimRef?.uid)
    if (volume) return countedOf(volume)
    // A volume that does not exist yet is counted under the claim's key, which no handle looks like.
    const provisioner = classes.get(classNameOf(claim))?.provisioner
    return provisioner === undefined || provisioner === NO_PROVISIONER
      ? undefined
      : { driver: provisioner, handle: `claim ${keyOf(claim)}` }
  }
  /** The volumes that count on a node: of its pods, and of attachments. */
  const volumesOn = function* (entry: NodeEntry): Iterable<CountedVolume> {
    for (const { claims: named, inLine } of entry.pods.values()) {
      yield* inLine
      for (const { key } of named) {
        const claim = claims.get(key)
        const counted = claim && countedVolumeOf(claim)
        if (counted) yield counted
      }
    }
    for (const { spec } of entry.attachments.values()) {
      const { inlineVolumeSpec, persistentVolumeName = '' } = spec.source
      const handle = (inlineVolumeSpec ?? volumes.get(persistentVolumeName)?.spec)?.csi?.volumeHandle
      if (handle !== undefined) yield { driver: spec.attacher, handle }
    }
  }

  const view = {
    nodes: nodeOrder.all,
    nodesAt: nodeOrder.at,
    findNode: (name: string): NodeView | undefined => {
      const entry = entries.get(name)
      return entry?.isKnown ? entry : undefined
    },
    findClaim: claims.get,
    findVolume: volumes.get,
    findClass: classes.get,
    findDriver: drivers.get,
    recordOf: (pod: Pod): PodRecord => {
      const known = records.get(keyOf(pod))
      return known?.pod === pod ? known : createPodRecord(pod)
    },
    countedVolumeOf,
    /** Undefined: the volume is accessible from every node. */
    reachOf: ({ metadata }: PersistentVolume): NodeMatcher | undefined => reaches.get(metadata.name ?? ''),
    reservedFor: shelves.reservedFor,
    /** Whether there is any free volume on the shelf, see `shelfOf`. */
    hasFree: shelves.hasFree,
    /** Free volumes that may be accessible from there: the node affinity of each decides. */
    freeAt: shelves.freeAt,
    roomsAt: rooms.at,
    /** The claim for which a pod that is about to be placed has chosen the volume. */
    keeperOf: (volumeName: string): string | undefined => keepers.get(volumeName),
    /** The node that a pod that is about to be placed has chosen for the claim, also before the claim has its name. */
    selectingFor: (claim: string): string | undefined => selecting.get(claim)?.values().next().value,
    /** Keys of pods with the claim that are on a node or about to be. */
    usersOf: (claim: string): string[] =>
      pods
        .byIndex(BY_CLAIM, claim)
        .map(keyOf)
        .filter((key) => places.has(key)),
  }
  return {
    view,
    pods,
    nodes,
    csiNodes,
    claims,
    volumes,
    classes,
    drivers,
    capacities,
    attachments,
    /** Pods with the claim, placed or not. */
    podsWith: (claim: string): readonly Pod[] => pods.byIndex(BY_CLAIM, claim),
    assume,
    forget,
  }
}

/** The objects of one kind, which reports every change of one of them. */
function createTable<T extends KubeObject>(changed: (change: CacheChange<T>) => void) {
  const cache = createObjectCache<T>()
  const set = (key: string, after: T | undefined): void => {
    const before = cache.get(key)
    if (before === after) return
    if (before) cache.remove(before)
    if (after) cache.put(after)
    changed({ key, before, after })
  }
  const { get, byIndex, addIndex } = cache
  return { get, byIndex, addIndex, set, put: (object: T): void => set(keyOf(object), object) }
}
