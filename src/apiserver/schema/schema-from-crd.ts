import { DEFINITION_BUDGET } from './cost-budgets.ts'
import { CostMeter } from './cost-meter.ts'
import { readChecks } from './crd-checks.ts'
import { checkDefaults } from './crd-defaults.ts'
import { CrdPatterns } from './crd-patterns.ts'
import { CrdRules } from './crd-rules.ts'
import { checkCompleteness, forbidUnsupported, validateListType } from './crd-structure.ts'
import type { FieldProblem } from './field-problem.ts'
import { isJsonObject } from './json.ts'
import type { JsonObject } from './json.ts'
import type { ListSchema, ObjectSchema, Property, Schema } from './schema.ts'

export type CrdSchema = {
  /** Usable only if there are no problems. */
  readonly schema: ObjectSchema
  /** Why the schema is not structural, or which unsupported features it uses. */
  readonly problems: readonly FieldProblem[]
}

/** The context of a schema determines what it may contain. */
type Place = {
  readonly field: string
  readonly level: 'root' | 'item' | 'field'
  /** Whether a rule may use the previous value: not in lists whose items have no identity. */
  readonly isCorrelatable: boolean
  /** How many such values one object can have, by the limits of the lists and maps around it; undefined if one of them has no limit. */
  readonly mostValues: number | undefined
  readonly problems: FieldProblem[]
  readonly patterns: CrdPatterns
  readonly rules: CrdRules
}

/**
 * The schema of one version of a custom resource, from the `openAPIV3Schema` of its definition. `field` is its path in the CustomResourceDefinition,
 * for the problems; the versions of one definition share a meter.
 */
export function schemaFromCrd(
  openAPIV3Schema: unknown,
  field = 'spec.versions[0].schema.openAPIV3Schema',
  meter = new CostMeter(DEFINITION_BUDGET),
): CrdSchema {
  const { schema, source, problems } = readSchema(openAPIV3Schema, field, meter)
  if (problems.length === 0) checkDefaults(schema, source, field, { problems, meter })
  return {
    schema,
    problems: problems.sort((left, right) => (left.field < right.field ? -1 : left.field > right.field ? 1 : 0)),
  }
}

/** The schema of a version that was checked when it was stored. Its patterns are compiled on first use. */
export const schemaFromStoredCrd = (openAPIV3Schema: unknown): ObjectSchema => readSchema(openAPIV3Schema, '').schema

function readSchema(
  openAPIV3Schema: unknown,
  field: string,
  meter?: CostMeter,
): { schema: ObjectSchema; source: JsonObject; problems: FieldProblem[] } {
  const problems: FieldProblem[] = []
  const source = isJsonObject(openAPIV3Schema) ? openAPIV3Schema : {}
  const rules = new CrdRules(problems, meter)
  const root = convert(source, {
    field,
    level: 'root',
    isCorrelatable: true,
    mostValues: 1,
    problems,
    patterns: new CrdPatterns(meter),
    rules,
  })
  rules.checkTotal(field)
  return { schema: root.type === 'object' ? root : EMPTY_OBJECT, source, problems }
}

const EMPTY_OBJECT: ObjectSchema = {
  type: 'object',
  properties: new Map(),
  always: [],
  numbered: new Map(),
  embedded: true,
}

function convert(source: JsonObject, place: Place): Schema {
  checkType(source, place)
  forbidUnsupported(source, place.field, place.problems)
  const shape = convertShape(source, place)
  const checks = readChecks(source, place.field, place)
  const schema: Schema = {
    ...shape,
    ...(typeof source['description'] === 'string' && { description: source['description'] }),
    ...(source['nullable'] === true && { nullable: true }),
    ...(source['default'] !== undefined && { default: source['default'] }),
    ...(checks && { checks }),
  }
  // Kubernetes requires this only of the root, and so accepts definitions that a stricter check would reject.
  if (checks && place.level === 'root') checkCompleteness(schema, checks, place.field, place.problems)
  const rules = place.rules.read(source['x-kubernetes-validations'], schema, place)
  if (rules.length > 0) return { ...schema, rules, ruled: true }
  return hasRuledParts(schema) ? { ...schema, ruled: true } : schema
}

function hasRuledParts(schema: Schema): boolean {
  if (schema.type === 'object') return schema.properties.values().some((property) => property.schema.ruled)
  return (
    (schema.type === 'map' && schema.values.ruled === true) || (schema.type === 'list' && schema.items.ruled === true)
  )
}

const TYPES = ['array', 'boolean', 'integer', 'number', 'object', 'string']
const EMPTY_TYPE = {
  root: 'must not be empty at the root',
  item: 'must not be empty for specified array items',
  field: 'must not be empty for specified object fields',
}

const OBJECT_IF_EMBEDDED = 'must be object if x-kubernetes-embedded-resource is true'

const isIntOrString = (source: JsonObject): boolean => source['x-kubernetes-int-or-string'] === true
const preservesUnknown = (source: JsonObject): boolean => source['x-kubernetes-preserve-unknown-fields'] === true
const isEmbedded = (source: JsonObject): boolean => source['x-kubernetes-embedded-resource'] === true

function checkType(source: JsonObject, { field, level, problems }: Place): void {
  const type = source['type']
  if (type === undefined || type === '') {
    if (!isEmbedded(source) && (isIntOrString(source) || preservesUnknown(source))) return
    const detail = isEmbedded(source) ? OBJECT_IF_EMBEDDED : EMPTY_TYPE[level]
    problems.push({ field: `${field}.type`, type: 'FieldValueRequired', detail })
    return
  }
  if (type === 'null') {
    problems.push({
      field: `${field}.type`,
      type: 'FieldValueForbidden',
      detail: 'type cannot be set to null, use nullable as an alternative',
    })
  } else if (typeof type !== 'string' || !TYPES.includes(type)) {
    const detail = `supported values: ${TYPES.map((item) => JSON.stringify(item)).join(', ')}`
    problems.push({ field: `${field}.type`, type: 'FieldValueNotSupported', value: type, detail })
  } else if (level === 'root' && type !== 'object') {
    problems.push({
      field: `${field}.type`,
      type: 'FieldValueInvalid',
      value: type,
      detail: 'must be object at the root',
    })
  } else if (isEmbedded(source) && type !== 'object') {
    problems.push({ field: `${field}.type`, type: 'FieldValueInvalid', value: type, detail: OBJECT_IF_EMBEDDED })
  }
}

function convertShape(source: JsonObject, place: Place): Schema {
  if (isIntOrString(source)) return { type: 'int-or-string' }
  const type = source['type']
  switch (type) {
    case 'object':
      return convertObject(source, place)
    case 'array':
      return convertList(source, place)
    case 'string':
    case 'boolean':
    case 'integer':
    case 'number':
      return { type }
    default:
      return isJsonObject(source['properties'])
        ? { ...convertProperties(source, place), untyped: true }
        : { type: 'any' }
  }
}

const multiply = (values: number | undefined, most: unknown): number | undefined =>
  values === undefined || typeof most !== 'number' ? undefined : values * Math.max(0, most)

function convertObject(source: JsonObject, place: Place): Schema {
  const additional = source['additionalProperties']
  if (additional === undefined || additional === null) return convertProperties(source, place)
  const field = `${place.field}.additionalProperties`
  if (place.level === 'root')
    place.problems.push({ field, type: 'FieldValueForbidden', detail: 'must not be used at the root' })
  if (isJsonObject(source['properties']) && Object.keys(source['properties']).length > 0) {
    place.problems.push({
      field,
      type: 'FieldValueForbidden',
      detail: 'additionalProperties and properties are mutual exclusive',
    })
  }
  if (additional === false) {
    place.problems.push({ field, type: 'FieldValueForbidden', detail: 'additionalProperties cannot be set to false' })
  }
  const values: Schema = isJsonObject(additional)
    ? convert(additional, {
        ...place,
        field,
        level: 'field',
        mostValues: multiply(place.mostValues, source['maxProperties']),
      })
    : { type: 'any', nullable: true }
  return { type: 'map', values, ...(source['x-kubernetes-map-type'] === 'atomic' && { atomic: true }) }
}

function convertProperties(source: JsonObject, place: Place): ObjectSchema {
  const isWholeObject = place.level === 'root' || isEmbedded(source)
  const sources = isJsonObject(source['properties']) ? source['properties'] : {}
  const properties = new Map<string, Property>()
  let metadataChecks: Schema | undefined
  const required = Array.isArray(source['required']) ? (source['required'] as unknown[]) : []
  for (const name of Object.keys(sources)) {
    const member = sources[name]
    const field = `${place.field}.properties[${name}]`
    if (!isJsonObject(member)) continue
    const schema = convert(member, { ...place, field, level: 'field' })
    if (isWholeObject && name === 'metadata') {
      metadataChecks = schema
      checkMetadata(member, schema, place.level === 'root', field, place.problems)
    } else {
      if (isWholeObject && (name === 'kind' || name === 'apiVersion') && schema.type !== 'string') {
        place.problems.push({
          field: `${field}.type`,
          type: 'FieldValueInvalid',
          value: member['type'],
          detail: 'must be string',
        })
      }
      properties.set(name, plainProperty(name, schema, properties.size, required.includes(name)))
    }
  }
  if (isWholeObject) {
    for (const name of ['apiVersion', 'kind']) {
      if (!properties.has(name)) properties.set(name, plainProperty(name, { type: 'string' }, properties.size, false))
    }
  }
  if (isEmbedded(source) && !preservesUnknown(source) && Object.keys(sources).length === 0) {
    const detail =
      'must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields'
    place.problems.push({ field: `${place.field}.properties`, type: 'FieldValueRequired', detail })
  }
  return {
    type: 'object',
    properties,
    always: [],
    numbered: new Map(),
    ...(preservesUnknown(source) && { preserveUnknown: true }),
    ...(source['x-kubernetes-map-type'] === 'atomic' && { atomic: true }),
    ...(isWholeObject && { embedded: true }),
    ...(metadataChecks && { metadataChecks }),
  }
}

const plainProperty = (name: string, schema: Schema, index: number, required: boolean): Property => ({
  name,
  schema,
  index,
  number: 0,
  pointer: false,
  whenEmpty: 'omit',
  required,
})

// The server has its own schema for metadata; only names may be restricted further.
function checkMetadata(
  source: JsonObject,
  schema: Schema,
  isRoot: boolean,
  field: string,
  problems: FieldProblem[],
): void {
  const type = source['type'] ?? ''
  if (type !== 'object')
    problems.push({ field: `${field}.type`, type: 'FieldValueInvalid', value: type, detail: 'must be object' })
  if (!isRoot) return
  const names = schema.type === 'object' ? [...schema.properties.keys()] : []
  const others = Object.keys(source).filter((key) => !['type', 'properties', 'description'].includes(key))
  if (others.length > 0 || names.some((name) => name !== 'name' && name !== 'generateName')) {
    const detail = 'must not specify anything other than name and generateName, but metadata is implicitly specified'
    problems.push({ field, type: 'FieldValueForbidden', detail })
  }
}

function convertList(source: JsonObject, place: Place): Schema {
  const field = `${place.field}.items`
  const items = source['items']
  if (Array.isArray(items))
    place.problems.push({
      field,
      type: 'FieldValueForbidden',
      detail: 'items must be a schema object and not an array',
    })
  else if (!isJsonObject(items)) place.problems.push({ field, type: 'FieldValueRequired', detail: 'must be specified' })
  const listType = source['x-kubernetes-list-type']
  const isCorrelatable = place.isCorrelatable && listType === 'map'
  const schema: ListSchema = {
    type: 'list',
    items: isJsonObject(items)
      ? convert(items, {
          ...place,
          field,
          level: 'item',
          isCorrelatable,
          mostValues: multiply(place.mostValues, source['maxItems']),
        })
      : { type: 'any' },
    listType: listType === 'set' || listType === 'map' ? listType : 'atomic',
    keys: Array.isArray(source['x-kubernetes-list-map-keys']) ? source['x-kubernetes-list-map-keys'].map(String) : [],
  }
  validateListType(source, schema, place.field, place.problems)
  return schema
}
