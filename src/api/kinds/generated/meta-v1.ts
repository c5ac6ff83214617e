// Generated from the Go types of Kubernetes by `npm run generate`. Do not edit.
import type { ConditionStatus } from '../values.ts'

export type Condition = {
  readonly type: string
  readonly status: ConditionStatus
  readonly observedGeneration?: number
  readonly lastTransitionTime: string | null
  readonly reason: string
  readonly message: string
}

export type DeleteOptions = {
  readonly kind?: string
  readonly apiVersion?: string
  readonly gracePeriodSeconds?: number
  readonly preconditions?: Preconditions
  readonly orphanDependents?: boolean
  readonly propagationPolicy?: string
  readonly dryRun?: readonly string[]
  readonly ignoreStoreReadErrorWithClusterBreakingPotential?: boolean
}

export type FieldSelectorRequirement = {
  readonly key: string
  readonly operator: string
  readonly values?: readonly string[]
}

/** All parts must match. An empty selector matches everything, an absent one nothing. */
export type LabelSelector = {
  readonly matchLabels?: Readonly<Record<string, string>>
  readonly matchExpressions?: readonly LabelSelectorRequirement[]
}

export type LabelSelectorRequirement = {
  readonly key: string
  readonly operator: 'In' | 'NotIn' | 'Exists' | 'DoesNotExist'
  readonly values?: readonly string[]
}

export type Preconditions = {
  readonly uid?: string
  readonly resourceVersion?: string
}
