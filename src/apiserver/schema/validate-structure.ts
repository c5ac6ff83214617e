import { isEqualJson } from '../../api/equal-json.ts'
import { checkValue, wrongType } from './check-value.ts'
import { OBJECT_BUDGET } from './cost-budgets.ts'
import { CostExceededError, CostMeter } from './cost-meter.ts'
import type { FieldProblem } from './field-problem.ts'
import { formatPath } from './field-path.ts'
import { isJsonObject, isWholeNumber, jsonTypeOf, memberOf } from './json.ts'
import { counterpartsIn, validateListItems } from './list-items.ts'
import type { ObjectSchema, Schema } from './schema.ts'
import { OUT_OF_BUDGET, validateRules } from './validate-rules.ts'

/** The current position in a value and, on an update, in the previous value. */
type Place = { readonly path: (string | number)[]; readonly problems: FieldProblem[]; readonly meter: CostMeter }

// More problems would not be read, and a list of a million wrong items must not produce a response of a hundred megabytes.
const MOST_PROBLEMS = 1000

/**
 * Validates a custom resource against its schema. On an update, with the previous value, unchanged parts are skipped: a stricter schema must not
 * prevent other changes to old objects. Rules are evaluated once the types are right. A value that costs more to check than the meter has left is
 * rejected.
 */
export function validateStructure(
  schema: Schema,
  value: unknown,
  old?: unknown,
  meter = new CostMeter(OBJECT_BUDGET),
): FieldProblem[] {
  const place: Place = { path: [], problems: [], meter }
  try {
    validate(schema, value, old, place, true)
  } catch (error) {
    if (!(error instanceof CostExceededError)) throw error
    const field = formatPath(place.path)
    return [
      ...place.problems,
      { field: field === '' ? '<nil>' : field, type: 'FieldValueInvalid', value: '', detail: OUT_OF_BUDGET },
    ]
  }
  if (!place.problems.some(isBlocking)) {
    if (schema.ruled)
      validateRules(schema, value, old, { problems: place.problems, meter, mostProblems: MOST_PROBLEMS })
    return place.problems
  }
  if (!schema.ruled) return place.problems
  const detail =
    'some validation rules were not checked because the object was invalid; correct the existing errors to complete validation'
  return [...place.problems, { field: '<nil>', type: 'FieldValueInvalid', value: null, detail }]
}

// A rule could not rely on the values that it reads.
const isBlocking = ({ type }: FieldProblem): boolean =>
  type === 'FieldValueRequired' ||
  type === 'FieldValueTypeInvalid' ||
  type === 'FieldValueTooLong' ||
  type === 'FieldValueTooMany'

function validate(schema: Schema, value: unknown, old: unknown, place: Place, isRoot = false): void {
  const { problems } = place
  if (problems.length >= MOST_PROBLEMS || (old !== undefined && isEqualJson(value, old))) return
  if (value === null && schema.nullable) {
    // An enumeration has to name null, too.
    if (schema.checks?.enum) problems.push(...checkValue({ enum: schema.checks.enum }, value, place.path, place.meter))
    return
  }
  const expected = expectedType(schema, value)
  if (expected !== undefined) {
    problems.push(wrongType(formatPath(place.path), value, expected))
    return
  }
  if (schema.checks) problems.push(...checkValue(schema.checks, value, place.path, place.meter))
  if (schema.type === 'object' && isJsonObject(value)) validateObject(schema, value, old, place, isRoot)
  else if (schema.type === 'map' && isJsonObject(value)) {
    for (const key of Object.keys(value))
      validateAt(key, schema.values, value[key], isJsonObject(old) ? memberOf(old, key) : undefined, place)
  } else if (schema.type === 'list' && Array.isArray(value)) {
    if (schema.listType !== 'atomic') problems.push(...validateListItems(schema, value, formatPath(place.path)))
    const counterpartOf = counterpartsIn(schema, old)
    for (const [index, item] of value.entries()) validateAt(index, schema.items, item, counterpartOf(item), place)
  }
}

function validateAt(step: string | number, schema: Schema, value: unknown, old: unknown, place: Place): void {
  place.path.push(step)
  validate(schema, value, old, place)
  place.path.pop()
}

function validateObject(
  schema: ObjectSchema,
  value: Readonly<Record<string, unknown>>,
  old: unknown,
  place: Place,
  isRoot: boolean,
): void {
  const before = isJsonObject(old) ? old : undefined
  if (schema.embedded && !isRoot) validateEmbedded(value, place)
  if (schema.metadataChecks && value['metadata'] !== undefined) {
    validateAt('metadata', schema.metadataChecks, value['metadata'], before?.['metadata'], place)
  }
  for (const { name, schema: member } of schema.properties.values()) {
    const item = memberOf(value, name)
    if (item !== undefined) validateAt(name, member, item, before && memberOf(before, name), place)
  }
}

function validateEmbedded(value: Readonly<Record<string, unknown>>, { path, problems }: Place): void {
  for (const name of ['apiVersion', 'kind']) {
    const text = memberOf(value, name)
    if (text !== undefined && text !== '') continue
    problems.push({ field: formatPath([...path, name]), type: 'FieldValueRequired', detail: 'must not be empty' })
  }
}

// The expected type of the value; undefined if it has that type.
function expectedType(schema: Schema, value: unknown): string | undefined {
  const given = jsonTypeOf(value)
  switch (schema.type) {
    case 'object':
      return given === 'object' || schema.untyped ? undefined : 'object'
    case 'map':
      return given === 'object' ? undefined : 'object'
    case 'list':
      return given === 'array' ? undefined : 'array'
    case 'integer':
      return isWholeNumber(value) ? undefined : 'integer'
    case 'int-or-string':
      return isWholeNumber(value) || given === 'string' ? undefined : 'integer,string'
    case 'number':
    case 'boolean':
      return given === schema.type ? undefined : schema.type
    case 'any':
    case 'schema-or':
      return undefined
    default:
      return given === 'string' ? undefined : 'string'
  }
}
