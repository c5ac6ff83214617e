import { CSI_DRIVERS } from '../api/kinds/csi-driver.ts'
import { CSI_NODES } from '../api/kinds/csi-node.ts'
import { CSI_STORAGE_CAPACITIES } from '../api/kinds/csi-storage-capacity.ts'
import { NODES } from '../api/kinds/node.ts'
import { PERSISTENT_VOLUME_CLAIMS } from '../api/kinds/persistent-volume-claim.ts'
import { PERSISTENT_VOLUMES } from '../api/kinds/persistent-volume.ts'
import { PODS } from '../api/kinds/pod.ts'
import { STORAGE_CLASSES } from '../api/kinds/storage-class.ts'
import { VOLUME_ATTACHMENTS } from '../api/kinds/volume-attachment.ts'
import { VOLUME_SNAPSHOT_CONTENTS, VOLUME_SNAPSHOTS } from '../api/kinds/volume-snapshot.ts'
import { keyOfRef } from '../api/object-key.ts'
import type { KubeObject } from '../api/object.ts'
import { qualifiedResource } from '../api/resource-type.ts'
import type { ResourceType } from '../api/resource-type.ts'
import { createObjectCache } from '../kube/cache/object-cache.ts'
import type { CacheChange, ObjectCache } from '../kube/cache/object-cache.ts'
import type { Informers } from '../kube/cache/informers.ts'
import { nodeNamesOf, volumeNamesOf } from '../storage/attachment-indexes.ts'
import { podClaimKeysOf } from '../storage/pod-claims.ts'
import type { PersistentVolume } from '../api/kinds/persistent-volume.ts'
import type { VolumeAttachment } from '../api/kinds/volume-attachment.ts'
import type { Pod } from '../api/kinds/pod.ts'
import type { CSIStorageCapacity } from '../api/kinds/csi-storage-capacity.ts'
import { placeOfCapacity, placeOfVolume } from './place.ts'

/** The kinds that the console follows. */
export const KINDS = {
  claims: PERSISTENT_VOLUME_CLAIMS,
  volumes: PERSISTENT_VOLUMES,
  attachments: VOLUME_ATTACHMENTS,
  pods: PODS,
  nodes: NODES,
  csiNodes: CSI_NODES,
  drivers: CSI_DRIVERS,
  classes: STORAGE_CLASSES,
  capacities: CSI_STORAGE_CAPACITIES,
  snapshots: VOLUME_SNAPSHOTS,
  contents: VOLUME_SNAPSHOT_CONTENTS,
} as const

export type KindName = keyof typeof KINDS
type ObjectOf<Name extends KindName> = (typeof KINDS)[Name] extends ResourceType<infer T> ? T : never

/** Everything that the tables are made of. A kind that cannot be read has no objects. */
export type Caches = {
  readonly [Name in KindName]: Pick<ObjectCache<ObjectOf<Name>>, 'get' | 'all' | 'size'>
} & {
  podsOfClaim(claimKey: string): readonly Pod[]
  podsOfNode(name: string): readonly Pod[]
  attachmentsOfVolume(name: string): readonly VolumeAttachment[]
  attachmentsOfNode(name: string): readonly VolumeAttachment[]
  volumesOfDriver(name: string): readonly PersistentVolume[]
  /** By class and topology. */
  volumesAt(place: string): readonly PersistentVolume[]
  capacitiesAt(place: string): readonly CSIStorageCapacity[]
}

export type FollowedCaches = {
  readonly caches: Caches
  /** `Forbidden` or not served, with the permission that is missing. */
  readonly unread: readonly string[]
  onChange(listener: (kind: KindName, change: CacheChange<KubeObject>) => void): void
}

/** Follows every kind that the caller may list. Resolves when all of them are complete. */
export async function followKinds(informers: Informers, signal: AbortSignal): Promise<FollowedCaches> {
  const names = Object.keys(KINDS) as KindName[]
  const served = await Promise.all(names.map((name) => informers.isServed(KINDS[name], signal)))
  const readable = names.filter((_, index) => served[index])
  const listeners: ((kind: KindName, change: CacheChange<KubeObject>) => void)[] = []
  const cacheOf = <T extends KubeObject>(name: KindName, type: ResourceType<T>): ObjectCache<T> =>
    readable.includes(name) ? informers.get(type) : createObjectCache<T>()
  const caches = {
    claims: cacheOf('claims', KINDS.claims),
    volumes: cacheOf('volumes', KINDS.volumes),
    attachments: cacheOf('attachments', KINDS.attachments),
    pods: cacheOf('pods', KINDS.pods),
    nodes: cacheOf('nodes', KINDS.nodes),
    csiNodes: cacheOf('csiNodes', KINDS.csiNodes),
    drivers: cacheOf('drivers', KINDS.drivers),
    classes: cacheOf('classes', KINDS.classes),
    capacities: cacheOf('capacities', KINDS.capacities),
    snapshots: cacheOf('snapshots', KINDS.snapshots),
    contents: cacheOf('contents', KINDS.contents),
  }
  await informers.synced(signal)
  for (const name of readable)
    informers.get<KubeObject>(KINDS[name] as ResourceType).onChange((change) => {
      for (const listener of listeners) listener(name, change)
    })
  return {
    caches: {
      ...caches,
      podsOfClaim: caches.pods.indexBy(podClaimKeysOf),
      podsOfNode: caches.pods.indexBy(({ spec }) => (spec.nodeName ? [spec.nodeName] : [])),
      attachmentsOfVolume: caches.attachments.indexBy(volumeNamesOf),
      attachmentsOfNode: caches.attachments.indexBy(nodeNamesOf),
      volumesOfDriver: caches.volumes.indexBy(({ spec }) => (spec.csi ? [spec.csi.driver] : [])),
      volumesAt: caches.volumes.indexBy((volume) => [placeOfVolume(volume)]),
      capacitiesAt: caches.capacities.indexBy((capacity) => [placeOfCapacity(capacity)]),
    },
    unread: names.filter((name) => !readable.includes(name)).map((name) => qualifiedResource(KINDS[name])),
    onChange: (listener) => void listeners.push(listener),
  }
}

/** The claim of a volume, as a key. */
export const claimKeyOf = ({ spec: { claimRef } }: PersistentVolume): string | undefined =>
  claimRef?.name ? keyOfRef({ namespace: claimRef.namespace ?? '', name: claimRef.name }) : undefined
