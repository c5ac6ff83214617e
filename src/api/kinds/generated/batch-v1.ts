// Generated from the Go types of Kubernetes by `npm run generate`. Do not edit.
import type { ObjectMeta } from '../../object.ts'
import type { ConditionStatus } from '../values.ts'
import type { ObjectReference, PodTemplateSpec } from './core-v1.ts'
import type { LabelSelector } from './meta-v1.ts'

export type CronJob = {
  readonly apiVersion: 'batch/v1'
  readonly kind: 'CronJob'
  readonly metadata: ObjectMeta
  readonly spec: CronJobSpec
  readonly status?: CronJobStatus
}

export type CronJobSpec = {
  readonly schedule: string
  readonly timeZone?: string
  readonly startingDeadlineSeconds?: number
  readonly concurrencyPolicy?: string
  readonly suspend?: boolean
  readonly jobTemplate: JobTemplateSpec
  readonly successfulJobsHistoryLimit?: number
  readonly failedJobsHistoryLimit?: number
}

export type CronJobStatus = {
  readonly active?: readonly ObjectReference[]
  readonly lastScheduleTime?: string
  readonly lastSuccessfulTime?: string
}

export type Job = {
  readonly apiVersion: 'batch/v1'
  readonly kind: 'Job'
  readonly metadata: ObjectMeta
  readonly spec: JobSpec
  readonly status?: JobStatus
}

export type JobCondition = {
  readonly type: string
  readonly status: ConditionStatus
  readonly lastProbeTime?: string | null
  readonly lastTransitionTime?: string | null
  readonly reason?: string
  readonly message?: string
}

export type JobSpec = {
  readonly parallelism?: number
  readonly completions?: number
  readonly activeDeadlineSeconds?: number
  readonly podFailurePolicy?: PodFailurePolicy
  readonly successPolicy?: SuccessPolicy
  readonly backoffLimit?: number
  readonly backoffLimitPerIndex?: number
  readonly maxFailedIndexes?: number
  readonly selector?: LabelSelector
  readonly manualSelector?: boolean
  readonly template: PodTemplateSpec
  readonly ttlSecondsAfterFinished?: number
  readonly completionMode?: 'NonIndexed' | 'Indexed'
  readonly suspend?: boolean
  readonly podReplacementPolicy?: string
  readonly managedBy?: string
}

export type JobStatus = {
  readonly conditions?: readonly JobCondition[]
  readonly startTime?: string
  readonly completionTime?: string
  readonly active?: number
  readonly succeeded?: number
  readonly failed?: number
  readonly terminating?: number
  readonly completedIndexes?: string
  readonly failedIndexes?: string
  readonly uncountedTerminatedPods?: UncountedTerminatedPods
  readonly ready?: number
}

export type JobTemplateSpec = {
  readonly metadata?: ObjectMeta
  readonly spec?: JobSpec
}

export type PodFailurePolicy = {
  readonly rules: readonly PodFailurePolicyRule[]
}

export type PodFailurePolicyOnExitCodesRequirement = {
  readonly containerName?: string
  readonly operator: string
  readonly values: readonly number[]
}

export type PodFailurePolicyOnPodConditionsPattern = {
  readonly type: string
  readonly status?: string
}

export type PodFailurePolicyRule = {
  readonly action: string
  readonly onExitCodes?: PodFailurePolicyOnExitCodesRequirement
  readonly onPodConditions?: readonly PodFailurePolicyOnPodConditionsPattern[]
}

export type SuccessPolicy = {
  readonly rules: readonly SuccessPolicyRule[]
}

export type SuccessPolicyRule = {
  readonly succeededIndexes?: string
  readonly succeededCount?: number
}

export type UncountedTerminatedPods = {
  readonly succeeded?: readonly string[]
  readonly failed?: readonly string[]
}
