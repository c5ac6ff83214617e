import type { ConditionStatus } from './values.ts'

export type { ConditionStatus } from './values.ts'

/** What the conditions of all kinds have in common. */
export type Condition = {
  readonly type: string
  readonly status: ConditionStatus
  readonly reason?: string
  readonly message?: string
  /** When `status` last changed. */
  readonly lastTransitionTime?: string | null
}

/** A condition that also says which generation of the object it was set for. */
export type ObservedCondition = Condition & { readonly observedGeneration?: number }
