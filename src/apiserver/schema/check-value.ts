import { formatExactJson } from '../../api/exact-json.ts'
import type { Int64 } from '../../api/int64.ts'
import { canonicalJson } from '../../api/canonical-json.ts'
import { isEqual } from './cel/values.ts'
import type { CostMeter } from './cost-meter.ts'
import { formatPath } from './field-path.ts'
import type { FieldProblem } from './field-problem.ts'
import { hasFormat } from './formats.ts'
import { isJsonObject, isWholeNumber, jsonTypeOf, memberOf } from './json.ts'
import type { JsonObject } from './json.ts'
import type { Checks, NestedChecks } from './schema.ts'

// A list of a million items below alternatives takes as long as any rule.
const UNITS = 4
const UNITS_A_PROBLEM = 6

/** Checks a value beyond its type; `path` is its path, for the problems. Throws a `CostExceededError`. */
export function checkValue(
  checks: NestedChecks,
  value: unknown,
  path: (string | number)[],
  meter: CostMeter,
): FieldProblem[] {
  meter.spend(UNITS)
  const problems: FieldProblem[] = []
  const place: Place = { path, problems, meter }
  if (checks.enum && !isAmong(checks.enum, value, meter))
    problems.push(notSupported(formatPath(path), value, checks.enum))
  if (typeof value === 'string') checkString(checks, value, place)
  else if (typeof value === 'number' || typeof value === 'bigint') checkNumber(checks, value, place)
  else if (Array.isArray(value)) checkList(checks, value, place)
  else if (isJsonObject(value)) checkObject(checks, value, place)
  checkJunctions(checks, value, place)
  meter.spend(problems.length * UNITS_A_PROBLEM)
  return problems
}

function isAmong(items: readonly unknown[], value: unknown, meter: CostMeter): boolean {
  if (typeof value === 'object' && value !== null) return items.some((item) => isEqual(item, value, meter))
  meter.spend(items.length * 0.1)
  return items.includes(value)
}

/** The path of a value, the list for its problems, and the remaining budget. The path is formatted only for a problem. */
type Place = { readonly path: (string | number)[]; readonly problems: FieldProblem[]; readonly meter: CostMeter }

function notSupported(field: string, value: unknown, supported: readonly unknown[]): FieldProblem {
  const texts = supported.map((item) => formatExactJson(typeof item === 'string' ? item : formatExactJson(item)))
  return { field, type: 'FieldValueNotSupported', value, detail: `supported values: ${texts.join(', ')}` }
}

function invalid(field: string, value: unknown, why: string): FieldProblem {
  return { field, type: 'FieldValueInvalid', value, detail: `${inBody(field)} ${why}` }
}

const inBody = (field: string): string => `${field} in body`.trimStart()

function checkString(checks: Checks, value: string, { path, problems, meter }: Place): void {
  const { minLength = 0, maxLength = Number.POSITIVE_INFINITY, pattern, format } = checks
  const length =
    value.length < minLength || value.length > maxLength || minLength > 0 ? Array.from(value).length : value.length
  // One problem is enough: for an empty string, the failed pattern adds nothing.
  if (length > maxLength) problems.push(tooLong(formatPath(path), maxLength))
  else if (length < minLength)
    problems.push(invalid(formatPath(path), value, `should be at least ${minLength} chars long`))
  else if (pattern && !pattern.test(value, meter))
    problems.push(invalid(formatPath(path), value, `should match '${pattern.source}'`))
  if (format !== undefined && !hasFormat(format, value)) {
    const field = formatPath(path)
    problems.push({
      field,
      type: 'FieldValueTypeInvalid',
      value,
      detail: `${inBody(field)} must be of type ${format}: ${formatExactJson(value)}`,
    })
  }
}

const tooLong = (field: string, most: number): FieldProblem => ({
  field,
  type: 'FieldValueTooLong',
  detail: `may not be more than ${most} ${most === 1 ? 'byte' : 'bytes'}`,
})

function checkNumber(checks: Checks, value: Int64, { path, problems }: Place): void {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf, format } = checks
  if (minimum !== undefined && (exclusiveMinimum ? value <= minimum : value < minimum)) {
    problems.push(
      invalid(formatPath(path), value, `should be greater than ${exclusiveMinimum ? '' : 'or equal to '}${minimum}`),
    )
  }
  if (maximum !== undefined && (exclusiveMaximum ? value >= maximum : value > maximum)) {
    problems.push(
      invalid(formatPath(path), value, `should be less than ${exclusiveMaximum ? '' : 'or equal to '}${maximum}`),
    )
  }
  if (multipleOf !== undefined && !isMultiple(Number(value), multipleOf))
    problems.push(invalid(formatPath(path), value, `should be a multiple of ${multipleOf}`))
  if (format === 'int32' && isWholeNumber(value) && (value < -(2 ** 31) || value >= 2 ** 31)) {
    const field = formatPath(path)
    problems.push({
      field,
      type: 'FieldValueInvalid',
      value,
      detail: `Checked value must be of type integer with format int32 in ${field}`,
    })
  }
}

function isMultiple(value: number, factor: number): boolean {
  const quotient = value / factor
  return Number.isInteger(quotient) || Math.abs(quotient - Math.round(quotient)) < 1e-9
}

function checkList(checks: NestedChecks, value: readonly unknown[], { path, problems, meter }: Place): void {
  const { minItems, maxItems, uniqueItems, items } = checks
  if (minItems !== undefined && value.length < minItems)
    problems.push(invalid(formatPath(path), value.length, `should have at least ${minItems} items`))
  if (maxItems !== undefined && value.length > maxItems)
    problems.push(tooMany(formatPath(path), value.length, maxItems))
  if (uniqueItems && new Set(value.map(canonicalJson)).size < value.length) {
    problems.push(invalid(formatPath(path), '', "shouldn't contain duplicates"))
  }
  if (!items) return
  for (const [index, item] of value.entries())
    problems.push(...checkPart(items, item, index, { path, problems, meter }))
}

const tooMany = (field: string, value: number, most: number): FieldProblem => ({
  field,
  type: 'FieldValueTooMany',
  value,
  detail: `must have at most ${most} ${most === 1 ? 'item' : 'items'}`,
})

function checkObject(checks: NestedChecks, value: JsonObject, { path, problems, meter }: Place): void {
  const { minProperties, maxProperties, required = [], properties } = checks
  const count = minProperties === undefined && maxProperties === undefined ? 0 : Object.keys(value).length
  if (minProperties !== undefined && count < minProperties)
    problems.push(invalid(formatPath(path), count, `should have at least ${minProperties} properties`))
  if (maxProperties !== undefined && count > maxProperties)
    problems.push(tooMany(formatPath(path), count, maxProperties))
  for (const name of required) {
    if (memberOf(value, name) === undefined)
      problems.push({ field: formatPath([...path, name]), type: 'FieldValueRequired', detail: '' })
  }
  for (const [name, nested] of properties ?? []) {
    const member = memberOf(value, name)
    if (member !== undefined) problems.push(...checkPart(nested, member, name, { path, problems, meter }))
  }
}

function checkPart(
  checks: NestedChecks,
  value: unknown,
  step: string | number,
  { path, meter }: Place,
): FieldProblem[] {
  path.push(step)
  const problems = checkValue(checks, value, path, meter)
  path.pop()
  return problems
}

function checkJunctions({ allOf, anyOf, oneOf, not }: Checks, value: unknown, { path, problems, meter }: Place): void {
  const fail = (why: string): void => {
    const field = formatPath(path)
    problems.push({ field, type: 'FieldValueInvalid', value: '', detail: `"${field}" ${why}` })
  }
  if (anyOf) {
    const results = anyOf.map((nested) => checkValue(nested, value, path, meter))
    if (!results.some(isPassed)) {
      fail('must validate at least one schema (anyOf)')
      problems.push(...fewest(results))
    }
  }
  if (oneOf) {
    const results = oneOf.map((nested) => checkValue(nested, value, path, meter))
    const passed = results.filter(isPassed).length
    const found = passed === 0 ? 'Found none valid' : `Found ${passed} valid alternatives`
    if (passed !== 1) fail(`must validate one and only one schema (oneOf). ${found}`)
    if (passed === 0) problems.push(...fewest(results))
  }
  if (allOf) {
    const results = allOf.map((nested) => checkValue(nested, value, path, meter))
    problems.push(...results.flat())
    if (!results.every(isPassed))
      fail(`must validate all the schemas (allOf)${results.some(isPassed) ? '' : '. None validated'}`)
  }
  if (not && isPassed(checkValue(not, value, path, meter))) fail('must not validate the schema (not)')
}

const isPassed = (problems: readonly FieldProblem[]): boolean => problems.length === 0

// The closest of the failed alternatives: the one with the fewest problems, at the deepest paths.
function fewest(results: readonly FieldProblem[][]): FieldProblem[] {
  const least = results.reduce((count, problems) => Math.min(count, problems.length), Number.POSITIVE_INFINITY)
  let best: { problems: FieldProblem[]; depth: number } | undefined
  for (const problems of results) {
    if (problems.length !== least) continue
    const depth = depthOf(problems)
    if (best === undefined || depth > best.depth) best = { problems, depth }
  }
  return best?.problems ?? []
}

const depthOf = (problems: readonly FieldProblem[]): number =>
  Math.max(
    0,
    ...problems.filter(({ type }) => type !== 'FieldValueRequired').map(({ field }) => field.split('.').length),
  )

/** The problem for a value of the wrong type. */
export const wrongType = (field: string, value: unknown, type: string): FieldProblem => {
  const given = isWholeNumber(value) ? 'integer' : jsonTypeOf(value)
  return {
    field,
    type: 'FieldValueTypeInvalid',
    value: given,
    detail: `${inBody(field)} must be of type ${type}: ${formatExactJson(given)}`,
  }
}
