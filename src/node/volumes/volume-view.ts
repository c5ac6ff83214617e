import type { Node } from '../../api/kinds/node.ts'
import type { Pod } from '../../api/kinds/pod.ts'
import type { VolumeAttachment } from '../../api/kinds/volume-attachment.ts'
import type { Reason } from '../../api/reason.ts'
import type { DriverPolicy } from '../../storage/driver-policy.ts'
import type { NodeServiceCapability_RPC_Type as NodeCapability } from '../../csi/generated/csi/v1/csi.ts'
import type { CsiVolume, PodVolume } from '../../storage/resolve-pod-volume.ts'
import type { DeviceState, DriverVolume, MountState } from './volume-table.ts'

/** A call that failed, and when it may be tried again. */
export type Patience = { readonly retryAtMs: number; readonly detail: string }

export type Capabilities = ReadonlySet<NodeCapability>

/** Until something changes, or until then at the latest. */
export type WaitStep = { readonly kind: 'wait'; readonly reason: Reason; readonly retryInMs?: number }
/** As it is it can't be done, and the user has to know. */
export type RefuseStep = { readonly kind: 'refuse'; readonly reason: Reason }

/** One pod of the node. */
export type PodView = {
  readonly seen: {
    /** Undefined when it is gone. */
    readonly pod?: Pod
    /** By the name of the pod's volume, as far as they are known; only those that a container uses. */
    readonly volumes: ReadonlyMap<string, PodVolume>
  }
  /** Undefined when asked from outside. */
  readonly held?: {
    readonly nowMs: number
    /** All pods of the node are known. */
    readonly isReady: boolean
    readonly hasDirectory: boolean
    /** By the name of the pod's volume: the last look at its claim failed. */
    readonly patience: ReadonlyMap<string, Patience>
    readonly mounts: readonly { readonly specName: string; readonly isPresent: boolean; readonly state: MountState }[]
  }
}

export type PodStep =
  | WaitStep
  /** Nothing is left of the pod. */
  | { readonly kind: 'forget' }
  /** Read claim and volume. */
  | { readonly kind: 'resolve'; readonly volumeName: string }
  | { readonly kind: 'report-running' }
  | { readonly kind: 'remove-directory' }
  /** Everything is unmounted: let the object go. */
  | { readonly kind: 'delete-pod'; readonly pod: Pod }

/** One volume for one pod. */
export type MountView = {
  readonly seen: {
    readonly specName: string
    readonly driver: string
    /** Undefined when it is gone. */
    readonly pod?: Pod
    /** The pod's wish. Undefined: it has none, or that is not known. */
    readonly volume?: DriverVolume
    readonly policy?: DriverPolicy
    /** Namespaces of the other pods here that have the volume. */
    readonly otherNamespaces: readonly string[]
    readonly attachment?: VolumeAttachment
  }
  readonly held?: {
    readonly nowMs: number
    readonly isReady: boolean
    /** All volumes of the pod are known. */
    readonly isPodResolved: boolean
    readonly state: MountState
    readonly isPresent: boolean
    readonly isRegistered: boolean
    readonly capabilities?: Capabilities
    /** Of the volume; left out for one that has no device. */
    readonly device?: DeviceState
    /** The volume is growing at this moment. */
    readonly isExpanding: boolean
    /** Other pods here that have it, or may. */
    readonly otherPods: number
    readonly patience?: Patience
    readonly isUnmountFailing: boolean
    /** When it is to be published again. Left out: never. */
    readonly republishAtMs?: number
  }
}

export type MountStep =
  | WaitStep
  | RefuseStep
  | { readonly kind: 'forget' }
  | { readonly kind: 'probe' }
  | { readonly kind: 'publish'; readonly isRepeat: boolean }
  | { readonly kind: 'unpublish' }

/** One volume on the node. */
export type DeviceView = {
  readonly seen: {
    readonly driver: string
    readonly uniqueName: string
    readonly node?: Node
    readonly policy?: DriverPolicy
    /** As one of the pods that want it has it. Undefined: nobody wants it. */
    readonly volume?: CsiVolume
    readonly attachment?: VolumeAttachment
  }
  readonly held?: {
    readonly nowMs: number
    readonly isReady: boolean
    readonly state: DeviceState
    readonly isOnDisk: boolean
    readonly isRegistered: boolean
    readonly capabilities?: Capabilities
    /** The server knows that we use it. */
    readonly isReported: boolean
    /** Pods that have it, or may. */
    readonly users: number
    /** A pod is being given the volume, or loses it, at this moment. */
    readonly isUserBusy: boolean
    readonly isAttachmentRead: boolean
    readonly patience?: Patience
    /** Where it is published, if anywhere: a volume grows in its place. */
    readonly publishedAt?: string
    readonly expandedToBytes?: bigint
    readonly isExpandRefused: boolean
    /** When claim and volume are to be read again. */
    readonly lookAtMs?: number
  }
}

export type DeviceStep =
  | WaitStep
  | RefuseStep
  | { readonly kind: 'forget' }
  | { readonly kind: 'read-attachment'; readonly name: string }
  | { readonly kind: 'probe' }
  /** The driver stages nothing: it only has to be attached. */
  | { readonly kind: 'accept' }
  | { readonly kind: 'stage' }
  | { readonly kind: 'unstage' }
  | { readonly kind: 'expand'; readonly volumePath: string; readonly requiredBytes: bigint }
  /** Has it grown? */
  | { readonly kind: 'look' }
