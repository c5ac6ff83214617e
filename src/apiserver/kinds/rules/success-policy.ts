import type { JobSpec } from '../../../api/kinds/job.ts'
import type { FieldProblem } from '../../core/kind-definition.ts'
import type { Loose } from '../loose.ts'
import { invalid, nonNegative, required, tooLong, tooMany } from './problems.ts'

type SuccessPolicy = NonNullable<Loose<JobSpec>['successPolicy']>

const MOST_RULES = 20
const LONGEST_INDEXES = 64 * 1024

/** The success policy of an Indexed Job, in upstream's words. */
export function successPolicyProblems(field: string, policy: SuccessPolicy, completions: number): FieldProblem[] {
  // An empty list is stored as null.
  const rules = policy.rules ?? []
  return [
    ...(rules.length === 0
      ? [required(`${field}.rules`, 'at least one rules must be specified when the successPolicy is specified')]
      : []),
    ...tooMany(`${field}.rules`, rules.length, MOST_RULES),
    ...rules.flatMap((rule, place) => ruleProblems(`${field}.rules[${place}]`, rule, completions)),
  ]
}

function ruleProblems(
  field: string,
  { succeededCount, succeededIndexes }: NonNullable<SuccessPolicy['rules']>[number],
  completions: number,
): FieldProblem[] {
  if (succeededCount === undefined && succeededIndexes === undefined)
    return [required(field, 'at least one of succeededCount or succeededIndexes must be specified')]
  const indexes = succeededIndexes === undefined ? undefined : countIndexes(succeededIndexes, completions)
  const total = typeof indexes === 'number' ? indexes : 0
  const atMost = (most: number, of: string): FieldProblem[] =>
    (succeededCount ?? 0) > most
      ? [
          invalid(
            `${field}.succeededCount`,
            succeededCount,
            `must be less than or equal to ${most} (the number of ${of})`,
          ),
        ]
      : []
  return [
    ...(Buffer.byteLength(succeededIndexes ?? '') > LONGEST_INDEXES
      ? [tooLong(`${field}.succeededIndexes`, LONGEST_INDEXES)]
      : []),
    ...(typeof indexes === 'string'
      ? [invalid(`${field}.succeededIndexes`, succeededIndexes, `error parsing succeededIndexes: ${indexes}`)]
      : []),
    ...nonNegative(`${field}.succeededCount`, succeededCount),
    ...atMost(completions, 'specified completions'),
    ...(indexes === undefined ? [] : atMost(total, 'indexes in the specified succeededIndexes field')),
  ]
}

/** The number of indexes in text such as `1,3-5`, or what is wrong with the text. */
function countIndexes(text: string, completions: number): number | string {
  let last = -1
  let total = 0
  for (const interval of text === '' ? [] : text.split(',')) {
    const limits = interval.split('-')
    if (limits.length > 2)
      return `the fragment ${JSON.stringify(interval)} violates the requirement that an index interval can have at most two parts separated by '-'`
    for (const limit of limits) {
      if (!/^\+?\d+$/.test(limit)) return `cannot convert string to integer for index: ${JSON.stringify(limit)}`
      if (Number(limit) >= completions) return `too large index: ${JSON.stringify(limit)}`
    }
    const [first = 0, end = first] = limits.map(Number)
    if (limits.length === 2 && first >= end) return `non-increasing order, previous: ${first}, current: ${end}`
    if (last >= first) return `non-increasing order, previous: ${last}, current: ${first}`
    total += end - first + 1
    last = end
  }
  return total
}
