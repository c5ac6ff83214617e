import type { ObjectMeta } from '../object.ts'
import type { ResourceType } from '../resource-type.ts'
import type { ObservedCondition } from './condition.ts'
import type { IntOrString } from './resources.ts'
import type { LabelSelector } from './selectors.ts'

export type PodDisruptionBudget = {
  readonly apiVersion: 'policy/v1'
  readonly kind: 'PodDisruptionBudget'
  readonly metadata: ObjectMeta
  readonly spec?: PodDisruptionBudgetSpec
  readonly status?: PodDisruptionBudgetStatus
}

export const POD_DISRUPTION_BUDGETS: ResourceType<PodDisruptionBudget> = {
  group: 'policy',
  version: 'v1',
  kind: 'PodDisruptionBudget',
  plural: 'poddisruptionbudgets',
  namespaced: true,
}

export type PodDisruptionBudgetSpec = {
  readonly minAvailable?: IntOrString
  readonly maxUnavailable?: IntOrString
  readonly selector?: LabelSelector
  readonly unhealthyPodEvictionPolicy?: 'IfHealthyBudget' | 'AlwaysAllow'
}

export type PodDisruptionBudgetStatus = {
  readonly observedGeneration?: number
  /** When each pod's eviction was let through, until the pod is gone. */
  readonly disruptedPods?: Readonly<Record<string, string>>
  readonly disruptionsAllowed: number
  readonly currentHealthy: number
  readonly desiredHealthy: number
  readonly expectedPods: number
  readonly conditions?: readonly ObservedCondition[]
}
