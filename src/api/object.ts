/** Any object of the Kubernetes API. The types of specific kinds are in `kinds/`. */
export type KubeObject = {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: ObjectMeta
}

export type ObjectMeta = {
  readonly name?: string
  readonly generateName?: string
  readonly namespace?: string
  readonly uid?: string
  readonly resourceVersion?: string
  readonly generation?: number
  /** RFC 3339, whole seconds. */
  readonly creationTimestamp?: string
  /** Set by the server once deletion is requested; the object is removed when it has no finalizers left. */
  readonly deletionTimestamp?: string
  readonly deletionGracePeriodSeconds?: number
  readonly labels?: Readonly<Record<string, string>>
  readonly annotations?: Readonly<Record<string, string>>
  readonly finalizers?: readonly string[]
  readonly ownerReferences?: readonly OwnerReference[]
  readonly managedFields?: readonly unknown[]
}

export type OwnerReference = {
  readonly apiVersion: string
  readonly kind: string
  readonly name: string
  readonly uid: string
  readonly controller?: boolean
  readonly blockOwnerDeletion?: boolean
}

/** Identifies an object; without a namespace for cluster-scoped kinds. */
export type ObjectRef = { readonly namespace?: string; readonly name: string }

/** A list as the server returns it. */
export type ObjectList<T> = {
  readonly items: readonly T[]
  /** The version that the list shows; a watch can continue from here. */
  readonly resourceVersion: string
  /** Set if there are more items: requests the next page. */
  readonly continueToken?: string
  readonly remainingItemCount?: number
}

/** The server's response if it is not an object: mostly errors. */
export type Status = {
  readonly kind: 'Status'
  readonly apiVersion: 'v1'
  readonly metadata: { readonly resourceVersion?: string; readonly continue?: string }
  readonly status: 'Success' | 'Failure'
  readonly message?: string
  readonly reason?: string
  readonly details?: StatusDetails
  readonly code?: number
}

export type StatusDetails = {
  readonly name?: string
  readonly group?: string
  /** The plural name of the resource; the kind for reason Invalid. */
  readonly kind?: string
  readonly uid?: string
  readonly causes?: readonly StatusCause[]
  readonly retryAfterSeconds?: number
}

export type StatusCause = { readonly reason?: string; readonly message?: string; readonly field?: string }
