/** An object of the same namespace, of a kind that the field itself implies. */
export type LocalObjectReference = { readonly name: string }

/** A secret anywhere: cluster-scoped objects name the namespace too. */
export type SecretReference = { readonly name?: string; readonly namespace?: string }

/** Any object. As an event's subject all of it is filled in; elsewhere only what is needed to find the object. */
export type ObjectReference = {
  readonly apiVersion?: string
  readonly kind?: string
  readonly namespace?: string
  readonly name?: string
  readonly uid?: string
  readonly resourceVersion?: string
  readonly fieldPath?: string
}

/** An object of the same namespace; without `apiGroup` the core group is meant: servers write null then. */
export type TypedLocalObjectReference = {
  readonly apiGroup?: string | null
  readonly kind: string
  readonly name: string
}

/** An object of any namespace; without `namespace` that of the object which holds the reference. */
export type TypedObjectReference = TypedLocalObjectReference & { readonly namespace?: string }
