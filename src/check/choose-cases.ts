import type { Case } from './case.ts'

/** The cases that `only` names, or all, without those that `skip` names. A name is an ID, a topic, or a pattern with `*`. Unknown names are returned. */
export function chooseCases(
  cases: readonly Case[],
  only: readonly string[],
  skip: readonly string[],
): { cases: Case[]; unknown: string[] } {
  const matches = (name: string, { id }: Case): boolean => patternOf(name).test(id)
  const unknown = [...only, ...skip].filter((name) => !cases.some((one) => matches(name, one)))
  const chosen = cases.filter(
    (one) => (only.length === 0 || only.some((name) => matches(name, one))) && !skip.some((name) => matches(name, one)),
  )
  return { cases: chosen, unknown }
}

// `create` is the topic, `create/repeat` the case, `create/no-*` several cases.
function patternOf(name: string): RegExp {
  const escaped = name.replaceAll(/[.+?^${}()|[\]\\]/g, String.raw`\$&`).replaceAll('*', '.*')
  return new RegExp(`^${escaped}(/.*)?$`)
}
