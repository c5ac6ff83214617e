import { deepEqual, equal, match } from 'node:assert/strict'
import { test } from 'node:test'
import { MET_WITHOUT_TEST } from './met-without-test.ts'
import requirementIds from './requirement-ids.json' with { type: 'json' }
import {
  findIds,
  findMissingPages,
  formatPage,
  formatSummary,
  formatTable,
  leadingIds,
  traceRequirements,
} from './trace-requirements.ts'
import type { RequirementRecords, Trace } from './trace-requirements.ts'

const requirements = { 'S0-1': 'One.', 'S0-2': 'Two.', 'S0-3': 'Three.', 'S0-4': 'Say so.' }
const traceOf = (titles: readonly string[], records: RequirementRecords = {}): Trace =>
  traceRequirements(
    requirements,
    titles.map((title) => ({ title, file: 'src/a.test.ts' })),
    records,
  )
const provedBy = (...titles: string[]): string[] =>
  [...traceOf(titles).tests].filter(([, found]) => found.length > 0).map(([id]) => id)

test('the catalogue has the 328 requirements under unbroken IDs', () => {
  const counts = { S0: 38, S1: 30, S2: 29, S3: 187, S4: 44 }
  const expected = Object.entries(counts).flatMap(([series, count]) =>
    Array.from({ length: count }, (_, index) => `${series}-${index + 1}`),
  )
  deepEqual(Object.keys(requirementIds), expected)
})

test('IDs are found alone, in lists and in ranges', () => {
  deepEqual(findIds('S0-1: keeps it'), ['S0-1'])
  deepEqual(findIds('S0-1, S0-3, H29: keeps it'), ['S0-1', 'S0-3', 'H29'])
  deepEqual(findIds('keeps it (S0-2 to S0-4)'), ['S0-2', 'S0-3', 'S0-4'])
  deepEqual(findIds('S0-2…4, S0-1–S0-2'), ['S0-2', 'S0-3', 'S0-4', 'S0-1'])
  deepEqual(findIds('S9-1 XS0-1 s0-1 S0- SHA1'), [])
})

const LEADING: [title: string, ids: string[]][] = [
  ['S0-1: keeps it', ['S0-1']],
  ['S0-1, S0-3, H29: keeps it', ['S0-1', 'S0-3', 'H29']],
  ['S0-1 to S0-3, H8: keeps it', ['S0-1', 'S0-2', 'S0-3', 'H8']],
  ['S0-1…3: keeps it', ['S0-1', 'S0-2', 'S0-3']],
  ['V2a S0-1 S0-2: labels of other lists may be there', ['S0-1', 'S0-2']],
  ['H64, I3: labels of other lists may follow', ['H64']],
  ['keeps it (S0-1)', []],
  ['mount: S0-1: keeps it', []],
  ['S0-1 keeps it', []],
  ['as in S0-1: keeps it', []],
]
for (const [title, ids] of LEADING)
  test(`the IDs at the beginning of "${title}"`, () => deepEqual(leadingIds(title), ids))

test('a requirement is proved by a title that begins with its ID; elsewhere in a title it proves nothing and is counted', () => {
  deepEqual(provedBy('S0-1: a', 'b (S0-2)', 'c: S0-3: d'), ['S0-1'])
  match(
    formatSummary(traceOf(['S0-1: a', 'b (S0-2)', 'c: S0-3: d'])),
    /^2 test titles name an ID elsewhere than at the beginning/m,
  )
})

test('the summary counts the states and names the missing as ranges', () => {
  const records: RequirementRecords = {
    'S0-3': { state: 'decided otherwise', reason: 'No.', rule: 'H1' },
    'S0-4': { state: 'documentation only', page: 'docs/a.md', reason: 'Yes.' },
  }
  match(
    formatSummary(traceOf(['S0-2, H7: a'], records)),
    /^4 requirements: 1 proved by a test, 1 decided otherwise, 1 documentation only, 1 missing\nmissing: S0-1\n67 rules .*: 1 named by a test\n$/,
  )
  match(formatSummary(traceOf([])), /^missing: S0-1…4\n/m)
})

test('the page shows the state of each requirement, with rule, page or tests', () => {
  const records: RequirementRecords = {
    'S0-3': { state: 'decided otherwise', reason: 'Not a|b.', rule: 'H1' },
    'S0-4': { state: 'documentation only', page: 'docs/a.md', reason: 'Yes.' },
  }
  const page = formatPage(requirements, traceOf(['S0-2: a'], records))
  match(page, /^\| S0-1 \| One\. \| missing \| - \|$/m)
  match(page, /^\| S0-2 \| Two\. \| proved \| \[a\.test\.ts\]\(\.\.\/src\/a\.test\.ts\) \|$/m)
  match(page, /^\| S0-3 \| Three\. \| decided otherwise \| H1: Not a\\\|b\. \|$/m)
  match(page, /^\| S0-4 \| Say so\. \| documentation only \| \[a\.md\]\(a\.md\): Yes\. \|$/m)
})

test('a requirement cannot be both proved and recorded', () => {
  const { problems } = traceOf(['S0-3: a'], { 'S0-3': { state: 'decided otherwise', reason: 'No.' } })
  deepEqual(problems, [
    'src/a.test.ts: "S0-3: a" proves S0-3, which scripts/met-without-test.ts records as decided otherwise',
  ])
})

test('unknown IDs in titles and records are problems', () => {
  const { problems } = traceOf(['S0-9: a', 'b (H68)'], {
    'S0-8': { state: 'decided otherwise', reason: 'No.', rule: 'H99' },
  })
  deepEqual(problems, [
    'src/a.test.ts: "S0-9: a" names S0-9, which does not exist',
    'src/a.test.ts: "b (H68)" names H68, which does not exist',
    'scripts/met-without-test.ts: S0-8 does not exist',
    'scripts/met-without-test.ts: S0-8 refers to H99, which does not exist',
  ])
})

test('a record whose page does not exist is a problem', () => {
  const records: RequirementRecords = { 'S0-4': { state: 'documentation only', page: 'docs/a.md', reason: 'Yes.' } }
  deepEqual(
    findMissingPages(records, () => true),
    [],
  )
  deepEqual(
    findMissingPages(records, () => false),
    ['scripts/met-without-test.ts: S0-4 refers to docs/a.md, which does not exist'],
  )
})

test('every record has a reason', () => {
  deepEqual(
    Object.entries(MET_WITHOUT_TEST).filter(([, { reason }]) => reason.length < 20),
    [],
  )
})

test('the table shows each requirement with its tests', () => {
  equal(formatTable(traceOf(['S0-2: a'])), 'S0-2\n    S0-2: a  (src/a.test.ts)\n')
})
