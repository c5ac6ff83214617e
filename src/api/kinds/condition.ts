/** What the conditions of all kinds have; some add their own. */
export type Condition = {
  readonly type: string
  readonly status: ConditionStatus
  readonly reason?: string
  readonly message?: string
  /** When `status` last became what it is. */
  readonly lastTransitionTime?: string | null
}

/** A condition that also says which state of the object it is about. */
export type ObservedCondition = Condition & { readonly observedGeneration?: number }

export type ConditionStatus = 'True' | 'False' | 'Unknown'
