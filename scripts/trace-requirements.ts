import type { SourceFile } from './source-file.ts'
import { tokenize } from './tokenize.ts'

/** Texts by id (`S3-74`), in the order of the catalogue. */
export type Requirements = Readonly<Record<string, string>>
export type TracedTest = { name: string; file: string; line: number }

export type Trace = {
  /** Tests by requirement, an empty list for those without; in the order of the catalogue. */
  tests: ReadonlyMap<string, readonly TracedTest[]>
  /** Requirements that text for users or a decision meets, not code, with a word about it: those without a test are not counted as missing. */
  metWithoutTest: ReadonlyMap<string, string>
  /** Ids in test names that the catalogue doesn't have. */
  unknown: readonly (TracedTest & { id: string })[]
}

/** Finds the requirements that tests name: any text in a test file with an id in it counts, so that names in tables of cases do too. */
export function traceRequirements(requirements: Requirements, files: readonly SourceFile[], metWithoutTest: Requirements = {}): Trace {
  const tests = new Map<string, TracedTest[]>(Object.keys(requirements).map((id) => [id, []]))
  const unknown: (TracedTest & { id: string })[] = []
  for (const { path, text } of files) {
    for (const token of tokenize(text)) {
      if (token.kind !== 'string' && token.kind !== 'template') continue
      const named = { name: token.text, file: path, line: token.line }
      for (const id of findIds(token.text)) {
        const known = tests.get(id)
        if (known) known.push(named)
        else unknown.push({ ...named, id })
      }
    }
  }
  const documentation = Object.entries(requirements).filter(([, text]) => /documentation\)\.?$/.test(text)).map(([id]) => [id, 'documentation'] as const)
  const reasons = Object.entries(metWithoutTest).filter(([id]) => id in requirements)
  return { tests, metWithoutTest: new Map([...documentation, ...reasons]), unknown }
}

/** The ids in a text, with ranges written out: `S3-74 to S3-76`, `S3-74…76`, `S3-74–S3-76`. */
export function findIds(text: string): string[] {
  const ids = new Set<string>()
  for (const [, series = '', first = '', last] of text.matchAll(/\bS([0-4])-(\d+)(?:\s*(?:to|…|\.\.\.?|–)\s*(?:S\1-)?(\d+))?\b/g)) {
    const end = last === undefined ? Number(first) : Number(last)
    for (let number = Number(first); number <= end; number++) ids.add(`S${series}-${number}`)
  }
  return [...ids]
}

/** What is proved, and what is not, in a few lines for a terminal. */
export function formatSummary({ tests, metWithoutTest, unknown }: Trace): string {
  const missing = [...tests].filter(([id, found]) => found.length === 0 && !metWithoutTest.has(id)).map(([id]) => id)
  const proved = [...tests.values()].filter((found) => found.length > 0).length
  const untestable = [...metWithoutTest.keys()].filter((id) => tests.get(id)?.length === 0).length
  const lines = [
    `${tests.size} requirements: ${proved} with a test, ${untestable} met by documentation or decision, ${missing.length} without a test`,
    ...(missing.length === 0 ? [] : [`without a test: ${formatIds(missing)}`]),
    ...unknown.map(({ id, file, line }) => `${file}:${line}: names ${id}, which is no requirement`),
  ]
  return `${lines.join('\n')}\n`
}

/** One line for each requirement that has tests, and one for each of those tests. */
export function formatTable({ tests }: Trace): string {
  return [...tests]
    .filter(([, found]) => found.length > 0)
    .map(([id, found]) => `${id}\n${found.map(({ name, file }) => `    ${name}  (${file})\n`).join('')}`)
    .join('')
}

/** The catalogue as a page, with the tests of each requirement. */
export function formatPage(requirements: Requirements, trace: Trace): string {
  const rows = Object.entries(requirements).map(([id, text]) => {
    const found = trace.tests.get(id) ?? []
    const files = [...new Set(found.map(({ file }) => file))].map((file) => `[${file.replace(/^.*\//, '')}](../${file})`)
    const proof = files.length > 0 ? files.join(', ') : (trace.metWithoutTest.get(id) ?? '-').replaceAll('|', '\\|')
    return `| ${id} | ${text.replaceAll('|', '\\|')} | ${proof} |`
  })
  return `# Requirements

What Holdfast has to do, one row each, and the tests that prove it. Made by \`npm run trace -- --write\`.

${formatSummary(trace).trim().replaceAll('\n', '\n\n')}

| ID | requirement | proved by |
| --- | --- | --- |
${rows.join('\n')}
`
}

/** Neighbours as ranges: `S0-1…4, S0-7`. */
function formatIds(ids: readonly string[]): string {
  const ranges: { series: string; first: number; last: number }[] = []
  for (const id of ids) {
    const [series = '', text = ''] = id.split('-')
    const number = Number(text)
    const open = ranges.at(-1)
    if (open && open.series === series && open.last === number - 1) open.last = number
    else ranges.push({ series, first: number, last: number })
  }
  return ranges.map(({ series, first, last }) => (first === last ? `${series}-${first}` : `${series}-${first}…${last}`)).join(', ')
}
