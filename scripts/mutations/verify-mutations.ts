import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestTitle } from '../tracing/title-register.ts'
import { titlesOf } from './find-mutation-problems.ts'
import { judgeMutated, judgeUnmutated } from './judge-mutation.ts'
import type { Verdict } from './judge-mutation.ts'
import { openPrivateCopy } from './private-copy.ts'
import type { PrivateCopy } from './private-copy.ts'
import type { RequirementMutation } from './requirement-mutation.ts'
import { runTitles } from './run-titles.ts'
import type { TitlesRun } from './run-titles.ts'

export type Verification = {
  readonly root: string
  /** Those that `findMutationProblems` has nothing against. */
  readonly mutations: readonly RequirementMutation[]
  readonly titles: readonly TestTitle[]
  readonly signal: AbortSignal
  onVerdict(mutation: RequirementMutation, verdict: Verdict): void
}

const UNMUTATED_TIMEOUT_MS = 300_000
/** A mutated test gets this much, and five times as long as it took before: a slow machine must not look like a failing test. */
const LEAST_TIMEOUT_MS = 30_000

/** Applies each mutation to a private copy of the tree, one at a time, and sees whether its test fails. */
export async function verifyMutations({ root, mutations, titles, signal, onVerdict }: Verification): Promise<void> {
  const copy = openPrivateCopy(root)
  try {
    const passed = new Map<string, number>()
    for (const mutation of mutations) {
      const verdict = await verifyOne(mutation, { copy, titles, signal, passed })
      if (signal.aborted) return
      onVerdict(mutation, verdict)
    }
  } finally {
    copy.remove()
  }
}

type Parts = Pick<Verification, 'titles' | 'signal'> & {
  readonly copy: PrivateCopy
  /** How long tests took that passed unmutated: several mutations may have the same. */
  readonly passed: Map<string, number>
}

async function verifyOne(
  { id, file, text, replacement, test }: RequirementMutation,
  { copy, titles, signal, passed }: Parts,
): Promise<Verdict> {
  const run: TitlesRun = {
    root: copy.root,
    file: test,
    titles: titlesOf(id, test, titles),
    timeoutMs: UNMUTATED_TIMEOUT_MS,
    signal,
  }
  const key = JSON.stringify([test, run.titles])
  let tookMs = passed.get(key)
  if (tookMs === undefined) {
    const unmutated = await runTitles(run)
    const problem = judgeUnmutated(unmutated)
    if (problem) return problem
    tookMs = unmutated.tookMs
    passed.set(key, tookMs)
  }
  const timeoutMs = Math.max(LEAST_TIMEOUT_MS, 5 * tookMs)
  return copy.withChange(
    file,
    (source) => source.replace(text, () => replacement),
    async () => judgeMutated(await runTitles({ ...run, timeoutMs })),
  )
}

/** Undefined when there is no such file. */
export function readText(root: string, path: string): string | undefined {
  try {
    return readFileSync(join(root, path), 'utf8')
  } catch {
    return undefined
  }
}
