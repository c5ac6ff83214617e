import type { ResourceType } from '../../api/resource-type.ts'
import type { FieldProblem } from '../schema/field-problem.ts'
import type { Schema } from '../schema/schema.ts'

/** A JSON object that a request is working on. It becomes frozen when it is stored. */
export type Draft = { [key: string]: unknown }

export type { FieldProblem, FieldProblemType } from '../schema/field-problem.ts'

/** A column of `kubectl get`. */
export type Column = {
  readonly name: string
  readonly type: 'string' | 'integer' | 'boolean' | 'date' | 'number'
  /** 0 is always shown, 1 with `-o wide`. Default 0. */
  readonly priority?: number
  readonly format?: string
  cell(object: Draft, nowMs: number): unknown
}

/** Everything that the server knows of a kind. Built-in kinds are tables in `kinds/`; custom ones are made from their CRD. */
export type KindDefinition = {
  readonly type: ResourceType
  readonly listKind: string
  readonly singular: string
  readonly shortNames: readonly string[]
  readonly categories: readonly string[]
  /** Versions of one kind share it: where the objects are kept. For example `storage.k8s.io/volumeattachments`. */
  readonly storage: string
  readonly schema: Schema
  /** The `apiVersion` that objects have in the store, when it is not this kind's own: versions of one kind share objects. */
  readonly storedApiVersion?: string
  /** Verbs offered; kinds that are answered and not stored have `create` only. */
  readonly verbs: readonly Verb[]
  /** Where a kind with the sub-resource `scale` keeps its numbers, as members from the root. Default: spec.replicas, status.replicas. */
  readonly scalePaths?: {
    readonly specReplicas: readonly string[]
    readonly statusReplicas: readonly string[]
    readonly selector?: readonly string[]
  }
  readonly subresources: Readonly<Record<string, Subresource>>
  readonly name: 'subdomain' | 'label' | 'path-segment' | 'any'
  /** A PUT without a resource version is taken. */
  readonly unconditionalUpdate: boolean
  /** A PUT of a name that does not exist creates it. */
  readonly createOnUpdate: boolean
  /** What makes `metadata.generation` grow. */
  readonly generation: 'none' | 'spec' | 'all-but-status'
  readonly deleteAnswer: 'object' | 'status'
  /** Does a write to the main resource leave `status` alone? */
  readonly hasStatus: boolean
  /** Does a write to `/status` leave `metadata` alone? */
  readonly statusKeepsMetadata: boolean
  /** Fields that can be selected by, besides metadata.name and metadata.namespace, with how to read them. */
  readonly fieldLabels: Readonly<Record<string, (object: Draft) => string>>
  readonly columns: readonly Column[]
  /** Objects may have any number of fields and list items: they are written by administrators. Default false. */
  readonly hasManyValues?: boolean

  /** Fills in what was left out, before anything looks at the object. */
  applyDefaults?(object: Draft): void
  /** Last touch before a new object is checked: what a client must not set is reset. */
  prepareForCreate?(object: Draft, nowMs: number): void
  /** The same for an update, with what was there before. */
  prepareForUpdate?(object: Draft, old: Draft, nowMs: number): void
  prepareForStatusUpdate?(object: Draft, old: Draft, nowMs: number): void
  /** Asked for creations and updates; `old` is what was there before an update. */
  validate?(object: Draft, old?: Draft): FieldProblem[]
  validateUpdate?(object: Draft, old: Draft): FieldProblem[]
  validateStatusUpdate?(object: Draft, old: Draft): FieldProblem[]
  /** Texts for the `Warning` header. */
  warnings?(object: Draft): string[]
  /** How long the object stays after it was asked to go; 0 when the kind knows no such thing. */
  gracePeriodSeconds?(object: Draft, asked: number | undefined): number
  /** When deletion is first requested: a phase to set, a finalizer to add. */
  prepareForDelete?(object: Draft): void
  /** Is there something besides `metadata.finalizers` that keeps a deleted object? */
  isHeld?(object: Draft): boolean
  /** To and from the form in the store, for versions whose fields differ, or which show more than was stored. */
  toStored?(object: Draft): Draft
  fromStored?(object: Draft): Draft
}

export type Verb = 'get' | 'list' | 'watch' | 'create' | 'update' | 'patch' | 'delete' | 'deletecollection'

/** A path below an object. `status` and `scale` are served by the core; the others by a handler of their own. */
export type Subresource = {
  /** When the body is of another kind: Scale, TokenRequest, Eviction, Binding. */
  readonly kind?: { readonly group: string; readonly version: string; readonly kind: string }
  readonly verbs: readonly Verb[]
}
