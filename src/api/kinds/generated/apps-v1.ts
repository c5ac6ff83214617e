// Generated from the Go types of Kubernetes by `npm run generate`. Do not edit.
import type { ObjectMeta } from '../../object.ts'
import type { ConditionStatus, IntOrString } from '../values.ts'
import type { PersistentVolumeClaim, PodTemplateSpec } from './core-v1.ts'
import type { LabelSelector } from './meta-v1.ts'

export type ControllerRevision = {
  readonly apiVersion: 'apps/v1'
  readonly kind: 'ControllerRevision'
  readonly metadata: ObjectMeta
  readonly data?: unknown
  readonly revision: number
}

export type DaemonSet = {
  readonly apiVersion: 'apps/v1'
  readonly kind: 'DaemonSet'
  readonly metadata: ObjectMeta
  readonly spec: DaemonSetSpec
  readonly status?: DaemonSetStatus
}

export type DaemonSetCondition = {
  readonly type: string
  readonly status: ConditionStatus
  readonly lastTransitionTime?: string | null
  readonly reason?: string
  readonly message?: string
}

export type DaemonSetSpec = {
  readonly selector: LabelSelector
  readonly template: PodTemplateSpec
  readonly updateStrategy?: DaemonSetUpdateStrategy
  readonly minReadySeconds?: number
  readonly revisionHistoryLimit?: number
}

export type DaemonSetStatus = {
  readonly currentNumberScheduled: number
  readonly numberMisscheduled: number
  readonly desiredNumberScheduled: number
  readonly numberReady: number
  readonly observedGeneration?: number
  readonly updatedNumberScheduled?: number
  readonly numberAvailable?: number
  readonly numberUnavailable?: number
  readonly collisionCount?: number
  readonly conditions?: readonly DaemonSetCondition[]
}

export type DaemonSetUpdateStrategy = {
  readonly type?: 'RollingUpdate' | 'OnDelete'
  readonly rollingUpdate?: RollingUpdateDaemonSet
}

export type Deployment = {
  readonly apiVersion: 'apps/v1'
  readonly kind: 'Deployment'
  readonly metadata: ObjectMeta
  readonly spec: DeploymentSpec
  readonly status?: DeploymentStatus
}

export type DeploymentCondition = {
  readonly type: string
  readonly status: ConditionStatus
  readonly lastUpdateTime?: string | null
  readonly lastTransitionTime?: string | null
  readonly reason?: string
  readonly message?: string
}

export type DeploymentSpec = {
  readonly replicas?: number
  readonly selector: LabelSelector
  readonly template: PodTemplateSpec
  readonly strategy?: DeploymentStrategy
  readonly minReadySeconds?: number
  readonly revisionHistoryLimit?: number
  readonly paused?: boolean
  readonly progressDeadlineSeconds?: number
}

export type DeploymentStatus = {
  readonly observedGeneration?: number
  readonly replicas?: number
  readonly updatedReplicas?: number
  readonly readyReplicas?: number
  readonly availableReplicas?: number
  readonly unavailableReplicas?: number
  readonly terminatingReplicas?: number
  readonly conditions?: readonly DeploymentCondition[]
  readonly collisionCount?: number
}

export type DeploymentStrategy = {
  readonly type?: 'Recreate' | 'RollingUpdate'
  readonly rollingUpdate?: RollingUpdateDeployment
}

export type ReplicaSet = {
  readonly apiVersion: 'apps/v1'
  readonly kind: 'ReplicaSet'
  readonly metadata: ObjectMeta
  readonly spec: ReplicaSetSpec
  readonly status?: ReplicaSetStatus
}

export type ReplicaSetCondition = {
  readonly type: string
  readonly status: ConditionStatus
  readonly lastTransitionTime?: string | null
  readonly reason?: string
  readonly message?: string
}

export type ReplicaSetSpec = {
  readonly replicas?: number
  readonly minReadySeconds?: number
  readonly selector: LabelSelector
  readonly template: PodTemplateSpec
}

export type ReplicaSetStatus = {
  readonly replicas: number
  readonly fullyLabeledReplicas?: number
  readonly readyReplicas?: number
  readonly availableReplicas?: number
  readonly terminatingReplicas?: number
  readonly observedGeneration?: number
  readonly conditions?: readonly ReplicaSetCondition[]
}

export type RollingUpdateDaemonSet = {
  readonly maxUnavailable?: IntOrString
  readonly maxSurge?: IntOrString
}

export type RollingUpdateDeployment = {
  readonly maxUnavailable?: IntOrString
  readonly maxSurge?: IntOrString
}

export type RollingUpdateStatefulSetStrategy = {
  readonly partition?: number
  readonly maxUnavailable?: IntOrString
}

export type StatefulSet = {
  readonly apiVersion: 'apps/v1'
  readonly kind: 'StatefulSet'
  readonly metadata: ObjectMeta
  readonly spec: StatefulSetSpec
  readonly status?: StatefulSetStatus
}

export type StatefulSetCondition = {
  readonly type: string
  readonly status: ConditionStatus
  readonly lastTransitionTime?: string | null
  readonly reason?: string
  readonly message?: string
}

export type StatefulSetOrdinals = {
  readonly start?: number
}

export type StatefulSetPersistentVolumeClaimRetentionPolicy = {
  readonly whenDeleted?: 'Retain' | 'Delete'
  readonly whenScaled?: 'Retain' | 'Delete'
}

export type StatefulSetSpec = {
  readonly replicas?: number
  readonly selector: LabelSelector
  readonly template: PodTemplateSpec
  /** Each pod gets one claim of each, named `TEMPLATE-SET-ORDINAL`. */
  readonly volumeClaimTemplates?: readonly (Omit<PersistentVolumeClaim, 'apiVersion' | 'kind'> & { readonly apiVersion?: string; readonly kind?: string })[]
  readonly serviceName?: string
  readonly podManagementPolicy?: 'OrderedReady' | 'Parallel'
  readonly updateStrategy?: StatefulSetUpdateStrategy
  readonly revisionHistoryLimit?: number
  readonly minReadySeconds?: number
  /** What happens to the claims. Default: `Retain` in both cases. */
  readonly persistentVolumeClaimRetentionPolicy?: StatefulSetPersistentVolumeClaimRetentionPolicy
  /** The number of the first pod. Default 0. */
  readonly ordinals?: StatefulSetOrdinals
}

export type StatefulSetStatus = {
  readonly observedGeneration?: number
  readonly replicas: number
  readonly readyReplicas?: number
  readonly currentReplicas?: number
  readonly updatedReplicas?: number
  readonly currentRevision?: string
  readonly updateRevision?: string
  readonly collisionCount?: number
  readonly conditions?: readonly StatefulSetCondition[]
  readonly availableReplicas?: number
}

export type StatefulSetUpdateStrategy = {
  readonly type?: 'RollingUpdate' | 'OnDelete'
  readonly rollingUpdate?: RollingUpdateStatefulSetStrategy
}
