import { formatExactJson } from '../../api/exact-json.ts'
import type { DeleteOptions } from '../../api/api.ts'
import type { FieldProblem } from '../core/kind-definition.ts'
import { badRequest } from '../core/refusals.ts'
import { checkDryRun, invalidOptions, unsupported } from './parse-options.ts'
import { booleanOf, integerOf, textOf } from './query-values.ts'

const POLICIES = ['Foreground', 'Background', 'Orphan'] as const

type Given = {
  gracePeriodSeconds: number | undefined
  orphanDependents: boolean | undefined
  propagationPolicy: string | undefined
  dryRun: readonly unknown[]
  preconditions: { uid?: string; resourceVersion?: string } | undefined
}

/** Delete options from the body, which needs neither kind nor version, or otherwise from the query. A dry run in the query always counts. */
export function parseDeleteOptions(query: URLSearchParams, body: unknown): DeleteOptions {
  const given = body === undefined ? fromQuery(query) : fromBody(body)
  const dryRun = body === undefined ? given.dryRun : [...given.dryRun, ...query.getAll('dryRun')]
  const problems = problemsOf({ ...given, dryRun })
  if (problems.length > 0) throw invalidOptions('DeleteOptions', problems)
  const { gracePeriodSeconds, preconditions } = given
  const propagationPolicy = policyOf(given)
  return {
    // A negative grace period has always meant the shortest one.
    ...(gracePeriodSeconds !== undefined && { gracePeriodSeconds: gracePeriodSeconds < 0 ? 1 : gracePeriodSeconds }),
    ...(preconditions && { preconditions }),
    ...(propagationPolicy && { propagationPolicy }),
    ...(dryRun.length > 0 && { dryRun: true }),
  }
}

const fromQuery = (query: URLSearchParams): Given => ({
  gracePeriodSeconds: integerOf(query, 'gracePeriodSeconds'),
  orphanDependents: booleanOf(query, 'orphanDependents'),
  propagationPolicy: textOf(query, 'propagationPolicy'),
  dryRun: query.getAll('dryRun'),
  preconditions: undefined,
})

function fromBody(body: unknown): Given {
  const members = objectAt(body, 'DeleteOptions')
  const { kind = 'DeleteOptions', dryRun } = members
  if (kind !== 'DeleteOptions' && kind !== '')
    throw badRequest(`the body of a deletion has to be of kind DeleteOptions, not ${formatExactJson(kind)}`)
  if (dryRun !== undefined && dryRun !== null && !Array.isArray(dryRun)) throw mistyped('dryRun')
  return {
    gracePeriodSeconds: integerAt(members, 'gracePeriodSeconds'),
    orphanDependents: booleanAt(members, 'orphanDependents'),
    propagationPolicy: textAt(members, 'propagationPolicy'),
    dryRun: (dryRun as unknown[] | null | undefined) ?? [],
    preconditions: preconditionsOf(members['preconditions']),
  }
}

function preconditionsOf(value: unknown): Given['preconditions'] {
  if (value === undefined || value === null) return undefined
  const members = objectAt(value, 'preconditions')
  const uid = textAt(members, 'uid')
  const resourceVersion = textAt(members, 'resourceVersion')
  return { ...(uid !== undefined && { uid }), ...(resourceVersion !== undefined && { resourceVersion }) }
}

type Members = Readonly<Record<string, unknown>>

const mistyped = (field: string) => badRequest(`DeleteOptions cannot be handled: ${field} has the wrong type`)

function objectAt(value: unknown, field: string): Members {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw mistyped(field)
  return value as Members
}

function textAt(members: Members, field: string): string | undefined {
  const value = members[field] ?? undefined
  if (value !== undefined && typeof value !== 'string') throw mistyped(field)
  return value
}

function booleanAt(members: Members, field: string): boolean | undefined {
  const value = members[field] ?? undefined
  if (value !== undefined && typeof value !== 'boolean') throw mistyped(field)
  return value
}

function integerAt(members: Members, field: string): number | undefined {
  const value = members[field] ?? undefined
  if (value !== undefined && (typeof value !== 'number' || !Number.isInteger(value))) throw mistyped(field)
  return value
}

function problemsOf({ orphanDependents, propagationPolicy, dryRun }: Given): FieldProblem[] {
  const problems: FieldProblem[] = []
  if (orphanDependents !== undefined && propagationPolicy !== undefined) {
    const detail = 'orphanDependents and deletionPropagation cannot be both set'
    problems.push({ field: 'propagationPolicy', type: 'FieldValueInvalid', value: propagationPolicy, detail })
  }
  if (propagationPolicy !== undefined && !(POLICIES as readonly string[]).includes(propagationPolicy)) {
    problems.push(unsupported('propagationPolicy', propagationPolicy, [...POLICIES, 'nil']))
  }
  return [...problems, ...checkDryRun(dryRun)]
}

function policyOf({ orphanDependents, propagationPolicy }: Given): DeleteOptions['propagationPolicy'] {
  if (orphanDependents !== undefined) return orphanDependents ? 'Orphan' : 'Background'
  return POLICIES.find((policy) => policy === propagationPolicy)
}
