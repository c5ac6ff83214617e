import type { CaseInfo } from './case.ts'

/** The cases that `only` names, or all, without those that `skip` names. A name is an ID, a topic, or a pattern with `*`. Unknown names are returned. */
export function chooseCases<One extends CaseInfo>(
  cases: readonly One[],
  only: readonly string[],
  skip: readonly string[],
): { cases: One[]; unknown: string[] } {
  const matches = (name: string, { id }: CaseInfo): boolean => patternOf(name).test(id)
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
