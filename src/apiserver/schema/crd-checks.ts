import { isEqualJson } from '../../api/equal-json.ts'
import type { CrdPatterns } from './crd-patterns.ts'
import type { FieldProblem } from './field-problem.ts'
import { isJsonObject } from './json.ts'
import type { JsonObject } from './json.ts'
import type { Checks, NestedChecks } from './schema.ts'

const NUMBERS = [
  'minimum',
  'maximum',
  'multipleOf',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'minProperties',
  'maxProperties',
] as const
const FLAGS = ['exclusiveMinimum', 'exclusiveMaximum', 'uniqueItems'] as const
const LISTS = ['allOf', 'anyOf', 'oneOf'] as const

/** The list for the problems of a CRD, and the source of its patterns. */
export type CheckReader = { readonly problems: FieldProblem[]; readonly patterns: CrdPatterns }

/** The constraints of a CRD's schema on values beyond their type; undefined if there are none. */
export function readChecks(source: JsonObject, field: string, reader: CheckReader): Checks | undefined {
  const checks: { -readonly [Name in keyof Checks]: Checks[Name] } = {}
  for (const name of NUMBERS) {
    const value = source[name]
    if (typeof value === 'number') checks[name] = value
  }
  for (const name of FLAGS) {
    if (source[name] === true) checks[name] = true
  }
  if (Array.isArray(source['required']) && source['required'].length > 0)
    checks.required = source['required'].map(String)
  if (Array.isArray(source['enum'])) checks.enum = source['enum']
  if (typeof source['format'] === 'string' && source['format'] !== '') checks.format = source['format']
  const pattern = source['pattern']
  if (typeof pattern === 'string' && pattern !== '')
    checks.pattern = reader.patterns.read(pattern, `${field}.pattern`, reader.problems)
  for (const name of LISTS) {
    const nested = readNestedList(source[name], `${field}.${name}`, isKnownForm(source, name), reader)
    if (nested.length > 0) checks[name] = nested
  }
  if (isJsonObject(source['not'])) checks.not = readNested(source['not'], `${field}.not`, reader)
  return Object.keys(checks).length === 0 ? undefined : checks
}

// `anyOf: [{type: integer}, {type: string}]`, alone or first in `allOf`, is the other spelling of int-or-string.
function isKnownForm(source: JsonObject, name: 'allOf' | 'anyOf' | 'oneOf'): boolean {
  if (source['x-kubernetes-int-or-string'] !== true) return false
  const list = source[name]
  if (name === 'anyOf') return isIntegerOrString(list)
  const [first] = Array.isArray(list) ? (list as unknown[]) : []
  return name === 'allOf' && isJsonObject(first) && isIntegerOrString(first['anyOf'])
}

const isIntegerOrString = (list: unknown): boolean => isEqualJson(list, [{ type: 'integer' }, { type: 'string' }])

function readNestedList(list: unknown, field: string, isKnown: boolean, reader: CheckReader): NestedChecks[] {
  if (!Array.isArray(list)) return []
  if (isKnown && field.endsWith('.anyOf')) return []
  return list.flatMap((item: unknown, index) => {
    if (!isJsonObject(item)) return []
    if (isKnown && index === 0) {
      const { anyOf: _typeOnly, ...rest } = item
      return [readNested(rest, `${field}[0]`, reader)]
    }
    return [readNested(item, `${field}[${index}]`, reader)]
  })
}

// The structure must be described outside, otherwise pruning and defaulting would depend on the value.
const FORBIDDEN: readonly [name: string, detail: string][] = [
  ['type', 'must be empty to be structural'],
  ['additionalProperties', 'must be undefined to be structural'],
  ['default', 'must be undefined to be structural'],
  ['title', 'must be empty to be structural'],
  ['description', 'must be empty to be structural'],
  ['nullable', 'must be false to be structural'],
  ['x-kubernetes-preserve-unknown-fields', 'must be false to be structural'],
  ['x-kubernetes-embedded-resource', 'must be false to be structural'],
  ['x-kubernetes-int-or-string', 'must be false to be structural'],
  ['x-kubernetes-list-map-keys', 'must be empty to be structural'],
  ['x-kubernetes-list-type', 'must be undefined to be structural'],
  ['x-kubernetes-map-type', 'must be undefined to be structural'],
  ['x-kubernetes-validations', 'must be empty to be structural'],
]

function readNested(source: JsonObject, field: string, reader: CheckReader): NestedChecks {
  const { problems } = reader
  for (const [name, detail] of FORBIDDEN) {
    const value = source[name]
    if (value !== undefined && value !== false && value !== '')
      problems.push({ field: `${field}.${name}`, type: 'FieldValueForbidden', detail })
  }
  const properties = new Map<string, NestedChecks>()
  const sources = isJsonObject(source['properties']) ? source['properties'] : {}
  for (const name of Object.keys(sources)) {
    const member = `${field}.properties[${name}]`
    if (name === 'metadata')
      problems.push({ field: member, type: 'FieldValueForbidden', detail: 'must not be specified in a nested context' })
    const inner = sources[name]
    if (isJsonObject(inner)) properties.set(name, readNested(inner, member, reader))
  }
  const items = isJsonObject(source['items']) ? readNested(source['items'], `${field}.items`, reader) : undefined
  return { ...readChecks(source, field, reader), ...(properties.size > 0 && { properties }), ...(items && { items }) }
}
