import { findIds, leadingIds } from '../trace-requirements.ts'
import type { TestTitle } from '../tracing/title-register.ts'
import type { RequirementMutation } from './requirement-mutation.ts'

export type MutationFacts = {
  readonly titles: readonly TestTitle[]
  isKnown(id: string): boolean
  /** Undefined when there is no such file. */
  readText(path: string): string | undefined
}

/** What is wrong with the recorded mutations, as far as that can be seen without running them. */
export function findMutationProblems(mutations: readonly RequirementMutation[], facts: MutationFacts): string[] {
  return mutations.flatMap((mutation) => {
    const problem = findProblem(mutation, facts)
    return problem === undefined ? [] : [`scripts/mutations: ${mutation.id} in ${mutation.file}: ${problem}`]
  })
}

function findProblem(
  { id, file, text, replacement, test }: RequirementMutation,
  facts: MutationFacts,
): string | undefined {
  if (findIds(id).join() !== id || !facts.isKnown(id)) return `${id} does not exist`
  const source = facts.readText(file)
  if (source === undefined) return 'the file does not exist'
  const count = text === '' ? 0 : source.split(text).length - 1
  if (count !== 1) return `the text occurs ${count} times, not once: ${JSON.stringify(text)}`
  if (replacement === text) return 'the replacement changes nothing'
  if (facts.readText(test) === undefined) return `the test file ${test} does not exist`
  if (titlesOf(id, test, facts.titles).length === 0) return `no test in ${test} has a title that begins with ${id}`
  return undefined
}

/** The tests of a file that prove an ID. */
export function titlesOf(id: string, file: string, titles: readonly TestTitle[]): string[] {
  return titles.filter((item) => item.file === file && leadingIds(item.title).includes(id)).map(({ title }) => title)
}
