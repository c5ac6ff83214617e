import type { FieldProblem } from './field-problem.ts'
import type { JsonObject } from './json.ts'
import type { Checks, ListSchema, NestedChecks, Schema } from './schema.ts'

const UNSUPPORTED = ['id', 'additionalItems', 'patternProperties', 'definitions', 'dependencies', '$ref']

const PRESERVE = 'x-kubernetes-preserve-unknown-fields'

/** Reports features of OpenAPI that a CRD must not use. */
export function forbidUnsupported(source: JsonObject, field: string, problems: FieldProblem[]): void {
  const forbid = (name: string, detail: string): void =>
    void problems.push({ field: `${field}.${name}`, type: 'FieldValueForbidden', detail })
  for (const name of UNSUPPORTED) {
    if (source[name] !== undefined) forbid(name, `${name} is not supported`)
  }
  if (source['uniqueItems'] === true)
    forbid('uniqueItems', 'uniqueItems cannot be set to true since the runtime complexity becomes quadratic')
  if (source[PRESERVE] === false)
    problems.push({
      field: `${field}.${PRESERVE}`,
      type: 'FieldValueInvalid',
      value: false,
      detail: 'must be true or undefined',
    })
  if (source['x-kubernetes-int-or-string'] === true) {
    for (const name of [PRESERVE, 'x-kubernetes-embedded-resource']) {
      if (source[name] === true) {
        const detail = 'must be false if x-kubernetes-int-or-string is true'
        problems.push({ field: `${field}.${name}`, type: 'FieldValueInvalid', value: true, detail })
      }
    }
  }
  const mapType = source['x-kubernetes-map-type']
  if (mapType !== undefined && mapType !== 'granular' && mapType !== 'atomic') {
    const detail = 'supported values: "atomic", "granular"'
    problems.push({ field: `${field}.x-kubernetes-map-type`, type: 'FieldValueNotSupported', value: mapType, detail })
  }
  if (source['x-kubernetes-list-type'] !== undefined && source['type'] !== 'array') {
    const value = source['type'] ?? ''
    problems.push({
      field: `${field}.type`,
      type: 'FieldValueInvalid',
      value,
      detail: 'must be array if x-kubernetes-list-type is specified',
    })
  }
}

/** Reports contradictions in the type of a list: keys that its items need not have, sets of items that cannot be compared. */
export function validateListType(source: JsonObject, list: ListSchema, field: string, problems: FieldProblem[]): void {
  const listType = source['x-kubernetes-list-type']
  if (listType !== undefined && listType !== 'atomic' && listType !== 'set' && listType !== 'map') {
    const detail = 'supported values: "atomic", "map", "set"'
    problems.push({ field: `${field}.x-kubernetes-list-type`, type: 'FieldValueNotSupported', value: listType, detail })
  }
  if (listType === 'map') validateKeys(list, field, problems)
  else if (list.keys.length > 0) {
    const detail = 'must be map if x-kubernetes-list-map-keys is non-empty'
    const type = listType === undefined ? 'FieldValueRequired' : 'FieldValueInvalid'
    problems.push({ field: `${field}.x-kubernetes-list-type`, type, value: listType, detail })
  }
  if (listType === 'set') validateSet(list.items, field, problems)
}

function validateKeys({ items, keys }: ListSchema, field: string, problems: FieldProblem[]): void {
  const member = `${field}.x-kubernetes-list-map-keys`
  if (keys.length === 0) {
    problems.push({
      field: member,
      type: 'FieldValueRequired',
      detail: 'must not be empty if x-kubernetes-list-type is map',
    })
    return
  }
  if (items.type !== 'object') {
    const detail = 'must be object if parent array is of list type map'
    problems.push({ field: `${field}.items.type`, type: 'FieldValueInvalid', value: items.type, detail })
    return
  }
  for (const [index, key] of keys.entries()) {
    const property = items.properties.get(key)
    if (!property) {
      const detail = 'entries must all be names of item properties'
      problems.push({ field: `${member}[${index}]`, type: 'FieldValueInvalid', value: key, detail })
      continue
    }
    if (!isScalar(property.schema)) {
      const detail = 'must be a scalar type if parent array is of list type map'
      problems.push({
        field: `${field}.items.properties[${key}].type`,
        type: 'FieldValueInvalid',
        value: property.schema.type,
        detail,
      })
    }
    if (!property.required && property.schema.default === undefined) {
      const detail =
        'this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property'
      problems.push({ field: `${field}.items.properties[${key}].default`, type: 'FieldValueRequired', detail })
    }
  }
  if (new Set(keys).size === keys.length) return
  problems.push({ field: member, type: 'FieldValueInvalid', value: keys, detail: 'must not contain duplicates' })
}

function validateSet(items: Schema, field: string, problems: FieldProblem[]): void {
  const detail =
    items.type === 'list' && items.listType !== 'atomic'
      ? 'must be atomic as item of a list with x-kubernetes-list-type=set'
      : (items.type === 'object' || items.type === 'map') && !items.atomic
        ? 'must be atomic as item of a list with x-kubernetes-list-type=set'
        : undefined
  if (detail !== undefined) {
    const member = items.type === 'list' ? 'x-kubernetes-list-type' : 'x-kubernetes-map-type'
    problems.push({ field: `${field}.items.${member}`, type: 'FieldValueForbidden', detail })
  }
  if (items.nullable) {
    problems.push({
      field: `${field}.items.nullable`,
      type: 'FieldValueForbidden',
      detail: 'cannot be nullable when x-kubernetes-list-type is set',
    })
  }
}

const isScalar = ({ type }: Schema): boolean =>
  ['string', 'integer', 'number', 'boolean', 'int-or-string'].includes(type)

/** Reports constraints below allOf, anyOf, oneOf and not on fields that the structure does not describe. */
export function checkCompleteness(schema: Schema, checks: Checks, field: string, problems: FieldProblem[]): void {
  const { allOf = [], anyOf = [], oneOf = [], not } = checks
  const nested: [NestedChecks, string][] = [
    ...allOf.map((item, index): [NestedChecks, string] => [item, `${field}.allOf[${index}]`]),
    ...anyOf.map((item, index): [NestedChecks, string] => [item, `${field}.anyOf[${index}]`]),
    ...oneOf.map((item, index): [NestedChecks, string] => [item, `${field}.oneOf[${index}]`]),
  ]
  if (not) nested.push([not, `${field}.not`])
  for (const [item, origin] of nested) {
    checkParts(schema, item, field, origin, problems)
    checkCompleteness(schema, item, field, problems)
  }
}

function checkParts(
  schema: Schema,
  checks: NestedChecks,
  field: string,
  origin: string,
  problems: FieldProblem[],
): void {
  for (const [name, inner] of checks.properties ?? []) {
    const place = `${field}.properties[${name}]`
    const member = schema.type === 'object' ? schema.properties.get(name)?.schema : undefined
    if (member) checkParts(member, inner, place, `${origin}.properties[${name}]`, problems)
    else
      problems.push({
        field: place,
        type: 'FieldValueRequired',
        detail: `because it is defined in ${origin}.properties[${name}]`,
      })
  }
  if (!checks.items) return
  if (schema.type === 'list') checkParts(schema.items, checks.items, `${field}.items`, `${origin}.items`, problems)
  else
    problems.push({
      field: `${field}.items`,
      type: 'FieldValueRequired',
      detail: `because it is defined in ${origin}.items`,
    })
}
