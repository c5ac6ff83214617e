import { objectMetaSchema } from './find-schema.ts'
import { isJsonObject, setMember } from './json.ts'
import type { JsonObject } from './json.ts'
import type { Descriptions } from './read-descriptions.ts'
import type { Checks, ListSchema, NestedChecks, ObjectSchema, Property, Rule, Schema } from './schema.ts'

/** A served kind, built-in or custom. */
export type OpenApiKind = {
  /** Empty for the core group. */
  readonly group: string
  readonly version: string
  readonly kind: string
  /** As in paths: `persistentvolumeclaims`. */
  readonly plural: string
  readonly namespaced: boolean
  readonly schema: ObjectSchema
}

/** Version 2 supports less than version 3: no alternatives, no null. */
export type Dialect = 'v2' | 'v3'

/** `io.k8s.api.core.v1.Pod`, `io.k8s.storage.snapshot.v1.VolumeSnapshot`. */
export function definitionNameOf({ group, version, kind, schema }: OpenApiKind): string {
  return schema.name ?? [...group.split('.').toReversed(), version, kind].join('.')
}

/** The schemas of these kinds and of all types that they refer to, by name. */
export function collectDefinitions(
  kinds: readonly OpenApiKind[],
  dialect: Dialect,
  descriptions: Descriptions,
): Map<string, JsonObject> {
  const definitions = new Map<string, JsonObject>()
  const waiting: ObjectSchema[] = []
  const writer: Writer = {
    dialect,
    descriptions,
    refer: (name, define) => {
      if (!definitions.has(name)) definitions.set(name, withDescriptions(writer, name, define()))
      return { $ref: `${dialect === 'v2' ? '#/definitions/' : '#/components/schemas/'}${name}` }
    },
    struct: (schema) => {
      const name = schema.name ?? ''
      if (!definitions.has(name)) {
        definitions.set(name, {}) // a placeholder until it is written, so that types may contain themselves
        waiting.push(schema)
      }
      return writer.refer(name, () => ({}))
    },
  }
  const versions = new Map<string, OpenApiKind[]>()
  for (const kind of kinds)
    versions.set(definitionNameOf(kind), [...(versions.get(definitionNameOf(kind)) ?? []), kind])
  for (const [name, same] of versions) {
    const [first] = same
    if (!first) continue
    const identity = same.map(({ group, version, kind }) => ({ group, kind, version }))
    definitions.set(name, { ...describeKind(writer, first.schema), 'x-kubernetes-group-version-kind': identity })
  }
  for (let schema = waiting.pop(); schema; schema = waiting.pop())
    definitions.set(schema.name ?? '', withDescriptions(writer, schema.name, describeObject(writer, schema)))
  return new Map([...definitions].sort(([left], [right]) => (left < right ? -1 : 1)))
}

// The fields that every object has, in the words of Kubernetes.
const OF_EVERY_OBJECT: Readonly<Record<string, string>> = {
  apiVersion:
    'APIVersion defines the versioned schema of this representation of an object. Servers should convert recognized schemas to the latest internal value, and may reject unrecognized values. More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#resources',
  kind: 'Kind is a string value representing the REST resource this object represents. Servers may infer this from the endpoint the client submits requests to. Cannot be updated. In CamelCase. More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#types-kinds',
  metadata:
    "Standard object's metadata. More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata",
}

function describeKind(writer: Writer, schema: ObjectSchema): JsonObject {
  // A definition with any property would make kubectl reject all others.
  if (writer.dialect === 'v2' && schema.preserveUnknown) return { type: 'object' }
  const described = withDescriptions(writer, schema.name, describeObject(writer, schema))
  const properties = { ...membersOf(described, 'properties') }
  for (const [name, description] of Object.entries(OF_EVERY_OBJECT)) {
    const property = membersOf(properties, name)
    if (property['description'] !== undefined || (name === 'metadata' && property['$ref'] === undefined)) continue
    properties[name] =
      property['$ref'] === undefined
        ? { type: 'string', ...property, description }
        : withDescription(writer, property, description)
  }
  return { ...described, properties }
}

/** Custom resources have their descriptions in their schemas. */
function withDescriptions(writer: Writer, definition: string | undefined, described: JsonObject): JsonObject {
  if (definition === undefined) return described
  const { descriptions } = writer
  const properties = Object.entries(membersOf(described, 'properties')).map(([name, property]) => {
    const description = descriptions(definition, name)
    const isKnown = description !== undefined && isJsonObject(property)
    return [name, isKnown ? withDescription(writer, property, description) : property] as const
  })
  return {
    ...withDescription(writer, described, descriptions(definition)),
    ...(properties.length > 0 && { properties: Object.fromEntries(properties) }),
  }
}

function withDescription({ dialect }: Writer, described: JsonObject, description: string | undefined): JsonObject {
  if (description === undefined) return described
  // In version 3, anything beside a reference is ignored.
  return dialect === 'v3' && described['$ref'] !== undefined
    ? { description, allOf: [described] }
    : { ...described, description }
}

type Writer = {
  readonly dialect: Dialect
  readonly descriptions: Descriptions
  /** A reference to a definition, which is created on the first reference. */
  refer(name: string, define: () => JsonObject): JsonObject
  struct(schema: ObjectSchema): JsonObject
}

function describeObject(writer: Writer, schema: ObjectSchema): JsonObject {
  // kubectl rejects unknown fields of anything that has a type or properties in version 2.
  const isOpen = writer.dialect === 'v2' && schema.preserveUnknown === true
  const properties: JsonObject = {}
  if (schema.embedded) setMember(properties, 'metadata', writer.struct(objectMetaSchema()))
  for (const property of schema.properties.values())
    setMember(properties, property.name, describeProperty(writer, property))
  const required =
    schema.checks?.required?.filter(
      (name) => writer.dialect === 'v3' || !schema.properties.get(name)?.schema.nullable,
    ) ?? [...schema.properties.values()].filter((property) => property.required).map(({ name }) => name)
  return {
    ...(!isOpen && { type: 'object' }),
    ...(schema.description !== undefined && { description: schema.description }),
    ...(required.length > 0 && { required }),
    ...(Object.keys(properties).length > 0 && !isOpen && { properties }),
    ...(schema.preserveUnknown && { 'x-kubernetes-preserve-unknown-fields': true }),
    ...(schema.atomic && { 'x-kubernetes-map-type': 'atomic' }),
    ...describeRest(writer, schema),
  }
}

function describeProperty(writer: Writer, { schema, patchStrategy, mergeKey, retainKeys }: Property): JsonObject {
  const strategies = [patchStrategy, retainKeys && 'retainKeys'].filter((item) => typeof item === 'string')
  const extensions: JsonObject = {
    ...(mergeKey !== undefined && { 'x-kubernetes-patch-merge-key': mergeKey }),
    ...(strategies.length > 0 && { 'x-kubernetes-patch-strategy': strategies.join(',') }),
  }
  const described = describe(writer, schema)
  if (Object.keys(extensions).length === 0) return described
  // In version 3, anything beside a reference is ignored.
  return described['$ref'] !== undefined && writer.dialect === 'v3'
    ? { allOf: [described], ...extensions }
    : { ...described, ...extensions }
}

const MACHINERY = 'io.k8s.apimachinery.pkg'

function describe(writer: Writer, schema: Schema): JsonObject {
  const isV2 = writer.dialect === 'v2'
  // Version 2 has no way to say that a value may be null.
  if (isV2 && schema.nullable) return schema.description === undefined ? {} : { description: schema.description }
  switch (schema.type) {
    case 'object':
      return schema.name === undefined ? describeObject(writer, schema) : writer.struct(schema)
    case 'map':
      return withRest(writer, schema, {
        type: 'object',
        additionalProperties: describe(writer, schema.values),
        ...(schema.atomic && { 'x-kubernetes-map-type': 'atomic' }),
      })
    case 'list':
      return withRest(writer, schema, {
        type: 'array',
        items: describe(writer, schema.items),
        ...(!(isV2 && schema.listType === 'atomic') && listExtensions(schema)),
      })
    case 'string':
    case 'boolean':
      return withRest(writer, schema, { type: schema.type })
    case 'integer':
      return withRest(writer, schema, { type: 'integer', ...(schema.bits && { format: `int${schema.bits}` }) })
    case 'number':
      return withRest(writer, schema, { type: 'number' })
    case 'bytes':
      return { type: 'string', format: 'byte' }
    case 'quantity':
      return writer.refer(`${MACHINERY}.api.resource.Quantity`, () => quantity(isV2))
    case 'time':
      return writer.refer(`${MACHINERY}.apis.meta.v1.Time`, () => ({ type: 'string', format: 'date-time' }))
    case 'micro-time':
      return writer.refer(`${MACHINERY}.apis.meta.v1.MicroTime`, () => ({ type: 'string', format: 'date-time' }))
    case 'int-or-string':
      if (schema.description !== undefined || schema.checks) return withRest(writer, schema, intOrString(isV2))
      return writer.refer(`${MACHINERY}.util.intstr.IntOrString`, () => intOrString(isV2))
    case 'any':
      return withRest(writer, schema, { 'x-kubernetes-preserve-unknown-fields': true })
    case 'schema-or':
      return { description: `a JSON schema, or ${schema.other}`, 'x-kubernetes-preserve-unknown-fields': true }
  }
}

const quantity = (isV2: boolean): JsonObject =>
  isV2 ? { type: 'string' } : { oneOf: [{ type: 'string' }, { type: 'number' }] }

const intOrString = (isV2: boolean): JsonObject =>
  isV2
    ? { type: 'string', format: 'int-or-string' }
    : { format: 'int-or-string', oneOf: [{ type: 'integer' }, { type: 'string' }] }

const listExtensions = ({ listType, keys }: ListSchema): JsonObject => ({
  'x-kubernetes-list-type': listType,
  ...(keys.length > 0 && { 'x-kubernetes-list-map-keys': keys }),
})

function withRest(writer: Writer, schema: Schema, described: JsonObject): JsonObject {
  const description = schema.description === undefined ? {} : { description: schema.description }
  return { ...described, ...description, ...describeRest(writer, schema) }
}

// The parts of a custom resource's schema beyond its structure.
function describeRest({ dialect }: Writer, { nullable, default: initial, checks, rules }: Schema): JsonObject {
  if (dialect === 'v2') return checks ? plainChecks(checks) : {}
  const { required: _required, ...others } = checks ? describeChecks(checks) : {}
  return {
    ...others,
    ...(nullable && { nullable: true }),
    ...(initial !== undefined && { default: initial }),
    ...(rules && { 'x-kubernetes-validations': rules.map(describeRule) }),
  }
}

// Version 2 has no alternatives.
function plainChecks(checks: Checks): JsonObject {
  const {
    required: _required,
    allOf: _allOf,
    anyOf: _anyOf,
    oneOf: _oneOf,
    not: _not,
    properties: _properties,
    items: _items,
    ...plain
  } = describeChecks(checks)
  return plain
}

function describeChecks({
  pattern,
  allOf,
  anyOf,
  oneOf,
  not,
  properties,
  items,
  ...plain
}: NestedChecks): JsonObject & Pick<Checks, 'required'> {
  return {
    ...plain,
    ...(pattern && { pattern: pattern.source }),
    ...(allOf && { allOf: allOf.map(describeChecks) }),
    ...(anyOf && { anyOf: anyOf.map(describeChecks) }),
    ...(oneOf && { oneOf: oneOf.map(describeChecks) }),
    ...(not && { not: describeChecks(not) }),
    ...(properties && {
      properties: Object.fromEntries([...properties].map(([name, inner]) => [name, describeChecks(inner)])),
    }),
    ...(items && { items: describeChecks(items) }),
  }
}

const describeRule = ({ text, message, reason, fieldPath }: Rule): JsonObject => ({
  rule: text,
  ...(message !== undefined && { message }),
  ...(reason && { reason }),
  ...(fieldPath !== undefined && { fieldPath }),
})

/** The keyed children of a described schema; may be absent. */
export const membersOf = (described: JsonObject, name: string): JsonObject => {
  const members = described[name]
  return isJsonObject(members) ? members : {}
}
