import type { ResourceType } from '../../api/resource-type.ts'
import type { FieldProblem } from '../schema/field-problem.ts'
import type { Schema } from '../schema/schema.ts'

/** A JSON object that a request is working on. It is frozen when it is stored. */
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

/** Everything that the server knows about a kind. Built-in kinds are tables in `kinds/`; custom kinds are created from their CRD. */
export type KindDefinition = {
  readonly type: ResourceType
  readonly listKind: string
  readonly singular: string
  readonly shortNames: readonly string[]
  readonly categories: readonly string[]
  /** Where the objects are stored, shared by all versions of a kind. For example `storage.k8s.io/volumeattachments`. */
  readonly storage: string
  readonly schema: Schema
  /** The `apiVersion` of stored objects, if it is not that of this version. */
  readonly storedApiVersion?: string
  /** The offered verbs; kinds that are answered and not stored only have `create`. */
  readonly verbs: readonly Verb[]
  /** The numbers of a kind with the subresource `scale`, as paths from the root. Default: spec.replicas, status.replicas. */
  readonly scalePaths?: {
    readonly specReplicas: readonly string[]
    readonly statusReplicas: readonly string[]
    readonly selector?: readonly string[]
  }
  readonly subresources: Readonly<Record<string, Subresource>>
  readonly name: 'subdomain' | 'label' | 'path-segment' | 'any'
  /** Whether a PUT without a resource version is accepted. */
  readonly unconditionalUpdate: boolean
  /** Whether a PUT of a missing object creates it. */
  readonly createOnUpdate: boolean
  /** Which changes increment `metadata.generation`. It starts with 1, or with `spec-updates` at the first change. */
  readonly generation: 'none' | 'spec' | 'spec-updates' | 'all-but-status'
  readonly deleteAnswer: 'object' | 'status'
  /** Whether a write to the main resource ignores `status`. */
  readonly hasStatus: boolean
  /** Whether a write to `/status` ignores `metadata`. */
  readonly statusKeepsMetadata: boolean
  /** Selectable fields besides metadata.name and metadata.namespace, with functions to read them. */
  readonly fieldLabels: Readonly<Record<string, (object: Draft) => string>>
  readonly columns: readonly Column[]
  /** Whether objects may have any number of fields and list items, because only administrators write them. Default false. */
  readonly hasManyValues?: boolean

  /** Sets defaults, before anything else reads the object. */
  applyDefaults?(object: Draft): void
  /** Resets fields that a client must not set, just before a new object is validated. */
  prepareForCreate?(object: Draft, nowMs: number): void
  /** The same for an update, with the previous object. */
  prepareForUpdate?(object: Draft, old: Draft, nowMs: number): void
  prepareForStatusUpdate?(object: Draft, old: Draft, nowMs: number): void
  /** Called for creations and updates; `old` is the previous object of an update. */
  validate?(object: Draft, old?: Draft): FieldProblem[]
  validateUpdate?(object: Draft, old: Draft): FieldProblem[]
  validateStatusUpdate?(object: Draft, old: Draft): FieldProblem[]
  /** Texts for the `Warning` header. `old` is the previous object of an update. */
  warnings?(object: Draft, old?: Draft): string[]
  /** How long the object stays after its deletion was requested; 0 if the kind has no grace period. */
  gracePeriodSeconds?(object: Draft, asked: number | undefined): number
  /** Called when deletion is first requested: sets a phase, adds a finalizer. */
  prepareForDelete?(object: Draft): void
  /** Whether something besides `metadata.finalizers` keeps a deleted object. */
  isHeld?(object: Draft): boolean
  /** Convert to and from the stored form, for versions whose fields differ, or which show more than was stored. */
  toStored?(object: Draft): Draft
  fromStored?(object: Draft): Draft
}

export type Verb = 'get' | 'list' | 'watch' | 'create' | 'update' | 'patch' | 'delete' | 'deletecollection'

/** A path below an object. The core serves `status` and `scale`; other subresources have their own handler. */
export type Subresource = {
  /** If the body has another kind: Scale, TokenRequest, Eviction, Binding. */
  readonly kind?: { readonly group: string; readonly version: string; readonly kind: string }
  readonly verbs: readonly Verb[]
}
