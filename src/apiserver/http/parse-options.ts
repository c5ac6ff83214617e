import type { ApiError } from '../../api/api-error.ts'
import type { ListOptions, WatchOptions } from '../../api/api.ts'
import { badRequest, invalid } from '../core/refusals.ts'
import type { FieldProblem } from '../core/kind-definition.ts'
import type { BodyOptions } from '../core/resource-request.ts'
import { booleanOf, countOf, isSet, textOf } from './query-values.ts'

export type OptionsKind = 'ListOptions' | 'CreateOptions' | 'UpdateOptions' | 'PatchOptions' | 'DeleteOptions'

/** Parameters are an object with their own kind, and are rejected like one. */
export const invalidOptions = (kind: OptionsKind, problems: readonly FieldProblem[]): ApiError =>
  invalid({ group: 'meta.k8s.io', kind }, '', problems)

/** A value that is not one of the supported ones. */
export const unsupported = (field: string, value: unknown, supported: readonly string[]): FieldProblem => ({
  field,
  type: 'FieldValueNotSupported',
  value,
  detail: `supported values: ${supported.map((item) => JSON.stringify(item)).join(', ')}`,
})

export function parseListOptions(query: URLSearchParams): ListOptions {
  if (query.size === 0) return {}
  if (query.has('sendInitialEvents')) {
    throw invalidOptions('ListOptions', [
      { field: 'sendInitialEvents', type: 'FieldValueForbidden', detail: 'sendInitialEvents is forbidden for list' },
    ])
  }
  const resourceVersionMatch = matchOf(query)
  const limit = countOf(query, 'limit')
  // Lists do not take that long, but a value that is no number is a mistake.
  countOf(query, 'timeoutSeconds')
  const continueToken = textOf(query, 'continue')
  return {
    ...selectionOf(query),
    ...(resourceVersionMatch && { resourceVersionMatch }),
    ...(limit !== undefined && { limit }),
    ...(continueToken !== undefined && { continueToken }),
  }
}

export function parseWatchOptions(query: URLSearchParams): WatchOptions {
  const sendInitialEvents = booleanOf(query, 'sendInitialEvents')
  const resourceVersionMatch = matchOf(query)
  if (resourceVersionMatch === 'Exact') {
    const detail =
      sendInitialEvents === undefined
        ? 'resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided'
        : 'sendInitialEvents requires setting resourceVersionMatch to NotOlderThan'
    throw invalidOptions('ListOptions', [{ field: 'resourceVersionMatch', type: 'FieldValueForbidden', detail }])
  }
  const timeoutSeconds = countOf(query, 'timeoutSeconds')
  return {
    ...selectionOf(query),
    ...(resourceVersionMatch && { resourceVersionMatch }),
    ...(isSet(query, 'allowWatchBookmarks') && { allowBookmarks: true }),
    ...(sendInitialEvents !== undefined && { sendInitialEvents }),
    ...(timeoutSeconds !== undefined && { timeoutSeconds }),
  }
}

function selectionOf(query: URLSearchParams): Pick<ListOptions, 'labelSelector' | 'fieldSelector' | 'resourceVersion'> {
  const labelSelector = textOf(query, 'labelSelector')
  const fieldSelector = textOf(query, 'fieldSelector')
  const resourceVersion = textOf(query, 'resourceVersion')
  return {
    ...(labelSelector !== undefined && { labelSelector }),
    ...(fieldSelector !== undefined && { fieldSelector }),
    ...(resourceVersion !== undefined && { resourceVersion }),
  }
}

function matchOf(query: URLSearchParams): ListOptions['resourceVersionMatch'] {
  const match = textOf(query, 'resourceVersionMatch')
  if (match === undefined || match === 'Exact' || match === 'NotOlderThan') return match
  throw invalidOptions('ListOptions', [unsupported('resourceVersionMatch', match, ['Exact', 'NotOlderThan', ''])])
}

const LONGEST_FIELD_MANAGER = 128
const FIELD_VALIDATIONS = ['Ignore', 'Strict', 'Warn'] as const
const DEFAULT_BODY_OPTIONS: Omit<BodyOptions, 'duplicateFields'> = { dryRun: false, fieldValidation: 'Warn' }

/** Options of a request with an object or a patch as its body. */
export function parseBodyOptions(
  query: URLSearchParams,
  kind: 'CreateOptions' | 'UpdateOptions' | 'PatchOptions' | 'ApplyOptions',
): Omit<BodyOptions, 'duplicateFields'> {
  if (query.size === 0) return DEFAULT_BODY_OPTIONS
  const problems: FieldProblem[] = []
  const dryRun = query.getAll('dryRun')
  problems.push(...checkDryRun(dryRun))
  const asked = textOf(query, 'fieldValidation') ?? 'Warn'
  const fieldValidation = FIELD_VALIDATIONS.find((value) => value === asked)
  if (fieldValidation === undefined) problems.push(unsupported('fieldValidation', asked, FIELD_VALIDATIONS))
  const fieldManager = textOf(query, 'fieldManager')
  problems.push(...checkFieldManager(fieldManager ?? ''))
  if (kind === 'PatchOptions' && query.has('force')) {
    problems.push({ field: 'force', type: 'FieldValueForbidden', detail: 'may not be specified for non-apply patch' })
  }
  if (problems.length > 0) throw invalidOptions(kind === 'ApplyOptions' ? 'PatchOptions' : kind, problems)
  return {
    dryRun: dryRun.length > 0,
    fieldValidation: fieldValidation ?? 'Warn',
    ...(fieldManager !== undefined && { fieldManager }),
  }
}

/** Only `All` is supported: any other value must not cause a real write. */
export const checkDryRun = (stages: readonly unknown[]): FieldProblem[] =>
  stages.filter((stage) => stage !== 'All').map((stage) => unsupported('dryRun', stage, ['All']))

function checkFieldManager(name: string): FieldProblem[] {
  if (Buffer.byteLength(name) > LONGEST_FIELD_MANAGER) {
    return [
      {
        field: 'fieldManager',
        type: 'FieldValueTooLong',
        detail: `may not be more than ${LONGEST_FIELD_MANAGER} bytes`,
      },
    ]
  }
  if (/[\p{C}\p{Zl}\p{Zp}]/u.test(name))
    return [
      {
        field: 'fieldManager',
        type: 'FieldValueInvalid',
        value: name,
        detail: 'should only contain printable characters',
      },
    ]
  return []
}

export const INCLUDE_OBJECT = ['None', 'Metadata', 'Object'] as const
/** What a row of a Table includes of its object. */
export type IncludeObject = (typeof INCLUDE_OBJECT)[number]

export function parseIncludeObject(query: URLSearchParams): IncludeObject {
  const asked = textOf(query, 'includeObject') ?? 'Metadata'
  const known = INCLUDE_OBJECT.find((value) => value === asked)
  if (known === undefined)
    throw badRequest(
      `Invalid value for parameter "includeObject": ${JSON.stringify(asked)}: must be one of ${INCLUDE_OBJECT.join(', ')}`,
    )
  return known
}
