import type { ConditionStatus } from './values.ts'

export type { ConditionStatus } from './values.ts'

/** The common fields of conditions of all kinds. */
export type Condition = {
  readonly type: string
  readonly status: ConditionStatus
  readonly reason?: string
  readonly message?: string
  /** When `status` last changed. */
  readonly lastTransitionTime?: string | null
}

/** A condition with the generation of the object for which it was set. */
export type ObservedCondition = Condition & { readonly observedGeneration?: number }
