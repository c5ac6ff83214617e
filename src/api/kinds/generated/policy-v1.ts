// Generated from the Go types of Kubernetes by `npm run generate`. Do not edit.
import type { ObjectMeta } from '../../object.ts'
import type { IntOrString } from '../values.ts'
import type { Condition, DeleteOptions, LabelSelector } from './meta-v1.ts'

/** Evicts a pod if its disruption budget allows it. Posted to the `eviction` subresource, never stored. */
export type Eviction = {
  readonly apiVersion: 'policy/v1'
  readonly kind: 'Eviction'
  readonly metadata: ObjectMeta
  readonly deleteOptions?: DeleteOptions
}

export type PodDisruptionBudget = {
  readonly apiVersion: 'policy/v1'
  readonly kind: 'PodDisruptionBudget'
  readonly metadata: ObjectMeta
  readonly spec?: PodDisruptionBudgetSpec
  readonly status?: PodDisruptionBudgetStatus
}

export type PodDisruptionBudgetSpec = {
  readonly minAvailable?: IntOrString
  readonly selector?: LabelSelector
  readonly maxUnavailable?: IntOrString
  readonly unhealthyPodEvictionPolicy?: 'IfHealthyBudget' | 'AlwaysAllow'
}

export type PodDisruptionBudgetStatus = {
  readonly observedGeneration?: number
  /** When the eviction of each pod was allowed, until the pod is gone. */
  readonly disruptedPods?: Readonly<Record<string, string>>
  readonly disruptionsAllowed: number
  readonly currentHealthy: number
  readonly desiredHealthy: number
  readonly expectedPods: number
  readonly conditions?: readonly Condition[]
}
