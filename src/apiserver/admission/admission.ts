import type { DecodedKind } from '../core/decode-object.ts'
import type { Draft, KindDefinition } from '../core/kind-definition.ts'
import type { StateView } from '../core/stored-object.ts'
import type { User } from '../core/user.ts'

/** A write during admission. */
export type AdmissionRequest = {
  readonly operation: 'CREATE' | 'UPDATE' | 'DELETE'
  readonly kind: KindDefinition
  /** Empty for the object itself. */
  readonly subresource: string
  /** The kind of `object` and `old` if the subresource has a kind of its own, such as Scale. */
  readonly shownKind?: DecodedKind
  readonly namespace: string
  readonly name: string
  /** The object to store; absent for a deletion. A mutating plugin changes it in place. */
  readonly object: Draft | undefined
  readonly old: Draft | undefined
  readonly user: User
  readonly dryRun: boolean
  readonly view: StateView
  /** Texts for the `Warning` header. */
  readonly warnings: string[]
  /** For names that must be unique. */
  randomName(prefix: string): string
}

/** Changes a write, or rejects it by throwing an ApiError. Plugins run in order and do no I/O. */
export type AdmissionPlugin = {
  readonly name: string
  mutate?(request: AdmissionRequest): void
  validate?(request: AdmissionRequest): void
}
