import type { Draft, KindDefinition } from '../core/kind-definition.ts'
import type { StateView } from '../core/stored-object.ts'
import type { User } from '../core/user.ts'

/** A write on its way. */
export type AdmissionRequest = {
  readonly operation: 'CREATE' | 'UPDATE' | 'DELETE'
  readonly kind: KindDefinition
  /** Empty for the object itself. */
  readonly subresource: string
  readonly namespace: string
  readonly name: string
  /** What is to be stored; absent for a deletion. A mutating step changes it in place. */
  readonly object: Draft | undefined
  readonly old: Draft | undefined
  readonly user: User
  readonly dryRun: boolean
  readonly view: StateView
  /** Texts for the `Warning` header. */
  readonly warnings: string[]
  /** For names that have to differ. */
  randomName(prefix: string): string
}

/** A step that may change or refuse (by throwing an ApiError) a write. Steps run in order; they do no I/O. */
export type AdmissionPlugin = {
  readonly name: string
  mutate?(request: AdmissionRequest): void
  validate?(request: AdmissionRequest): void
}
