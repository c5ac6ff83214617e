import { formatExactJson } from '../../api/exact-json.ts'
import { ApiError } from '../../api/api-error.ts'
import type { StatusCause, StatusDetails } from '../../api/object.ts'
import { qualifiedResource } from '../../api/resource-type.ts'
import type { ResourceType } from '../../api/resource-type.ts'
import type { Conflict } from '../apply/apply-fields.ts'
import { formatPaths } from '../apply/field-set.ts'
import type { Manager } from '../apply/managed-fields.ts'
import type { FieldProblem } from './kind-definition.ts'

// Worded as in upstream: clients and people read these texts.

const detailsOf = (
  { group, plural }: ResourceType,
  name: string,
  more: Partial<StatusDetails> = {},
): StatusDetails => ({
  ...(name === '' ? {} : { name }),
  ...(group === '' ? {} : { group }),
  kind: plural,
  ...more,
})

export const notFound = (type: ResourceType, name: string): ApiError =>
  new ApiError('NotFound', `${qualifiedResource(type)} "${name}" not found`, { details: detailsOf(type, name) })

/** For an unknown path. The details are empty but present: kubectl reads them without checking. */
export const noSuchPath = (): ApiError =>
  new ApiError('NotFound', 'the server could not find the requested resource', { details: {} })

export const alreadyExists = (type: ResourceType, name: string): ApiError =>
  new ApiError('AlreadyExists', `${qualifiedResource(type)} "${name}" already exists`, {
    details: detailsOf(type, name),
  })

/** Every generated name is taken: the next request will try others. */
export const noFreeName = (type: ResourceType, name: string): ApiError =>
  new ApiError(
    'AlreadyExists',
    `${qualifiedResource(type)} "${name}" already exists, the server was not able to generate a unique name for the object`,
    {
      details: detailsOf(type, name, { retryAfterSeconds: 1 }),
    },
  )

const CHANGED = 'the object has been modified; please apply your changes to the latest version and try again'

export const conflict = (type: ResourceType, name: string, why: string = CHANGED): ApiError =>
  new ApiError('Conflict', `Operation cannot be fulfilled on ${qualifiedResource(type)} "${name}": ${why}`, {
    details: detailsOf(type, name),
  })

/** A deletion that was meant for another object, or another state of it. Upstream names the kind here, not the resource. */
export const failedPrecondition = ({ group, kind }: ResourceType, name: string, why: string): ApiError =>
  new ApiError(
    'Conflict',
    `Operation cannot be fulfilled on ${group === '' ? kind : `${kind}.${group}`} "${name}": ${why}`,
    { details: { name, ...(group === '' ? {} : { group }), kind } },
  )

/** An apply that would change fields of other managers. */
export function applyConflict(conflicts: readonly Conflict[]): ApiError {
  const all = [...conflicts]
    .sort((left, right) => (left.manager.name < right.manager.name ? -1 : 1))
    .map(({ manager, fields }) => ({ who: formatManager(manager), paths: formatPaths(fields) }))
  const causes = all.flatMap(({ who, paths }) =>
    paths.map((field): StatusCause => ({ reason: 'FieldManagerConflict', message: `conflict with ${who}`, field })),
  )
  const [only] = all
  const text =
    causes.length === 1 && only
      ? `1 conflict: conflict with ${only.who}: ${only.paths[0]}`
      : `${causes.length} conflicts: ${all
          .map(({ who, paths }) => [`conflicts with ${who}:`, ...paths.map((path) => `- ${path}`)].join('\n'))
          .join('\n')}`
  return new ApiError('Conflict', `Apply failed with ${text}`, { details: { causes } })
}

function formatManager({ name, subresource, operation, apiVersion }: Manager): string {
  const who = `${JSON.stringify(name)}${subresource === '' ? '' : ` with subresource ${JSON.stringify(subresource)}`}`
  return operation === 'Update' ? `${who} using ${apiVersion}` : who
}

export const forbidden = (type: ResourceType, name: string, why: string, causes?: readonly StatusCause[]): ApiError =>
  new ApiError('Forbidden', `${qualifiedResource(type)}${name === '' ? '' : ` "${name}"`} is forbidden: ${why}`, {
    details: detailsOf(type, name, causes ? { causes } : {}),
  })

export const badRequest = (message: string): ApiError => new ApiError('BadRequest', message)

/** One problem as text, with its path: `spec.x: Invalid value: "y": why`. */
export const formatProblem = (problem: FieldProblem): string => `${problem.field}: ${formatBody(problem)}`

export function invalid(
  type: Pick<ResourceType, 'group' | 'kind'>,
  name: string,
  problems: readonly FieldProblem[],
): ApiError {
  const kind = type.group === '' ? type.kind : `${type.kind}.${type.group}`
  const texts = [...new Set(problems.map(formatProblem))]
  const why = texts.length === 1 ? texts[0] : `[${texts.join(', ')}]`
  return new ApiError('Invalid', `${kind} "${name}" is invalid: ${why}`, {
    details: {
      ...(name === '' ? {} : { name }),
      ...(type.group === '' ? {} : { group: type.group }),
      ...(type.kind === '' ? {} : { kind: type.kind }),
      causes: problems.map((problem) => ({ reason: problem.type, message: formatBody(problem), field: problem.field })),
    },
  })
}

const LABELS: Record<FieldProblem['type'], string> = {
  FieldValueRequired: 'Required value',
  FieldValueInvalid: 'Invalid value',
  FieldValueNotSupported: 'Unsupported value',
  FieldValueDuplicate: 'Duplicate value',
  FieldValueForbidden: 'Forbidden',
  FieldValueTooLong: 'Too long',
  FieldValueTooMany: 'Too many',
  FieldValueNotFound: 'Not found',
  FieldValueTypeInvalid: 'Invalid value',
}
const WITHOUT_VALUE: ReadonlySet<FieldProblem['type']> = new Set([
  'FieldValueRequired',
  'FieldValueForbidden',
  'FieldValueTooLong',
])

function formatBody({ type, value, detail }: FieldProblem): string {
  const parts = [LABELS[type]]
  if (!WITHOUT_VALUE.has(type) && value !== undefined) parts.push(formatValue(value))
  if (detail !== '') parts.push(detail)
  return parts.join(': ')
}

function formatValue(value: unknown): string {
  return formatExactJson(value)
}
