import { formatExactJson } from '../../api/exact-json.ts'
import { canonicalQuantity } from '../../api/quantity.ts'
import { canonicalBase64 } from './canonical-base64.ts'
import { canonicalTime } from './canonical-time.ts'
import { formatPath } from './field-path.ts'
import { copyJson, isJsonObject, jsonTypeOf, setMember, sortedKeys } from './json.ts'
import type { JsonObject } from './json.ts'
import { reportUnknown } from './normalize-run.ts'
import type { NormalizeRun } from './normalize-run.ts'
import type { ObjectSchema, Property, Schema, SchemaOrSchema } from './schema.ts'

/**
 * A value of a built-in type as Go's types would write it after reading it. Undefined means "not of this type": the problem has then been reported.
 */
export function normalizeTyped(run: NormalizeRun, schema: Schema, value: unknown): unknown {
  switch (schema.type) {
    case 'string':
      return typeof value === 'string' ? value : mismatch(run, value, 'string')
    case 'boolean':
      return typeof value === 'boolean' ? value : mismatch(run, value, 'bool')
    case 'integer':
      return normalizeInteger(run, value, schema.bits ?? 64)
    case 'number':
      return typeof value === 'number' || typeof value === 'bigint' ? Number(value) : mismatch(run, value, 'float64')
    case 'object':
      return isJsonObject(value) ? normalizeStruct(run, schema, value) : mismatch(run, value, shortName(schema))
    case 'list':
      return Array.isArray(value) ? normalizeList(run, schema.items, value) : mismatch(run, value, goTypeOf(schema))
    case 'map':
      return isJsonObject(value) ? normalizeMap(run, schema.values, value) : mismatch(run, value, goTypeOf(schema))
    case 'quantity':
      return normalizeQuantity(run, value)
    case 'time':
      return normalizeTime(run, value, 0)
    case 'micro-time':
      return normalizeTime(run, value, 6)
    case 'int-or-string':
      return typeof value === 'string' ? value : normalizeInteger(run, value, 32)
    case 'bytes':
      return normalizeBytes(run, value)
    case 'any':
      return copyJson(value)
    case 'schema-or':
      return normalizeSchemaOr(run, schema, value)
  }
}

function normalizeStruct(run: NormalizeRun, schema: ObjectSchema, input: JsonObject): JsonObject {
  const present = knownProperties(run, schema, input)
  const { always } = schema
  const output: JsonObject = {}
  const outer = run.owner
  run.owner = schema.name ?? ''
  let next = 0
  for (const property of present) {
    for (let missing = always[next]; missing && missing.index < property.index; missing = always[++next]) {
      output[missing.name] = emptyOf(run, missing)
    }
    if (always[next] === property) next += 1
    run.path.push(property.name)
    const value = input[property.name]
    const normal = value === null || value === undefined ? undefined : normalizeTyped(run, property.schema, value)
    run.path.pop()
    if (normal === undefined) {
      if (property.whenEmpty !== 'omit') output[property.name] = emptyOf(run, property)
    } else if (property.whenEmpty === 'null' && property.schema.type === 'list' && isEmpty(normal)) {
      // In protobuf, the form in which Kubernetes stores it, an empty list is absent.
      output[property.name] = null
    } else if (property.pointer || property.whenEmpty !== 'omit' || !isEmpty(normal)) {
      output[property.name] = normal
    }
  }
  for (; next < always.length; next++) {
    const missing = always[next] as Property // next is below the length
    output[missing.name] = emptyOf(run, missing)
  }
  run.owner = outer
  return output
}

// In the order of the type, which is usually also the order of the input.
function knownProperties(run: NormalizeRun, schema: ObjectSchema, input: JsonObject): Property[] {
  const present: Property[] = []
  let isSorted = true
  let last = -1
  for (const key of Object.keys(input)) {
    const property = schema.properties.get(key)
    if (property === undefined) {
      if (input[key] !== undefined) reportUnknown(run, key)
      continue
    }
    present.push(property)
    if (property.index < last) isSorted = false
    last = property.index
  }
  return isSorted ? present : present.sort((left, right) => left.index - right.index)
}

const isEmpty = (value: unknown): boolean => {
  if (value === '' || value === 0 || value === false || value === null) return true
  if (typeof value !== 'object') return false
  return Array.isArray(value) ? value.length === 0 : isEmptyObject(value)
}

function isEmptyObject(value: object): boolean {
  for (const _key in value) return false
  return true
}

const NOTHING: JsonObject = {}

function emptyOf(run: NormalizeRun, property: Property): unknown {
  return property.whenEmpty === 'null' ? null : zeroOf(run, property.schema)
}

// Go's zero value in its written form.
function zeroOf(run: NormalizeRun, schema: Schema): unknown {
  switch (schema.type) {
    case 'string':
    case 'bytes':
      return ''
    case 'boolean':
      return false
    case 'integer':
    case 'number':
    case 'int-or-string':
      return 0
    case 'quantity':
      return '0'
    case 'object':
      return normalizeStruct(run, schema, NOTHING)
    default:
      return null
  }
}

// A null item becomes its zero value.
function normalizeItem(run: NormalizeRun, schema: Schema, value: unknown): unknown {
  return value === null || value === undefined ? zeroOf(run, schema) : normalizeTyped(run, schema, value)
}

function normalizeList(run: NormalizeRun, items: Schema, input: readonly unknown[]): unknown[] {
  return input.map((item, index) => {
    if (items.type === 'string' && typeof item === 'string') return item
    run.path.push(index)
    const normal = normalizeItem(run, items, item)
    run.path.pop()
    return normal
  })
}

function normalizeMap(run: NormalizeRun, values: Schema, input: JsonObject): JsonObject {
  const output: JsonObject = {}
  for (const key of sortedKeys(input)) {
    const item = input[key]
    if (values.type === 'string' && typeof item === 'string') {
      setMember(output, key, item)
      continue
    }
    run.path.push(key)
    setMember(output, key, normalizeItem(run, values, item))
    run.path.pop()
  }
  return output
}

function normalizeInteger(run: NormalizeRun, value: unknown, bits: 32 | 64): number | undefined {
  // Our own types use numbers.
  if (typeof value === 'bigint')
    return fail(run, `json: cannot unmarshal number ${value} into ${placeOf(run)} of type int${bits}`)
  if (typeof value !== 'number') return mismatch(run, value, `int${bits}`)
  const isInRange = bits === 32 ? value >= -2_147_483_648 && value <= 2_147_483_647 : Number.isSafeInteger(value)
  if (!Number.isInteger(value) || !isInRange)
    return fail(run, `json: cannot unmarshal number ${value} into ${placeOf(run)} of type int${bits}`)
  return value === 0 ? 0 : value // never -0
}

// Up to three digits with a suffix are already the shortest form.
const SHORTEST_QUANTITY = /^(?:0|[1-9]\d{0,2}(?:[numkMGTP]|[KMGTP]i)?)$/

function normalizeQuantity(run: NormalizeRun, value: unknown): string | undefined {
  if (typeof value !== 'string' && jsonTypeOf(value) !== 'number') return mismatch(run, value, 'resource.Quantity')
  const text = String(value).trim()
  if (SHORTEST_QUANTITY.test(text)) return text
  try {
    return canonicalQuantity(text)
  } catch {
    return fail(
      run,
      `${formatPath(run.path)}: quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'`,
    )
  }
}

function normalizeTime(run: NormalizeRun, value: unknown, digits: 0 | 6): string | undefined {
  if (typeof value !== 'string') return mismatch(run, value, digits === 0 ? 'v1.Time' : 'v1.MicroTime')
  const time = canonicalTime(value, digits)
  if (time === undefined)
    return fail(
      run,
      `${formatPath(run.path)}: parsing time ${formatExactJson(value)}: it is not in the form of RFC 3339`,
    )
  return time ?? undefined
}

function normalizeBytes(run: NormalizeRun, value: unknown): string | undefined {
  if (typeof value !== 'string') return mismatch(run, value, '[]uint8')
  return canonicalBase64(value) ?? fail(run, `${formatPath(run.path)}: illegal base64 data`)
}

function normalizeSchemaOr(run: NormalizeRun, schema: SchemaOrSchema, value: unknown): unknown {
  if (isJsonObject(value)) return normalizeStruct(run, schema.schema, value)
  switch (schema.other) {
    case 'boolean':
      return typeof value === 'boolean' ? value : fail(run, `${formatPath(run.path)}: boolean or JSON schema expected`)
    case 'schemas':
      return Array.isArray(value) ? normalizeList(run, schema.schema, value) : mismatch(run, value, 'JSONSchemaProps')
    case 'strings':
      return Array.isArray(value)
        ? normalizeList(run, { type: 'string' }, value)
        : mismatch(run, value, 'JSONSchemaProps')
  }
}

function mismatch(run: NormalizeRun, value: unknown, type: string): undefined {
  const given = jsonTypeOf(value)
  return fail(
    run,
    `json: cannot unmarshal ${given === 'boolean' ? 'bool' : given} into ${placeOf(run)} of type ${type}`,
  )
}

function fail(run: NormalizeRun, problem: string): undefined {
  run.problems.push(problem)
  return undefined
}

// In Go's format: the struct, then the path from the root without list indexes.
function placeOf({ owner, path }: NormalizeRun): string {
  const names = path.filter((step) => typeof step === 'string')
  return names.length === 0
    ? 'Go value'
    : `Go struct field ${owner.slice(owner.lastIndexOf('.') + 1)}.${names.join('.')}`
}

const shortName = (schema: ObjectSchema): string => (schema.name ?? 'object').split('.').slice(-2).join('.')

function goTypeOf(schema: Schema): string {
  switch (schema.type) {
    case 'object':
      return shortName(schema)
    case 'list':
      return `[]${goTypeOf(schema.items)}`
    case 'map':
      return `map[string]${goTypeOf(schema.values)}`
    case 'boolean':
      return 'bool'
    case 'integer':
      return `int${schema.bits ?? 64}`
    case 'number':
      return 'float64'
    case 'bytes':
      return '[]uint8'
    case 'quantity':
      return 'resource.Quantity'
    case 'time':
      return 'v1.Time'
    case 'micro-time':
      return 'v1.MicroTime'
    case 'int-or-string':
      return 'intstr.IntOrString'
    case 'schema-or':
      return shortName(schema.schema)
    case 'any':
    case 'string':
      return schema.type
  }
}
