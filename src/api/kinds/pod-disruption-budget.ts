import type { ResourceType } from '../resource-type.ts'
import type { PodDisruptionBudget } from './generated/policy-v1.ts'

export type { PodDisruptionBudget, PodDisruptionBudgetSpec, PodDisruptionBudgetStatus } from './generated/policy-v1.ts'

export const POD_DISRUPTION_BUDGETS: ResourceType<PodDisruptionBudget> = {
  group: 'policy',
  version: 'v1',
  kind: 'PodDisruptionBudget',
  plural: 'poddisruptionbudgets',
  namespaced: true,
}
