import type { RequirementRecord } from './met-without-test.ts'
import type { TestTitle } from './tracing/title-register.ts'

/** Texts by ID (`S3-74`), in the order of the catalogue. */
export type Requirements = Readonly<Record<string, string>>
export type RequirementRecords = Readonly<Record<string, RequirementRecord>>

/** The rules for places where the documents disagree are H1 to H67. Tests may name them; they are no requirements of their own. */
export const RULE_COUNT = 67

export type Trace = {
  /** The tests that prove each requirement, an empty list for those without; in the order of the catalogue. */
  readonly tests: ReadonlyMap<string, readonly TestTitle[]>
  /** The same for the rules. */
  readonly rules: ReadonlyMap<string, readonly TestTitle[]>
  readonly records: ReadonlyMap<string, RequirementRecord>
  /** Neither proved nor recorded. */
  readonly missing: readonly string[]
  /** One line each; none may be left. */
  readonly problems: readonly string[]
  /** Titles with an ID that is not at the beginning: these prove nothing. */
  readonly misplaced: readonly TestTitle[]
}

/**
 * A requirement is proved by the tests whose title begins with its ID. Titles are those that really run, as `collectTitles` gives them:
 * comments, suites and bodies of tests don't count.
 */
export function traceRequirements(
  requirements: Requirements,
  titles: readonly TestTitle[],
  records: RequirementRecords = {},
): Trace {
  const tests = new Map<string, TestTitle[]>(Object.keys(requirements).map((id) => [id, []]))
  const rules = new Map<string, TestTitle[]>(Array.from({ length: RULE_COUNT }, (_, index) => [`H${index + 1}`, []]))
  const problems: string[] = []
  const misplaced: TestTitle[] = []
  for (const test of titles) {
    const leading = new Set(leadingIds(test.title))
    for (const id of leading) (tests.get(id) ?? rules.get(id))?.push(test)
    const all = findIds(test.title)
    for (const id of all)
      if (!tests.has(id) && !rules.has(id))
        problems.push(`${test.file}: "${test.title}" names ${id}, which does not exist`)
    if (all.some((id) => !leading.has(id))) misplaced.push(test)
  }
  const isProved = (id: string): boolean => (tests.get(id)?.length ?? 0) > 0
  for (const [id, record] of Object.entries(records)) {
    if (!tests.has(id)) problems.push(`scripts/met-without-test.ts: ${id} does not exist`)
    if (record.state === 'decided otherwise' && record.rule !== undefined && !rules.has(record.rule))
      problems.push(`scripts/met-without-test.ts: ${id} refers to ${record.rule}, which does not exist`)
    for (const { title, file } of tests.get(id) ?? [])
      problems.push(`${file}: "${title}" proves ${id}, which scripts/met-without-test.ts records as ${record.state}`)
  }
  const missing = [...tests.keys()].filter((id) => !isProved(id) && !(id in records))
  return { tests, rules, records: new Map(Object.entries(records)), missing, problems, misplaced }
}

/** Pages that records name and that are not there. */
export function findMissingPages(records: RequirementRecords, exists: (path: string) => boolean): string[] {
  return Object.entries(records).flatMap(([id, record]) =>
    record.state === 'documentation only' && !exists(record.page)
      ? [`scripts/met-without-test.ts: ${id} refers to ${record.page}, which does not exist`]
      : [],
  )
}

/** The IDs in a text, with ranges written out: `S3-74 to S3-76`, `S3-74…76`, `S3-74–S3-76`, `H1`. */
export function findIds(text: string): string[] {
  const ids = new Set<string>()
  for (const [, series = '', first = '', last] of text.matchAll(
    /\b(S[0-4]-|H)(\d+)(?:\s*(?:to|…|\.\.\.?|–)\s*(?:\1)?(\d+))?\b/g,
  )) {
    const end = last === undefined ? Number(first) : Number(last)
    for (let number = Number(first); number <= end; number++) ids.add(`${series}${number}`)
  }
  return [...ids]
}

/** The IDs before the first colon, if nothing else stands there; labels of other lists (`V2a`, `I9`) may be among them. */
export function leadingIds(title: string): string[] {
  const [head = ''] = title.split(':', 1)
  if (head === title) return []
  const words = head.split(/[\s,…–]+|\.\.\.?/).filter((word) => word !== '' && word !== 'to' && word !== 'and')
  return words.every((word) => /^(?:S[0-4]-\d+|[A-Z]\d+[a-z]?|\d+)$/.test(word)) ? findIds(head) : []
}

/** What is proved, and what is not, in a few lines for a terminal. */
export function formatSummary(trace: Trace): string {
  const { tests, rules, missing, misplaced, problems } = trace
  const count = (state: RequirementState): number =>
    [...tests.keys()].filter((id) => stateOf(id, trace) === state).length
  const rulesProved = [...rules.values()].filter((found) => found.length > 0).length
  const lines = [
    `${tests.size} requirements: ${count('proved')} proved by a test, ${count('decided otherwise')} decided otherwise, ${count('documentation only')} documentation only, ${count('missing')} missing`,
    ...(missing.length === 0 ? [] : [`missing: ${formatIds(missing)}`]),
    `${rules.size} rules for places where the documents disagree: ${rulesProved} named by a test`,
    ...(misplaced.length === 0
      ? []
      : [`${misplaced.length} test titles name an ID elsewhere than at the beginning; there it proves nothing`]),
    ...problems,
  ]
  return `${lines.join('\n')}\n`
}

export type RequirementState = 'proved' | RequirementRecord['state'] | 'missing'

export function stateOf(id: string, { tests, records }: Pick<Trace, 'tests' | 'records'>): RequirementState {
  if ((tests.get(id)?.length ?? 0) > 0) return 'proved'
  return records.get(id)?.state ?? 'missing'
}

/** One line for each requirement that has tests, and one for each of those tests. */
export function formatTable({ tests }: Trace): string {
  return [...tests]
    .filter(([, found]) => found.length > 0)
    .map(([id, found]) => `${id}\n${found.map(({ title, file }) => `    ${title}  (${file})\n`).join('')}`)
    .join('')
}

/** The catalogue as a page, with the state of each requirement and its tests. */
export function formatPage(requirements: Requirements, trace: Trace): string {
  const rows = Object.entries(requirements).map(
    ([id, text]) => `| ${id} | ${escape(text)} | ${stateOf(id, trace)} | ${formatProof(id, trace)} |`,
  )
  return `# Requirements

What Holdfast has to do, one row each, and how each is met. Made by \`npm run trace -- --write\`.

- **proved**: tests whose title begins with the ID.
- **decided otherwise**: Holdfast deliberately does something else, usually what Kubernetes does today. H1 to H67 are the rules for places where
  the design documents disagree with each other or with Kubernetes.
- **documentation only**: a page says so; there is nothing to run.
- **missing**: none of these yet.

${formatSummary({ ...trace, misplaced: [] })
  .trim()
  .replaceAll('\n', '\n\n')}

| ID | requirement | state | by |
| --- | --- | --- | --- |
${rows.join('\n')}
`
}

function formatProof(id: string, { tests, records }: Trace): string {
  const found = tests.get(id) ?? []
  if (found.length > 0) return [...new Set(found.map(({ file }) => file))].map(formatLink).join(', ')
  const record = records.get(id)
  if (record === undefined) return '-'
  if (record.state === 'documentation only') return `${formatLink(record.page)}: ${escape(record.reason)}`
  return escape(`${record.rule === undefined ? '' : `${record.rule}: `}${record.reason}`)
}

const formatLink = (path: string): string =>
  `[${path.replace(/^.*\//, '')}](${path.startsWith('docs/') ? path.slice('docs/'.length) : `../${path}`})`
const escape = (text: string): string => text.replaceAll('|', '\\|')

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
  return ranges
    .map(({ series, first, last }) => (first === last ? `${series}-${first}` : `${series}-${first}…${last}`))
    .join(', ')
}
