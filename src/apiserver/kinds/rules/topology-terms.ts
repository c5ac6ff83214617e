import { validateQualifiedName } from '../../../api/names.ts'
import type { TopologySelectorTerm } from '../../../api/kinds/selectors.ts'
import type { FieldProblem } from '../../core/kind-definition.ts'
import type { Loose } from '../loose.ts'
import { duplicate, invalidFor, required } from './problems.ts'

/** The allowed topologies of a class. Two equal terms are rejected, regardless of their order, and so is an empty one: Kubernetes reports it as a duplicate. */
export function topologyTermProblems(
  field: string,
  terms: readonly Loose<TopologySelectorTerm>[] | undefined,
): FieldProblem[] {
  const seen = new Set([meaningOf({})])
  return (terms ?? []).flatMap((term, index) => {
    const problems = termProblems(`${field}[${index}]`, term)
    const meaning = meaningOf(term)
    if (seen.has(meaning)) problems.push(duplicate(`${field}[${index}].matchLabelExpressions`, ''))
    seen.add(meaning)
    return problems
  })
}

function termProblems(field: string, term: Loose<TopologySelectorTerm>): FieldProblem[] {
  const keys = new Set<string>()
  return (term.matchLabelExpressions ?? []).flatMap(({ key = '', values }, index) => {
    const at = `${field}.matchLabelExpressions[${index}]`
    const given = values ?? []
    const repeated = given.flatMap((value, position) =>
      given.indexOf(value) < position ? [duplicate(`${at}.values[${position}]`, value)] : [],
    )
    const isKnown = keys.has(key)
    keys.add(key)
    return [
      ...(given.length === 0 ? [required(`${at}.values`)] : []),
      ...repeated,
      ...invalidFor(`${at}.key`, key, validateQualifiedName(key)),
      ...(isKnown ? [duplicate(`${at}.key`, key)] : []),
    ]
  })
}

// A duplicate key counts once, with its last values.
function meaningOf(term: Loose<TopologySelectorTerm>): string {
  const byKey = new Map(
    (term.matchLabelExpressions ?? []).map(({ key = '', values }) => [key, [...new Set(values ?? [])].sort()]),
  )
  return JSON.stringify([...byKey].sort(([one], [other]) => (one < other ? -1 : 1)))
}
