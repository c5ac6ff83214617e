import type { CSIDriver } from '../../api/kinds/csi-driver.ts'
import type { PersistentVolumeClaim } from '../../api/kinds/persistent-volume-claim.ts'
import type { PersistentVolume } from '../../api/kinds/persistent-volume.ts'
import type { Pod } from '../../api/kinds/pod.ts'
import type { StorageClass } from '../../api/kinds/storage-class.ts'
import type { VolumeStock } from '../../storage/volume-stock.ts'
import type { Anchors } from './anchored-groups.ts'
import type { NodeMatcher, Place } from './node-matcher.ts'
import type { CountedVolume, PodRecord } from './pod-record.ts'
import type { Allocatable } from './resource-amounts.ts'
import type { NodeTaints } from './taints.ts'

/** A node with all that placing asks about it, made ready. */
export interface NodeView extends Place {
  readonly isUnschedulable: boolean
  readonly taints: NodeTaints
  readonly allocatable: Allocatable
  /** Drivers that are registered there. */
  readonly drivers: ReadonlyMap<string, NodeDriver>
  /** What is on it, or about to be. */
  usage(): NodeUsage
}

export type NodeDriver = {
  /** Most volumes at a time; left out: no limit. */
  readonly limit?: number
  readonly topologyKeys: readonly string[]
}

export type NodeUsage = {
  readonly pods: number
  readonly cpuMilli: number
  readonly memoryBytes: number
  /** Handles by driver: of pods, and of attachments that are still there. */
  readonly volumes: ReadonlyMap<string, ReadonlySet<string>>
  readonly volumeCount: number
}

/** Room for volumes of one class where `matches` holds. */
export type Room = { readonly sizeBytes: bigint; readonly matches: NodeMatcher }

/** The cluster at one moment, as far as placing a pod asks about it. */
export interface ClusterView {
  /** In an order that stays. */
  nodes(): readonly NodeView[]
  /** Those with one of the labels; undefined when to find them out costs more than to look at all. */
  nodesAt(anchors: Anchors): readonly NodeView[] | undefined
  findNode(name: string): NodeView | undefined
  findClaim(key: string): PersistentVolumeClaim | undefined
  findVolume(name: string): PersistentVolume | undefined
  findClass(name: string): StorageClass | undefined
  findDriver(name: string): CSIDriver | undefined
  recordOf(pod: Pod): PodRecord
  /** How the limit of its driver counts the claim's volume, also before there is one; undefined: it does not. */
  countedVolumeOf(claim: PersistentVolumeClaim): CountedVolume | undefined
  /** Undefined: from every node. */
  reachOf(volume: PersistentVolume): NodeMatcher | undefined
  /** Volumes that are kept for the claim. */
  reservedFor(claim: PersistentVolumeClaim): readonly PersistentVolume[]
  /** Volumes that nobody has, of a shelf as `shelfOf` has it: false where there are none at all. */
  hasFree(shelf: string): boolean
  /** Those that can perhaps be reached from there: the affinity of each has the last word. */
  freeAt(shelf: string, place: Place): readonly VolumeStock[]
  roomsAt(className: string, place: Place): readonly Room[]
  /** The claim that a pod about to be placed has chosen the volume for. */
  keeperOf(volumeName: string): string | undefined
  /** The node that a pod about to be placed has chosen for the claim, also before the claim says so. */
  selectingFor(claimKey: string): string | undefined
  /** Keys of pods with the claim that are on a node or about to be. */
  usersOf(claimKey: string): readonly string[]
}
