import { formatExactJson } from '../../api/exact-json.ts'
import { apiVersionOf } from '../../api/resource-type.ts'
import { normalize } from '../schema/normalize.ts'
import { countValues, MOST_OBJECT_VALUES, tooManyValues } from '../schema/value-limits.ts'
import type { Draft, KindDefinition } from './kind-definition.ts'
import { badRequest } from './refusals.ts'

export type FieldValidation = 'Ignore' | 'Warn' | 'Strict'

/** The part of a kind that decoding needs. */
export type DecodedKind = Pick<KindDefinition, 'type' | 'schema'>

/** A body as an object of the kind: known fields only, in normal form. Adds unknown fields to `warnings`, or rejects them. */
export function decodeObject(
  kind: DecodedKind,
  body: unknown,
  validation: FieldValidation,
  warnings: string[],
  duplicates: readonly string[] = [],
): Draft {
  const { draft, unknownFields } = decodeKnown(kind, body)
  const reports = [...unknownFields.map((field) => `unknown field "${field}"`), ...formatDuplicates(duplicates)]
  reportFields(kind, reports, validation, warnings)
  return draft
}

/** The same, with the paths of the fields that the kind does not have. */
export function decodeKnown(kind: DecodedKind, body: unknown): { draft: Draft; unknownFields: readonly string[] } {
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw badRequest(`the body of the request is not an object of kind ${kind.type.kind}`)
  const given = checkType(kind, body as Draft)
  const { value, unknownFields, problems } = normalize(kind.schema, given)
  if (problems.length > 0) throw badRequest(`${cannotBeHandled(kind)}: ${problems.join(', ')}`)
  const draft = value as Draft
  if (typeof draft['metadata'] !== 'object' || draft['metadata'] === null) draft['metadata'] = {}
  return { draft, unknownFields }
}

// A duplicate key in YAML is reported with its line, as in Kubernetes.
const YAML_DUPLICATE = /^line \d+: key /

export const formatDuplicates = (fields: readonly string[]): string[] =>
  fields.map((field) => (YAML_DUPLICATE.test(field) ? field : `duplicate field "${field}"`))

/** Rejects an object with too many values to process in one turn. An existing object with as many may keep or remove some. */
export function refuseManyValues(
  { hasManyValues }: Pick<KindDefinition, 'hasManyValues'>,
  body: unknown,
  before?: unknown,
): void {
  if (hasManyValues) return
  if (countValues(body, MOST_OBJECT_VALUES) <= MOST_OBJECT_VALUES) return
  if (before === undefined || countValues(body) > countValues(before)) throw tooManyValues(MOST_OBJECT_VALUES)
}

const cannotBeHandled = ({ type }: DecodedKind): string =>
  `${type.kind} in version "${type.version}" cannot be handled as a ${type.kind}`

function checkType({ type }: DecodedKind, given: Draft): Draft {
  const apiVersion = apiVersionOf(type)
  const givenVersion = given['apiVersion'] ?? apiVersion
  const givenKind = given['kind'] ?? type.kind
  if (givenVersion !== apiVersion) {
    const shown = typeof givenVersion === 'string' ? givenVersion : formatExactJson(givenVersion)
    throw badRequest(`the API version in the data (${shown}) does not match the expected API version (${apiVersion})`)
  }
  if (givenKind !== type.kind)
    throw badRequest(
      `the object provided is unrecognized (must be of type ${type.kind}): its kind is ${formatExactJson(givenKind)}`,
    )
  return { ...given, apiVersion, kind: type.kind }
}

/** Adds the texts to `warnings`, or rejects the request. */
export function reportFields(
  kind: DecodedKind,
  reports: string[],
  validation: FieldValidation,
  warnings: string[],
): void {
  if (reports.length === 0 || validation === 'Ignore') return
  if (validation === 'Strict')
    throw badRequest(`${cannotBeHandled(kind)}: strict decoding error: ${reports.join(', ')}`)
  warnings.push(...reports)
}
