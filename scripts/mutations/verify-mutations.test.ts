import { deepEqual, equal } from 'node:assert/strict'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import type { TestContext } from 'node:test'
import { findMutationProblems } from './find-mutation-problems.ts'
import { judgeMutated, judgeUnmutated } from './judge-mutation.ts'
import { openPrivateCopy } from './private-copy.ts'
import type { RequirementMutation } from './requirement-mutation.ts'
import { formatPattern } from './run-titles.ts'
import type { TitlesResult } from './run-titles.ts'
import { verifyMutations } from './verify-mutations.ts'

const MUTATION: RequirementMutation = {
  id: 'S0-1',
  file: 'sum.mts',
  text: 'a + b',
  replacement: 'a - b',
  test: 'sum.test.mts',
}
const FILES: Readonly<Record<string, string>> = {
  'sum.mts':
    'export const sum = (a: number, b: number) => a + b // a plus b\nexport const twice = (a: number) => 2 * a\nexport const name = "sum"\n',
  'sum.test.mts': `
import { equal } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { sum, twice } from './sum.mts'
describe('sums', () => { test('S0-1, H2: adds (1 + 1)', () => equal(sum(1, 1), 2)) })
test('S0-2: fails anyway', () => equal(twice(1), 3))
test('S0-3: is skipped', { skip: 'not here' }, () => {})
`,
}
const TITLES = ['S0-1, H2: adds (1 + 1)', 'S0-2: fails anyway', 'S0-3: is skipped'].map((title) => ({
  title,
  file: 'sum.test.mts',
}))

function openTree(context: TestContext): string {
  const root = mkdtempSync(join(tmpdir(), 'holdfast-tree-'))
  context.after(() => rmSync(root, { recursive: true }))
  mkdirSync(join(root, 'node_modules'))
  for (const [name, text] of Object.entries(FILES)) writeFileSync(join(root, name), text)
  return root
}

async function verdictsOf(context: TestContext, ...mutations: RequirementMutation[]): Promise<string[]> {
  const root = openTree(context)
  const verdicts: string[] = []
  await verifyMutations({
    root,
    mutations,
    titles: TITLES,
    signal: new AbortController().signal,
    onVerdict: (_, verdict) => void verdicts.push(verdict.kind === 'broken' ? verdict.reason : verdict.kind),
  })
  for (const [name, text] of Object.entries(FILES)) equal(readFileSync(join(root, name), 'utf8'), text)
  return verdicts
}

test('a mutation that the test notices is killed, one that it does not notice survives, and the tree stays as it is', async (context) => {
  deepEqual(await verdictsOf(context, MUTATION, { ...MUTATION, text: '"sum"', replacement: '"total"' }), [
    'killed',
    'survived',
  ])
})

test('a test that fails or is skipped without the mutation makes it broken', async (context) => {
  deepEqual(await verdictsOf(context, { ...MUTATION, id: 'S0-2' }, { ...MUTATION, id: 'S0-3' }), [
    '"S0-2: fails anyway" fails without the mutation',
    'the test is skipped here',
  ])
})

test('source that cannot be loaded is broken, not killed', async (context) => {
  const [reason = ''] = await verdictsOf(context, { ...MUTATION, replacement: 'a + + + ] b' })
  equal(reason.startsWith('the mutated source cannot be loaded: '), true, reason)
})

test('the private copy is changed only while the change is in use, and is gone afterwards', async (context) => {
  const root = openTree(context)
  const copy = openPrivateCopy(root)
  const inCopy = (): string => readFileSync(join(copy.root, 'sum.mts'), 'utf8')
  await copy.withChange(
    'sum.mts',
    () => 'changed',
    async () => {
      equal(inCopy(), 'changed')
      equal(readFileSync(join(root, 'sum.mts'), 'utf8'), FILES['sum.mts'])
    },
  )
  equal(inCopy(), FILES['sum.mts'])
  copy.remove()
  equal(existsSync(copy.root), false)
})

const problemsOf = (change: Partial<RequirementMutation>): string[] =>
  findMutationProblems([{ ...MUTATION, ...change }], {
    titles: TITLES,
    isKnown: (id) => ['S0-1', 'S0-4', 'H2'].includes(id),
    readText: (path) => FILES[path],
  })

const PROBLEMS: [behaviour: string, change: Partial<RequirementMutation>, problem: string | undefined][] = [
  ['a good one', {}, undefined],
  ['a good one for a rule', { id: 'H2' }, undefined],
  ['an ID that does not exist', { id: 'S0-9' }, 'S0-9 does not exist'],
  ['two IDs', { id: 'S0-1, H2' }, 'S0-1, H2 does not exist'],
  ['a file that does not exist', { file: 'x.mts' }, 'the file does not exist'],
  ['a text that is not there', { text: 'a * b' }, 'the text occurs 0 times, not once: "a * b"'],
  ['a text that is there twice', { text: 'export' }, 'the text occurs 3 times, not once: "export"'],
  ['no text', { text: '' }, 'the text occurs 0 times, not once: ""'],
  ['a replacement that changes nothing', { replacement: 'a + b' }, 'the replacement changes nothing'],
  ['a test file that does not exist', { test: 'x.test.mts' }, 'the test file x.test.mts does not exist'],
  ['a test file without the ID', { id: 'S0-4' }, 'no test in sum.test.mts has a title that begins with S0-4'],
]
for (const [behaviour, change, problem] of PROBLEMS) {
  test(`what can be seen about ${behaviour}`, () =>
    deepEqual(
      problemsOf(change).map((line) => line.replace(/^scripts\/mutations: .* in .*?: /, '')),
      problem === undefined ? [] : [problem],
    ))
}

test('a run that does not end kills a mutation, and makes one broken that has not been applied yet', () => {
  const endless: TitlesResult = { outcomes: [], isTimedOut: true, stderr: '', tookMs: 1 }
  deepEqual(judgeMutated(endless), { kind: 'killed', by: 'timeout' })
  deepEqual(judgeUnmutated(endless), { kind: 'broken', reason: 'the test does not end without the mutation' })
})

test('a pattern matches its own title only', () => {
  const title = 'S0-1: adds (1 + 1) [a|b] $x ^y \\z a/b?'
  equal(new RegExp(formatPattern(title)).test(title), true)
  equal(new RegExp(formatPattern(title)).test(`${title} more`), false)
})
