import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { EQUIVALENT_MUTANTS } from './mutate/equivalent-mutants.ts'
import { findDependents, findTests } from './mutate/find-tests.ts'
import { applyMutant, linesOf, makeMutants } from './mutate/make-mutants.ts'
import type { Mutant } from './mutate/make-mutants.ts'
import { openCompiler } from './mutate/open-compiler.ts'
import { formatSummary, replaceRow, summarize } from './mutate/summarize.ts'
import type { FileResult } from './mutate/summarize.ts'
import { tryTexts } from './mutate/try-mutants.ts'
import { ROOT } from './run.ts'
import { listFiles, readFiles } from './source-file.ts'
import type { SourceFile } from './source-file.ts'

const DECISIONS = ['src/**/next-*-step.ts']
const PAGE = 'docs/design/mutation-testing.md'
/** Below this adjusted score the command fails. */
const LEAST_SCORE = 85
const JOBS = 2
const UNCHANGED_TIMEOUT_MS = 300_000
/** A mutant gets this much, and ten times as long as the unchanged file took: a slow machine must not look like a failing test. */
const LEAST_TIMEOUT_MS = 30_000

/** Changes a file in every small way that the compiler accepts, and tells which changes its tests don't notice. */
async function mutateFile(path: string, files: readonly SourceFile[], tests: readonly string[]): Promise<FileResult> {
  const text = readFileSync(join(ROOT, path), 'utf8')
  const mutants = findMutants(path, text)
  const trials = { root: ROOT, file: path, tests, reloaded: findDependents(path, files), jobs: JOBS }
  const startMs = performance.now()
  const [unchanged] = await tryTexts({ ...trials, timeoutMs: UNCHANGED_TIMEOUT_MS }, [text])
  if (unchanged?.kind !== 'passed')
    throw new Error(`the tests of ${path} fail without any change: ${unchanged?.reason ?? ''}`)
  if (unchanged.tests === 0) throw new Error(`${tests.join(', ')} ran no test`)
  const timeoutMs = Math.max(LEAST_TIMEOUT_MS, 10 * (performance.now() - startMs))
  const results = await tryTexts(
    { ...trials, timeoutMs },
    mutants.map((mutant) => applyMutant(text, mutant)),
  )
  const survivors = mutants
    .filter((_, index) => results[index]?.kind === 'passed')
    .map((mutant) => ({ ...linesOf(text, mutant), text: applyMutant(text, mutant) }))
  return { file: path, text, mutants: mutants.length, survivors }
}

function findMutants(path: string, text: string): Mutant[] {
  const compiler = openCompiler(ROOT, path)
  try {
    return makeMutants(compiler.parse()).filter(
      (mutant) => !mutant.needsTypes || !compiler.isRefused(applyMutant(text, mutant)),
    )
  } finally {
    compiler.close()
  }
}

/** npm run mutate [FILE…] [-- --test FILE… --write]: every decision file without arguments. */
async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    options: { test: { type: 'string', multiple: true }, write: { type: 'boolean' } },
    allowPositionals: true,
  })
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(name, () => process.exit(1))
  const paths = positionals.length > 0 ? positionals : listFiles(ROOT, DECISIONS)
  const files = readFiles(ROOT, ['src/**/*.ts', 'examples/**/*.ts'])
  let isFailed = false
  for (const path of paths) {
    const tests = values.test ?? findTests(path, files)
    if (tests.length === 0) {
      process.stdout.write(`${path}: has no test beside it, and no test imports it\n`)
      isFailed = true
      continue
    }
    const summary = summarize(await mutateFile(path, files, tests), EQUIVALENT_MUTANTS)
    process.stdout.write(formatSummary(summary))
    if (values.write) writeFileSync(join(ROOT, PAGE), replaceRow(readFileSync(join(ROOT, PAGE), 'utf8'), summary))
    if (summary.adjustedScore < LEAST_SCORE || summary.outdated.length > 0) isFailed = true
  }
  return isFailed ? 1 : 0
}

if (import.meta.main) process.exitCode = await main()
