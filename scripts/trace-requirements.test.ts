import { deepEqual, equal, match } from 'node:assert/strict'
import { test } from 'node:test'
import { MET_WITHOUT_TEST } from './met-without-test.ts'
import requirementIds from './requirement-ids.json' with { type: 'json' }
import { findIds, formatPage, formatSummary, formatTable, traceRequirements } from './trace-requirements.ts'

// Put together here, so that the tests of this file prove none of them.
const id = (number: number): string => ['S0', number].join('-')
const requirements = { [id(1)]: 'One.', [id(2)]: 'Two.', [id(3)]: 'Three.', [id(4)]: 'Say so (documentation).' }
const traceOf = (text: string): ReturnType<typeof traceRequirements> => traceRequirements(requirements, [{ path: 'src/a.test.ts', text }])
const namedIn = (text: string): string[] => [...traceOf(text).tests].filter(([, found]) => found.length > 0).map(([name]) => name)

test('the catalogue has the 328 requirements under unbroken ids', () => {
  const counts = { S0: 38, S1: 30, S2: 29, S3: 187, S4: 44 }
  const expected = Object.entries(counts).flatMap(([series, count]) => Array.from({ length: count }, (_, index) => `${series}-${index + 1}`))
  deepEqual(Object.keys(requirementIds), expected)
})

test('ids are found alone, in lists and in ranges', () => {
  deepEqual(findIds(`${id(1)}: keeps it`), [id(1)])
  deepEqual(findIds(`${id(1)}, ${id(3)}: keeps it`), [id(1), id(3)])
  deepEqual(findIds(`keeps it (${id(2)} to ${id(4)})`), [id(2), id(3), id(4)])
  deepEqual(findIds(`${id(2)}…4, ${id(1)}–${id(2)}`), [id(2), id(3), id(4), id(1)])
  deepEqual(findIds('S9-1 XS0-1 s0-1 S0-'), [])
})

test('a requirement counts when a test name or a table of cases has its id, not when a comment has', () => {
  deepEqual(namedIn(`test('${id(1)}: a', () => {})`), [id(1)])
  deepEqual(namedIn(`const cases = [['${id(2)}: b', 1]]`), [id(2)])
  deepEqual(namedIn('for (const x of y) test(`' + id(3) + ': ${x}`, f)'), [id(3)])
  deepEqual(namedIn(`// ${id(1)}: later`), [])
})

test('the summary counts what is proved, documented and missing, and names the missing as ranges', () => {
  equal(formatSummary(traceOf(`test('${id(2)}: a', f)`)), '4 requirements: 1 with a test, 1 met by documentation or decision, 2 without a test\nwithout a test: S0-1, S0-3\n')
  match(formatSummary(traceOf('')), /without a test: S0-1…3\n/)
})

test('what is met without a test is not missing, and the page says how', () => {
  const trace = traceRequirements(requirements, [], { [id(3)]: 'Decided otherwise.' })
  match(formatSummary(trace), /0 with a test, 2 met by documentation or decision, 2 without a test\nwithout a test: S0-1…2\n/)
  match(formatPage(requirements, trace), /\| S0-3 \| Three\. \| Decided otherwise\. \|/)
})

test('everything that is met without a test is a requirement', () => {
  deepEqual(Object.keys(MET_WITHOUT_TEST).filter((name) => !(name in requirementIds)), [])
})

test('an id that the catalogue does not have is reported with its place', () => {
  match(formatSummary(traceOf(`\ntest('${id(9)}: a', f)`)), /src\/a\.test\.ts:2: names S0-9, which is no requirement/)
})

test('the table and the page show each requirement with its tests', () => {
  const trace = traceOf(`test('${id(2)}: a', f)`)
  equal(formatTable(trace), `${id(2)}\n    ${id(2)}: a  (src/a.test.ts)\n`)
  const page = formatPage(requirements, trace)
  match(page, /\| S0-1 \| One\. \| - \|\n\| S0-2 \| Two\. \| \[a\.test\.ts\]\(\.\.\/src\/a\.test\.ts\) \|/)
  match(page, /\| S0-4 \| Say so \(documentation\)\. \| documentation \|/)
})
