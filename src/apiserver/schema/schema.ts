import type { CelProgram } from './cel/compile-cel.ts'
import type { GoRegExp } from './regexp/go-regexp.ts'

/**
 * Describes the values of one kind of object, or of a part of one. The schemas of built-in kinds come from the generated table (`find-schema.ts`),
 * those of custom resources from their definitions (`schema-from-crd.ts`); the same functions work on both.
 */
export type Schema = ObjectSchema | MapSchema | ListSchema | ScalarSchema | AnySchema | SchemaOrSchema

type Common = {
  readonly description?: string
  /** Only for custom resources: null is a value, not a missing one. */
  readonly nullable?: true
  /** Only for custom resources: the value of an absent field. */
  readonly default?: unknown
  /** Only for custom resources: constraints on a value beyond its type. */
  readonly checks?: Checks
  /** Only for custom resources: expressions that must be true. */
  readonly rules?: readonly Rule[]
  /** Only for custom resources: this or a part of it has rules. */
  readonly ruled?: true
}

export type ObjectSchema = Common & {
  readonly type: 'object'
  /** The OpenAPI name of a built-in struct: `io.k8s.api.core.v1.PodSpec`. Structs read and write JSON as Go does. */
  readonly name?: string
  readonly properties: ReadonlyMap<string, Property>
  /** The properties of a struct that are written even if absent in the input, in order. */
  readonly always: readonly Property[]
  /** By protobuf number; a struct that is inlined in JSON is nested in protobuf. */
  readonly numbered: ReadonlyMap<number, Property | { readonly inlined: ObjectSchema }>
  /** Members that are not properties are kept. */
  readonly preserveUnknown?: true
  /** Replaced as a whole, even where objects are merged. */
  readonly atomic?: true
  /** A whole object with apiVersion, kind and metadata, at the root or inside another. */
  readonly embedded?: true
  /** Of an embedded object: the constraints of its own schema on metadata.name and metadata.generateName. */
  readonly metadataChecks?: Schema
  /** Only properties are given; the value need not be an object. */
  readonly untyped?: true
}

export type MapSchema = Common & { readonly type: 'map'; readonly values: Schema; readonly atomic?: true }

export type ListSchema = Common & {
  readonly type: 'list'
  readonly items: Schema
  readonly listType: 'atomic' | 'set' | 'map'
  /** The fields that identify the items of a list of type map. */
  readonly keys: readonly string[]
  /** In protobuf, a message around the items, which a list inside a map needs. */
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

/** Inside CustomResourceDefinition: a JSON schema, or a simpler value in its place. */
export type SchemaOrSchema = Common & {
  readonly type: 'schema-or'
  readonly other: 'boolean' | 'schemas' | 'strings'
  readonly schema: ObjectSchema
}

export type Property = {
  readonly name: string
  readonly schema: Schema
  /** Its position among its siblings in Go's output. */
  readonly index: number
  /** Protobuf field number; 0 if protobuf does not have it. */
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
  /** The patch may list the members to keep: needed for members that exclude each other. */
  readonly retainKeys?: true
}

/** Constraints on a value; only those that apply to the value's type are checked. */
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

/** Checks on parts of a value, as used below allOf, anyOf, oneOf and not. */
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
  /** A rule that compares with the previous value is evaluated only on update, if there was a previous value. */
  readonly usesOldSelf: boolean
  readonly message?: string
  /** Computes the message from the value. */
  readonly messageProgram?: CelProgram
  readonly messageExpression?: string
  readonly reason?: RuleReason
  /** The path, relative to the value, of the field to report: `.spec.x`. */
  readonly fieldPath?: string
}

export type RuleReason = 'FieldValueInvalid' | 'FieldValueForbidden' | 'FieldValueRequired' | 'FieldValueDuplicate'
