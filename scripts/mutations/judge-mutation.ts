import type { TitlesResult } from './run-titles.ts'

export type Verdict =
  /** The test notices. */
  | { readonly kind: 'killed'; readonly by: 'failure' | 'timeout' }
  | { readonly kind: 'survived' }
  /** Nothing was learned. */
  | { readonly kind: 'broken'; readonly reason: string }

/** Undefined when the tests pass as they should without the mutation. */
export function judgeUnmutated({ outcomes, isTimedOut, stderr }: TitlesResult): Verdict | undefined {
  const failed = outcomes.find(({ outcome }) => outcome === 'failed')
  if (failed) return { kind: 'broken', reason: `"${failed.title}" fails without the mutation` }
  if (isTimedOut) return { kind: 'broken', reason: 'the test does not end without the mutation' }
  if (outcomes.some(({ outcome }) => outcome === 'passed')) return undefined
  return {
    kind: 'broken',
    reason: outcomes.length > 0 ? 'the test is skipped here' : `the test did not run: ${lastLine(stderr)}`,
  }
}

export function judgeMutated({ outcomes, isTimedOut, stderr }: TitlesResult): Verdict {
  if (outcomes.some(({ outcome }) => outcome === 'failed')) return { kind: 'killed', by: 'failure' }
  if (isTimedOut) return { kind: 'killed', by: 'timeout' }
  if (outcomes.some(({ outcome }) => outcome === 'passed')) return { kind: 'survived' }
  // Source that cannot be loaded fails every test there is, so it says nothing about this one.
  return { kind: 'broken', reason: `the mutated source cannot be loaded: ${lastLine(stderr)}` }
}

const lastLine = (text: string): string =>
  text
    .split('\n')
    .findLast((line) => /error/i.test(line))
    ?.trim() ?? 'no error was printed'
