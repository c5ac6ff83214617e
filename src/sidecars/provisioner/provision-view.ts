import type { CSINode } from '../../api/kinds/csi-node.ts'
import type { Node } from '../../api/kinds/node.ts'
import type { PersistentVolumeClaim } from '../../api/kinds/persistent-volume-claim.ts'
import type { PersistentVolume } from '../../api/kinds/persistent-volume.ts'
import type { StorageClass } from '../../api/kinds/storage-class.ts'
import type { VolumeAttributesClass } from '../../api/kinds/volume-attributes-class.ts'
import type { VolumeSnapshot, VolumeSnapshotContent } from '../../api/kinds/volume-snapshot.ts'
import type { ObjectRef } from '../../api/object.ts'
import type { CreateVolumeRequest } from '../../csi/generated/csi/v1/csi.ts'
import { classNameOf } from '../../storage/names.ts'
import type { SecretRead } from '../../storage/read-secret.ts'
import type { DriverFacts } from '../discover-driver.ts'
import type { RoomAnswer } from './contend/next-contention-step.ts'
import type { ReferenceGrant, VolumePopulator } from './content-source.ts'
import type { CreateResult, MadeVolume } from './judge-create-result.ts'
import { volumeNameOf } from './names.ts'
import type { VolumeNaming } from './names.ts'
import type { ProvisionSettings } from './provisioner-options.ts'
import type { SecretRefs } from './resolve-secret-ref.ts'
import { findTermOfLabels, topologyKeysOf, uniqueTerms } from './topology.ts'
import type { ClusterTopology, TopologyTerm } from './topology.ts'

export type ProvisionView = {
  readonly driverName: string
  readonly seen: {
    /** Undefined once it is deleted. */
    readonly claim: PersistentVolumeClaim | undefined
    readonly class: StorageClass | undefined
    /** The PersistentVolume that has the name of the claim's volume. */
    readonly volume: PersistentVolume | undefined
    readonly caches: ProvisionCaches
    readonly read: ReadObjects
  }
  readonly held?: ProvisionHeld | undefined
}

/** Objects that are cached anyway. */
export type ProvisionCaches = {
  findClaim(ref: ObjectRef): PersistentVolumeClaim | undefined
  findVolume(name: string): PersistentVolume | undefined
  /** The PersistentVolume with this volume handle of the driver, whatever its name. Absent for `holdfast why`. */
  findByHandle?(handle: string): PersistentVolume | undefined
  grants(): Iterable<ReferenceGrant>
  /** Undefined if the server has no VolumePopulators: then any kind of source may have a populator. */
  populators?(): Iterable<VolumePopulator> | undefined
  readonly cluster: ClusterTopology
}

/** Objects that were read in this pass, because they are not cached or the cache may lag behind. Null: does not exist. Undefined: not read. */
export type ReadObjects = {
  readonly claim?: PersistentVolumeClaim | null
  readonly volume?: PersistentVolume | null
  readonly secret?: SecretRead
  readonly snapshot?: VolumeSnapshot | null
  readonly snapshotContent?: VolumeSnapshotContent | null
  readonly attributesClass?: VolumeAttributesClass | null
  /** The source as written with our finalizer; the cache may lag behind. */
  readonly sourceClaim?: PersistentVolumeClaim
  /** Set if we may not write the source: then it is used without protection. */
  readonly protectionForbidden?: boolean
  /** With an instance on each node: what the driver reported for this node. */
  readonly room?: RoomAnswer
}

/** One object to read before the decision can be made; it goes into the member of `ReadObjects` of the same name. */
export type Wanted = {
  readonly kind: 'claim' | 'volume' | 'secret' | 'snapshot' | 'snapshotContent' | 'attributesClass'
  readonly ref: ObjectRef
}

export type ProvisionHeld = {
  readonly facts: DriverFacts
  readonly settings: ProvisionSettings
  readonly nowMs: number
  /** An attempt that was started and is not complete. */
  readonly attempt?: Attempt | undefined
  /** The driver rejected the request as invalid: no new call before this time, unless the class was replaced. */
  readonly infeasible?: { readonly classUid: string; readonly untilMs: number } | undefined
  /** A volume was stored for this claim since the start of the process: the cached claim may be older than that. */
  readonly isProvisioned?: boolean
  /** With an instance on each node: when it is our turn to take a claim without a selected node. Undefined if not drawn yet. */
  readonly turnAtMs?: number | undefined
}

/** Remembered about a claim between passes. All of it may be lost; the attempt, which may not, is in the journal. */
export type ClaimMemory = Partial<Pick<ProvisionHeld, 'infeasible' | 'isProvisioned' | 'turnAtMs'>> & {
  /** Number of turns drawn so far, with an instance on each node: each is longer. */
  readonly turns?: number
  /** Of the first try. */
  readonly startedMs?: number
  /** Calls that failed or are in doubt, since the last success. */
  readonly failures?: number
  /** Final errors in a row for a claim that is deleted. */
  readonly denials?: number
}

/**
 * Everything needed to request a volume and to store it, repeatedly, even if claim, class, secrets and nodes change meanwhile. Contains secret
 * values: never log it unredacted.
 */
export type ProvisionPlan = {
  readonly request: CreateVolumeRequest
  readonly claim: PersistentVolumeClaim
  readonly class: StorageClass
  readonly secrets: SecretRefs
  readonly fsType: string
  /** Empty: none. */
  readonly selectedNode: string
  readonly topology: boolean
}

/**
 * A volume that may exist although no PersistentVolume describes it. From the first call until the end, only the attempt counts, whatever the claim's
 * current state.
 */
export type Attempt = { readonly plan: ProvisionPlan } & (
  | { readonly kind: 'calling' | 'in-doubt' }
  /** In the journal; the driver was not called yet. */
  | { readonly kind: 'recorded' }
  /** An earlier process may have called: the plan is from the journal, which has no secret values. */
  | { readonly kind: 'restored' }
  | Extract<CreateResult, { kind: 'spoiled' }>
  | { readonly kind: 'made'; readonly volume: MadeVolume; readonly wasSent: boolean }
)

/** What a view is read from. */
export type ProvisionSources = ProvisionCaches & {
  readonly driverName: string
  readonly naming?: VolumeNaming
  findClaimByUid(uid: string): PersistentVolumeClaim | undefined
  findClass(name: string): StorageClass | undefined
}

export function readProvisionView(
  sources: ProvisionSources,
  uid: string,
  read: ReadObjects = {},
  held?: ProvisionHeld,
): ProvisionView {
  const claim = sources.findClaimByUid(uid)
  const volumeName = held?.attempt?.plan.request.name ?? volumeNameOf(uid, sources.naming)
  return {
    driverName: sources.driverName,
    seen: {
      claim,
      class: claim && sources.findClass(classNameOf(claim)),
      volume: sources.findVolume(volumeName),
      caches: sources,
      read,
    },
    held,
  }
}

/** What the topology of the cluster is read from. */
export type TopologySources = {
  readonly driverName: string
  readonly nodes: { get(name: string): Node | undefined; all(): Iterable<Node> }
  readonly csiNodes: { get(name: string): CSINode | undefined; all(): Iterable<CSINode> }
  /** Only nodes on which the driver is registered count. If false, all nodes that have the labels, as in the upstream provisioner. */
  readonly onlyRegistered: boolean
  /** A random index below the bound. */
  below(bound: number): number
}

export function readClusterTopology(sources: TopologySources): ClusterTopology {
  const { driverName, nodes, csiNodes, onlyRegistered, below } = sources
  const isRegistered = ({ metadata: { name = '' } }: Node): boolean =>
    csiNodes.get(name)?.spec.drivers?.some((driver) => driver.name === driverName) ?? false
  return {
    findNode: (name) => nodes.get(name),
    findCsiNode: (name) => csiNodes.get(name),
    pickKeys: () => {
      const candidates = [...csiNodes.all()].flatMap((csiNode) => {
        const keys = topologyKeysOf(csiNode, driverName)
        return keys ? [keys] : []
      })
      return candidates.length === 0 ? undefined : candidates[below(candidates.length)]
    },
    aggregate: (keys) => {
      const terms: TopologyTerm[] = []
      for (const node of nodes.all()) {
        const term = findTermOfLabels(keys, node.metadata.labels)
        if (term && (!onlyRegistered || isRegistered(node))) terms.push(term)
      }
      return uniqueTerms(terms)
    },
  }
}
