import type { ObjectMeta } from '../object.ts'
import type { ResourceType } from '../resource-type.ts'
import type { ObservedCondition } from './condition.ts'
import type { PersistentVolumeClaimSpec } from './persistent-volume-claim.ts'
import type { LocalObjectReference } from './references.ts'
import type { Quantity, ResourceRequirements } from './resources.ts'
import type { LabelSelector, NodeSelector, NodeSelectorTerm } from './selectors.ts'

export type Pod = {
  readonly apiVersion: 'v1'
  readonly kind: 'Pod'
  readonly metadata: ObjectMeta
  readonly spec: PodSpec
  readonly status?: PodStatus
}

export const PODS: ResourceType<Pod> = { group: '', version: 'v1', kind: 'Pod', plural: 'pods', namespaced: true }

/** On a pod that its node has copied from a file: it comes from the node itself, so it must not open anything to it. */
export const MIRROR_POD_ANNOTATION = 'kubernetes.io/config.mirror'

export type PodSpec = {
  readonly volumes?: readonly Volume[]
  readonly initContainers?: readonly Container[]
  readonly containers: readonly Container[]
  readonly ephemeralContainers?: readonly Container[]
  readonly restartPolicy?: 'Always' | 'OnFailure' | 'Never'
  readonly terminationGracePeriodSeconds?: number
  readonly activeDeadlineSeconds?: number
  /** Set once, by the scheduler or by whoever made the pod. */
  readonly nodeName?: string
  readonly nodeSelector?: Readonly<Record<string, string>>
  readonly affinity?: Affinity
  readonly tolerations?: readonly Toleration[]
  readonly schedulerName?: string
  /** As long as one is left, the scheduler does not look at the pod. */
  readonly schedulingGates?: readonly { readonly name: string }[]
  readonly priorityClassName?: string
  readonly priority?: number
  readonly serviceAccountName?: string
  /** The old name of `serviceAccountName`, which the server keeps equal. */
  readonly serviceAccount?: string
  readonly automountServiceAccountToken?: boolean
  readonly imagePullSecrets?: readonly LocalObjectReference[]
  readonly securityContext?: PodSecurityContext
  readonly hostNetwork?: boolean
  readonly hostname?: string
  readonly subdomain?: string
  readonly dnsPolicy?: string
  readonly enableServiceLinks?: boolean
}

export type PodSecurityContext = {
  readonly runAsUser?: number
  readonly runAsGroup?: number
  readonly runAsNonRoot?: boolean
  readonly supplementalGroups?: readonly number[]
  /** The group that may write to the pod's volumes. */
  readonly fsGroup?: number
  /** Default `Always`; `OnRootMismatch` leaves a volume alone whose root already fits. */
  readonly fsGroupChangePolicy?: 'OnRootMismatch' | 'Always'
  readonly seLinuxOptions?: SELinuxOptions
  readonly seLinuxChangePolicy?: 'Recursive' | 'MountOption'
}

export type SELinuxOptions = {
  readonly user?: string
  readonly role?: string
  readonly type?: string
  readonly level?: string
}

export type Container = {
  readonly name: string
  readonly image?: string
  readonly command?: readonly string[]
  readonly args?: readonly string[]
  readonly workingDir?: string
  readonly env?: readonly { readonly name: string; readonly value?: string }[]
  readonly ports?: readonly ContainerPort[]
  readonly resources?: ResourceRequirements
  readonly volumeMounts?: readonly VolumeMount[]
  readonly volumeDevices?: readonly VolumeDevice[]
  /** `Always` on an init container makes it run beside the others. */
  readonly restartPolicy?: string
  readonly imagePullPolicy?: 'Always' | 'Never' | 'IfNotPresent'
  readonly terminationMessagePath?: string
  readonly terminationMessagePolicy?: string
  readonly securityContext?: ContainerSecurityContext
}

export type ContainerPort = {
  readonly name?: string
  readonly containerPort: number
  readonly hostPort?: number
  readonly protocol?: string
}

export type ContainerSecurityContext = {
  readonly privileged?: boolean
  readonly runAsUser?: number
  readonly readOnlyRootFilesystem?: boolean
  readonly seLinuxOptions?: SELinuxOptions
}

/** A volume as a file system inside a container. */
export type VolumeMount = {
  readonly name: string
  readonly mountPath: string
  readonly readOnly?: boolean
  readonly recursiveReadOnly?: 'Disabled' | 'IfPossible' | 'Enabled'
  readonly subPath?: string
  readonly subPathExpr?: string
  readonly mountPropagation?: 'None' | 'HostToContainer' | 'Bidirectional'
}

/** A volume as a block device inside a container. */
export type VolumeDevice = { readonly name: string; readonly devicePath: string }

/** Has exactly one source; the server makes it an `emptyDir` when there is none. */
export type Volume = {
  readonly name: string
  readonly persistentVolumeClaim?: { readonly claimName: string; readonly readOnly?: boolean }
  readonly ephemeral?: EphemeralVolumeSource
  readonly csi?: CSIVolumeSource
  readonly secret?: SecretVolumeSource
  readonly configMap?: ConfigMapVolumeSource
  readonly projected?: ProjectedVolumeSource
  readonly downwardAPI?: DownwardAPIVolumeSource
  readonly emptyDir?: { readonly medium?: string; readonly sizeLimit?: Quantity }
  readonly hostPath?: { readonly path: string; readonly type?: string }
}

/** A claim of the pod's own, named `POD-VOLUME`, which goes with the pod. */
export type EphemeralVolumeSource = {
  readonly volumeClaimTemplate?: { readonly metadata?: ObjectMeta; readonly spec: PersistentVolumeClaimSpec }
}

/** A volume that the driver makes when the pod comes and drops when it goes; with a handle, one that was there before. */
export type CSIVolumeSource = {
  readonly driver: string
  readonly readOnly?: boolean
  readonly fsType?: string
  readonly volumeAttributes?: Readonly<Record<string, string>>
  readonly nodePublishSecretRef?: LocalObjectReference
  /** This and the next two are members on our own server only; elsewhere reserved attributes stand for them. */
  readonly volumeHandle?: string
  readonly controllerPublishSecretRef?: LocalObjectReference
  readonly nodeStageSecretRef?: LocalObjectReference
}

export type KeyToPath = { readonly key: string; readonly path: string; readonly mode?: number }

export type SecretVolumeSource = {
  readonly secretName?: string
  readonly items?: readonly KeyToPath[]
  readonly defaultMode?: number
  readonly optional?: boolean
}

export type ConfigMapVolumeSource = {
  readonly name?: string
  readonly items?: readonly KeyToPath[]
  readonly defaultMode?: number
  readonly optional?: boolean
}

export type DownwardAPIVolumeSource = {
  readonly items?: readonly DownwardAPIVolumeFile[]
  readonly defaultMode?: number
}

export type DownwardAPIVolumeFile = {
  readonly path: string
  readonly fieldRef?: { readonly apiVersion?: string; readonly fieldPath: string }
  readonly mode?: number
}

export type ProjectedVolumeSource = {
  readonly sources: readonly VolumeProjection[] | null
  readonly defaultMode?: number
}

export type VolumeProjection = {
  readonly secret?: { readonly name?: string; readonly items?: readonly KeyToPath[]; readonly optional?: boolean }
  readonly configMap?: { readonly name?: string; readonly items?: readonly KeyToPath[]; readonly optional?: boolean }
  readonly downwardAPI?: { readonly items?: readonly DownwardAPIVolumeFile[] }
  readonly serviceAccountToken?: {
    readonly audience?: string
    readonly expirationSeconds?: number
    readonly path: string
  }
}

export type Affinity = {
  readonly nodeAffinity?: NodeAffinity
  readonly podAffinity?: PodAffinity
  readonly podAntiAffinity?: PodAffinity
}

export type NodeAffinity = {
  readonly requiredDuringSchedulingIgnoredDuringExecution?: NodeSelector
  readonly preferredDuringSchedulingIgnoredDuringExecution?: readonly {
    readonly weight: number
    readonly preference: NodeSelectorTerm
  }[]
}

export type PodAffinity = {
  readonly requiredDuringSchedulingIgnoredDuringExecution?: readonly PodAffinityTerm[]
  readonly preferredDuringSchedulingIgnoredDuringExecution?: readonly {
    readonly weight: number
    readonly podAffinityTerm: PodAffinityTerm
  }[]
}

export type PodAffinityTerm = {
  readonly topologyKey: string
  readonly labelSelector?: LabelSelector
  readonly namespaces?: readonly string[]
  readonly namespaceSelector?: LabelSelector
}

/** Without a key, and with `Exists`, it stands every taint. */
export type Toleration = {
  readonly key?: string
  readonly operator?: 'Exists' | 'Equal' | 'Lt' | 'Gt'
  readonly value?: string
  readonly effect?: 'NoSchedule' | 'PreferNoSchedule' | 'NoExecute'
  readonly tolerationSeconds?: number
}

export type PodStatus = {
  readonly phase?: PodPhase
  readonly conditions?: readonly PodCondition[]
  readonly message?: string
  readonly reason?: string
  readonly nominatedNodeName?: string
  readonly hostIP?: string
  readonly hostIPs?: readonly { readonly ip: string }[]
  readonly podIP?: string
  readonly podIPs?: readonly { readonly ip: string }[]
  readonly startTime?: string
  readonly initContainerStatuses?: readonly ContainerStatus[]
  readonly containerStatuses?: readonly ContainerStatus[]
  readonly ephemeralContainerStatuses?: readonly ContainerStatus[]
  readonly qosClass?: 'Guaranteed' | 'Burstable' | 'BestEffort'
  readonly observedGeneration?: number
}

export type PodPhase = 'Pending' | 'Running' | 'Succeeded' | 'Failed' | 'Unknown'

export type PodCondition = ObservedCondition & { readonly lastProbeTime?: string | null }

export type ContainerStatus = {
  readonly name: string
  readonly state?: ContainerState
  readonly lastState?: ContainerState
  readonly ready: boolean
  readonly started?: boolean
  readonly restartCount: number
  readonly image: string
  readonly imageID: string
  readonly containerID?: string
}

export type ContainerState = {
  readonly waiting?: { readonly reason?: string; readonly message?: string }
  readonly running?: { readonly startedAt?: string | null }
  readonly terminated?: {
    readonly exitCode: number
    readonly signal?: number
    readonly reason?: string
    readonly message?: string
    readonly startedAt?: string | null
    readonly finishedAt?: string | null
  }
}
