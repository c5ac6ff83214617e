import type { CelProgram } from './cel/compile-cel.ts'
import type { GoRegExp } from './regexp/go-regexp.ts'

/**
 * What is known of the values of one kind of object, or of a part of one. Built-in kinds have theirs from the generated table
 * (`find-schema.ts`), custom resources from the definition that a user gave (`schema-from-crd.ts`); one set of functions serves both.
 */
export type Schema = ObjectSchema | MapSchema | ListSchema | ScalarSchema | AnySchema | SchemaOrSchema

type Common = {
  readonly description?: string
  /** Only for custom resources: null is a value, not a missing one. */
  readonly nullable?: true
  /** Only for custom resources: what an absent value becomes. */
  readonly default?: unknown
  /** Only for custom resources: what a value has to fulfil beyond its type. */
  readonly checks?: Checks
  /** Only for custom resources: expressions that have to hold. */
  readonly rules?: readonly Rule[]
  /** Only for custom resources: this or a part of it has rules. */
  readonly ruled?: true
}

export type ObjectSchema = Common & {
  readonly type: 'object'
  /** The OpenAPI name of a built-in struct: `io.k8s.api.core.v1.PodSpec`. Structs read and write JSON as Go does. */
  readonly name?: string
  readonly properties: ReadonlyMap<string, Property>
  /** Those of a struct that are written also when the input has none, in order. */
  readonly always: readonly Property[]
  /** By protobuf number; a struct whose fields stand among ours in JSON is nested in protobuf. */
  readonly numbered: ReadonlyMap<number, Property | { readonly inlined: ObjectSchema }>
  /** Members that are no properties are kept. */
  readonly preserveUnknown?: true
  /** Replaced as a whole, also where objects are merged. */
  readonly atomic?: true
  /** A whole object with apiVersion, kind and metadata, at the root or inside another. */
  readonly embedded?: true
  /** Of an embedded object: what its own schema says of metadata.name and metadata.generateName. */
  readonly metadataChecks?: Schema
  /** Only properties are known, not that it has to be an object. */
  readonly untyped?: true
}

export type MapSchema = Common & { readonly type: 'map'; readonly values: Schema; readonly atomic?: true }

export type ListSchema = Common & {
  readonly type: 'list'
  readonly items: Schema
  readonly listType: 'atomic' | 'set' | 'map'
  /** What tells the items of a list of type map apart. */
  readonly keys: readonly string[]
  /** In protobuf a message around the items, as it is needed for a list inside a map. */
  readonly wrapped?: true
}

export type ScalarSchema = Common & {
  readonly type:
    | 'string'
    | 'boolean'
    | 'integer'
    | 'number'
    | 'bytes'
    | 'quantity'
    | 'int-or-string'
    | 'time'
    | 'micro-time'
  /** Of a built-in integer. */
  readonly bits?: 32 | 64
}

/** Any JSON. In protobuf it is a message around the JSON text. */
export type AnySchema = Common & { readonly type: 'any' }

/** Inside CustomResourceDefinition: a JSON schema, or something simpler in its place. */
export type SchemaOrSchema = Common & {
  readonly type: 'schema-or'
  readonly other: 'boolean' | 'schemas' | 'strings'
  readonly schema: ObjectSchema
}

export type Property = {
  readonly name: string
  readonly schema: Schema
  /** The place among its siblings in which Go writes it. */
  readonly index: number
  /** Protobuf field number; 0 when protobuf does not carry it. */
  readonly number: number
  /** Absence differs from the zero value. */
  readonly pointer: boolean
  /** What a struct writes for an absent or empty value. */
  readonly whenEmpty: 'omit' | 'null' | 'zero'
  readonly required: boolean
  /** How a strategic merge patch treats it. */
  readonly patchStrategy?: 'merge' | 'replace'
  /** Of a merged list of objects. */
  readonly mergeKey?: string
  /** The patch may say which members stay: those that exclude each other need it. */
  readonly retainKeys?: true
}

/** What a value has to fulfil; only those are looked at that suit the value's type. */
export type Checks = {
  readonly required?: readonly string[]
  readonly enum?: readonly unknown[]
  readonly format?: string
  readonly pattern?: GoRegExp
  readonly minimum?: number
  readonly maximum?: number
  readonly exclusiveMinimum?: true
  readonly exclusiveMaximum?: true
  readonly multipleOf?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly minItems?: number
  readonly maxItems?: number
  readonly uniqueItems?: true
  readonly minProperties?: number
  readonly maxProperties?: number
  readonly allOf?: readonly NestedChecks[]
  readonly anyOf?: readonly NestedChecks[]
  readonly oneOf?: readonly NestedChecks[]
  readonly not?: NestedChecks
}

/** Checks on parts of a value, as they stand below allOf, anyOf, oneOf and not. */
export type NestedChecks = Checks & {
  readonly properties?: ReadonlyMap<string, NestedChecks>
  readonly items?: NestedChecks
}

/** One entry of `x-kubernetes-validations`. */
export type Rule = {
  /** As the author wrote it. */
  readonly text: string
  /** Takes `self` and `oldSelf`. */
  readonly program: CelProgram
  /** A rule that compares with the value before holds only between two values: on update, where there was one. */
  readonly usesOldSelf: boolean
  readonly message?: string
  /** Makes the message from the value. */
  readonly messageProgram?: CelProgram
  readonly messageExpression?: string
  readonly reason?: RuleReason
  /** The field below that is to blame: `.spec.x`. */
  readonly fieldPath?: string
}

export type RuleReason = 'FieldValueInvalid' | 'FieldValueForbidden' | 'FieldValueRequired' | 'FieldValueDuplicate'
