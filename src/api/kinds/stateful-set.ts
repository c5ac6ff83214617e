import type { ObjectMeta } from '../object.ts'
import type { ResourceType } from '../resource-type.ts'
import type { Condition } from './condition.ts'
import type { PersistentVolumeClaim } from './persistent-volume-claim.ts'
import type { PodSpec } from './pod.ts'
import type { IntOrString } from './resources.ts'
import type { LabelSelector } from './selectors.ts'

export type StatefulSet = {
  readonly apiVersion: 'apps/v1'
  readonly kind: 'StatefulSet'
  readonly metadata: ObjectMeta
  readonly spec: StatefulSetSpec
  readonly status?: StatefulSetStatus
}

export const STATEFUL_SETS: ResourceType<StatefulSet> = {
  group: 'apps',
  version: 'v1',
  kind: 'StatefulSet',
  plural: 'statefulsets',
  namespaced: true,
}

export type PodTemplateSpec = { readonly metadata?: ObjectMeta; readonly spec: PodSpec }

/** A claim to be made from: kind and version may be left out. */
export type PersistentVolumeClaimTemplate = Pick<PersistentVolumeClaim, 'metadata' | 'spec' | 'status'> & {
  readonly apiVersion?: string
  readonly kind?: string
}

export type StatefulSetSpec = {
  readonly replicas?: number
  readonly selector: LabelSelector
  readonly template: PodTemplateSpec
  /** Each pod gets one claim of each, named `TEMPLATE-SET-ORDINAL`. */
  readonly volumeClaimTemplates?: readonly PersistentVolumeClaimTemplate[]
  readonly serviceName?: string
  readonly podManagementPolicy?: 'OrderedReady' | 'Parallel'
  readonly updateStrategy?: {
    readonly type?: 'RollingUpdate' | 'OnDelete'
    readonly rollingUpdate?: { readonly partition?: number; readonly maxUnavailable?: IntOrString }
  }
  readonly revisionHistoryLimit?: number
  readonly minReadySeconds?: number
  /** What becomes of the claims; `Retain` both times by default. */
  readonly persistentVolumeClaimRetentionPolicy?: {
    readonly whenDeleted?: 'Retain' | 'Delete'
    readonly whenScaled?: 'Retain' | 'Delete'
  }
  /** The number of the first pod. Default 0. */
  readonly ordinals?: { readonly start: number }
}

export type StatefulSetStatus = {
  readonly observedGeneration?: number
  readonly replicas: number
  readonly readyReplicas?: number
  readonly currentReplicas?: number
  readonly updatedReplicas?: number
  readonly availableReplicas?: number
  readonly currentRevision?: string
  readonly updateRevision?: string
  readonly collisionCount?: number
  readonly conditions?: readonly Condition[]
}
