import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { MET_WITHOUT_TEST } from './met-without-test.ts'
import { ALL_MUTATIONS } from './mutations/all-mutations.ts'
import { findMutationProblems } from './mutations/find-mutation-problems.ts'
import type { Verdict } from './mutations/judge-mutation.ts'
import { readText, verifyMutations } from './mutations/verify-mutations.ts'
import requirementIds from './requirement-ids.json' with { type: 'json' }
import { ROOT } from './run.ts'
import { listFiles } from './source-file.ts'
import { findMissingPages, formatPage, formatSummary, formatTable, traceRequirements } from './trace-requirements.ts'
import type { Trace } from './trace-requirements.ts'
import { collectTitles } from './tracing/collect-titles.ts'
import type { TestTitle } from './tracing/title-register.ts'

const TESTS = ['src', 'examples', 'test'].flatMap((folder) =>
  ['test', 'simulation'].map((kind) => `${folder}/**/*.${kind}.ts`),
)
const PAGE = 'docs/requirements.md'

/** What is wrong with titles, records and recorded mutations; part of `npm run check`. */
export async function checkTrace(): Promise<string[]> {
  const { trace, titles } = await readTrace()
  return findProblems(trace, titles)
}

async function readTrace(): Promise<{ trace: Trace; titles: TestTitle[] }> {
  const titles = await collectTitles(listFiles(ROOT, TESTS))
  return { titles, trace: traceRequirements(requirementIds, titles, MET_WITHOUT_TEST) }
}

function findProblems(trace: Trace, titles: readonly TestTitle[]): string[] {
  const facts = {
    titles,
    isKnown: (id: string) => trace.tests.has(id) || trace.rules.has(id),
    readText: (path: string) => readText(ROOT, path),
  }
  const stale =
    readText(ROOT, PAGE) === formatPage(requirementIds, trace)
      ? []
      : [`${PAGE} is out of date: run npm run trace -- --write`]
  return [
    ...trace.problems,
    ...findMissingPages(MET_WITHOUT_TEST, (path) => existsSync(join(ROOT, path))),
    ...findMutationProblems(ALL_MUTATIONS, facts),
    ...stale,
  ]
}

/** Runs the recorded mutations, all or those of these IDs. */
async function verify(ids: readonly string[]): Promise<number> {
  const { trace, titles } = await readTrace()
  const chosen = ALL_MUTATIONS.filter(({ id }) => ids.length === 0 || ids.includes(id))
  const unknown = ids.filter((id) => !chosen.some((mutation) => mutation.id === id))
  const facts = {
    titles,
    isKnown: (id: string) => trace.tests.has(id) || trace.rules.has(id),
    readText: (path: string) => readText(ROOT, path),
  }
  const wrong = [...unknown.map((id) => `no mutation is recorded for ${id}`), ...findMutationProblems(chosen, facts)]
  const runnable = chosen.filter((mutation) => findMutationProblems([mutation], facts).length === 0)
  for (const problem of wrong) process.stdout.write(`${problem}\n`)
  const interrupt = new AbortController()
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(name, () => interrupt.abort())
  const count = { killed: 0, survived: 0, broken: wrong.length } satisfies Record<Verdict['kind'], number>
  let done = 0
  await verifyMutations({
    root: ROOT,
    mutations: runnable,
    titles,
    signal: interrupt.signal,
    onVerdict({ id, file }, verdict) {
      count[verdict.kind] += 1
      done += 1
      process.stdout.write(`${done}/${runnable.length} ${id} ${file}: ${formatVerdict(verdict)}\n`)
    },
  })
  const ending = interrupt.signal.aborted
    ? `interrupted after ${done} of ${runnable.length}`
    : `${chosen.length} mutations`
  process.stdout.write(`${ending}: ${count.killed} killed, ${count.survived} survived, ${count.broken} broken\n`)
  return interrupt.signal.aborted || count.survived + count.broken > 0 ? 1 : 0
}

function formatVerdict(verdict: Verdict): string {
  if (verdict.kind === 'killed') return verdict.by === 'timeout' ? 'killed (timed out)' : 'killed'
  return verdict.kind === 'survived' ? 'SURVIVED: its test passes with the mutation' : `BROKEN: ${verdict.reason}`
}

/** npm run trace [-- --json | --write | --check | --verify [ID…]]: how each requirement is met, and which are not yet. */
async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    options: {
      json: { type: 'boolean' },
      write: { type: 'boolean' },
      check: { type: 'boolean' },
      verify: { type: 'boolean' },
    },
    allowPositionals: true,
  })
  if (values.verify) return verify(positionals)
  const { trace, titles } = await readTrace()
  if (values.json) {
    process.stdout.write(
      `${JSON.stringify({ tests: Object.fromEntries(trace.tests), records: Object.fromEntries(trace.records), missing: trace.missing, problems: trace.problems }, undefined, 2)}\n`,
    )
    return 0
  }
  if (values.write) writeFileSync(join(ROOT, PAGE), formatPage(requirementIds, trace))
  if (!values.check && !values.write) process.stdout.write(formatTable(trace))
  const proved = [...trace.tests].filter(([, found]) => found.length > 0)
  const covered = proved.filter(([id]) => ALL_MUTATIONS.some((mutation) => mutation.id === id)).length
  process.stdout.write(
    `${formatSummary(trace)}${covered} of ${proved.length} proved requirements have a recorded mutation\n`,
  )
  if (!values.check) return 0
  const problems = findProblems(trace, titles)
  for (const problem of problems.filter((line) => !trace.problems.includes(line))) process.stdout.write(`${problem}\n`)
  return problems.length === 0 ? 0 : 1
}

if (import.meta.main) process.exitCode = await main()
