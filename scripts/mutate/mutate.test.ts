import { deepEqual, equal, match, throws } from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import type { TestContext } from 'node:test'
import { findDependents, findTests } from './find-tests.ts'
import { applyMutant, linesOf, makeMutants } from './make-mutants.ts'
import { openCompiler } from './open-compiler.ts'
import { formatSummary, replaceRow, summarize } from './summarize.ts'
import { tryTexts } from './try-mutants.ts'

function openTree(context: TestContext, files: Readonly<Record<string, string>>): string {
  const root = mkdtempSync(join(tmpdir(), 'holdfast-mutate-'))
  context.after(() => rmSync(root, { recursive: true }))
  for (const [name, text] of Object.entries({
    'tsconfig.json':
      '{"compilerOptions":{"strict":true,"noEmit":true,"target":"es2024","module":"nodenext","types":[]}}',
    ...files,
  }))
    writeFileSync(join(root, name), text)
  return root
}

/** The expression of `export const x = …` in all its mutants, or only in those that the compiler accepts. */
function mutantsOf(
  context: TestContext,
  expression: string,
  { typed = false, before = '' }: { typed?: boolean; before?: string } = {},
): string[] {
  const text = `${before}\nexport const x = ${expression}\n`
  const compiler = openCompiler(openTree(context, { 'a.mts': text }), 'a.mts')
  context.after(() => compiler.close())
  const mutants = makeMutants(compiler.parse()).filter(
    (mutant) => !typed || !mutant.needsTypes || !compiler.isRefused(applyMutant(text, mutant)),
  )
  return mutants.map((mutant) => linesOf(text, mutant).mutated.replace('export const x = ', ''))
}

const ANY = 'declare const a: any, b: any'
const MUTANTS: [expression: string, mutants: string[]][] = [
  ['a ? 1 : 2', ['true ? 1 : 2', 'false ? 1 : 2', 'a ? 2 : 2', 'a ? 1 : 3']],
  ['a && b', ['true && b', 'a || b', 'a && true']],
  ['a || b', ['false || b', 'a && b', 'a || false']],
  ['a ?? b', ['a', 'b']],
  ['a === b', ['a !== b']],
  ['a < b', ['a <= b', 'a >= b']],
  ['!a', ['a']],
  ['a?.b', ['a.b']],
  ['a?.(b)', ['a(b)']],
  [`'s'`, [`''`]],
  [`''`, [`'mutated'`]],
  ['`n${a}`', ['``']],
  ['[a]', ['[]']],
  ['[]', [`['mutated']`]],
  ['{ a, b }', ['{ b }', '{ a }']],
  ['{ a }', ['{  }']],
  ['a.some(b)', ['a.every(b)']],
  ['a.filter(b)', ['a']],
  [`a.metadata.name ?? ''`, ['a.metadata.name', `''`]],
  ["(({ metadata: { name = '' } }: any) => name)", []],
  ["(({ volumeName = '' }: any) => volumeName)", ["(({ volumeName = 'mutated' }: any) => volumeName)"]],
  ['a as "s"', []],
]
for (const [expression, mutants] of MUTANTS)
  test(`the mutants of ${expression}`, (context) => deepEqual(mutantsOf(context, expression, { before: ANY }), mutants))

test('two early exits in a row change places, with nothing in imports and types', (context) => {
  const before = `import type { Pod } from 'nowhere'\ntype T = 'a' | 'b'`
  const body = `(a: any): T => {\n  if (a) return 'a'\n  if (a.b) return 'b'\n  return 'b'\n}`
  equal(mutantsOf(context, body, { before }).includes(`if (a.b) return 'b'\nif (a) return 'a'`), true)
  deepEqual(mutantsOf(context, '0', { before }), ['1'])
})

test('what the compiler refuses is left out, but never a condition', (context) => {
  const before = 'type Step = { kind: "go"; after?: number } | { kind: "stop" }\ndeclare const a: { b?: { c: number } }'
  deepEqual(mutantsOf(context, `{ kind: 'go', after: 5 } satisfies Step`, { before, typed: true }), [
    `{ kind: 'go' } satisfies Step`,
    `{ kind: 'go', after: 6 } satisfies Step`,
  ])
  deepEqual(mutantsOf(context, 'a.b ? a.b.c : 0', { before, typed: true }), [
    'true ? a.b.c : 0',
    'false ? a.b.c : 0',
    'a.b ? a.b.c : 1',
  ])
})

test('tests are the one beside a file and those that import it; what lies between is loaded again', () => {
  const files = [
    { path: 'src/a/x.ts', text: '' },
    { path: 'src/a/x.test.ts', text: `import { x } from './x.ts'` },
    { path: 'src/a/index.ts', text: `export { x } from './x.ts'` },
    { path: 'src/b/direct.test.ts', text: `import { x } from '../a/x.ts'` },
    { path: 'src/b/indirect.test.ts', text: `import { x } from '../a/index.ts'` },
  ]
  deepEqual(findTests('src/a/x.ts', files), ['src/a/x.test.ts', 'src/b/direct.test.ts'])
  deepEqual(findDependents('src/a/x.ts', files), [
    'src/a/x.ts',
    'src/a/x.test.ts',
    'src/a/index.ts',
    'src/b/direct.test.ts',
    'src/b/indirect.test.ts',
  ])
})

test('texts are tried in one process after the other: one that fails, one that throws on loading and one that never ends are told from one that passes', async (context) => {
  const root = openTree(context, {
    'x.ts': '',
    'x.test.ts': `
import { deepEqual } from 'node:assert/strict'
import { beforeEach, describe, it, test } from 'node:test'
import { x } from './x.ts'
let count = 0
beforeEach(() => { count += 1 })
describe('a suite', () => { it('counts', async (context) => { let ended = false; context.after(() => { ended = true }); deepEqual([x(), count, ended], [1, 1, false]) }) })
test('is skipped', { skip: 'always' }, () => { throw new Error('no') })
test('has tests within', (context) => context.test('inner', () => deepEqual(x(), 1)))
`,
  })
  const trials = {
    root,
    file: 'x.ts',
    tests: ['x.test.ts'],
    reloaded: ['x.ts', 'x.test.ts'],
    timeoutMs: 5_000,
    jobs: 1,
  }
  const results = await tryTexts(trials, [
    'export const x = (): number => 1',
    'export const x = () => 2',
    'throw new Error("x")',
    'export const x = () => { for (;;); }',
    'export const x = () => 1',
  ])
  deepEqual(
    results.map(({ kind }) => kind),
    ['passed', 'failed', 'failed', 'failed', 'passed'],
  )
  deepEqual(results[0], { kind: 'passed', tests: 2 })
  match('reason' in (results[1] ?? {}) ? JSON.stringify(results[1]) : '', /counts/)
})

test('equivalent mutants count in the adjusted score only, and an entry without a survivor is reported', () => {
  const survivors = [
    { line: 3, original: 'a > 0', mutated: 'a >= 0', text: 'a >= 0\nb' },
    { line: 4, original: 'b', mutated: 'true', text: 'a > 0\ntrue' },
  ]
  const list = [
    { file: 'x.ts', mutated: 'a >= 0', reason: 'never 0' },
    { file: 'x.ts', mutated: 'gone', reason: 'was' },
    { file: 'y.ts', mutated: 'true', reason: 'elsewhere' },
  ]
  const summary = summarize({ file: 'x.ts', text: 'a > 0\nb', mutants: 10, survivors }, list)
  deepEqual(
    [summary.killed, summary.equivalent, summary.survivors.length, summary.score, summary.adjustedScore],
    [8, 1, 1, 80, 90],
  )
  const text = formatSummary(summary)
  match(
    text,
    /^x\.ts: 10 mutants, 8 killed, 1 equivalent, 1 survived: 80\.0 %, adjusted 90\.0 %\n  line 4 survived\n      - b\n      \+ true\n/,
  )
  match(text, /listed as equivalent, but no such mutant survives\n      \+ gone\n$/)
})

test('an equivalent mutant is recognized however the formatter breaks its lines', () => {
  const fileWith = (last: string): string => `return f(\n  [a],\n  ${last},\n)\nif (a) return`
  const isFound = (entry: string): boolean => {
    const survivor = { line: 3, original: 'a ?? b', mutated: 'a', text: fileWith('a') }
    const result = { file: 'x.ts', text: fileWith('a ?? b'), mutants: 1, survivors: [survivor] }
    const { equivalent, outdated } = summarize(result, [{ file: 'x.ts', mutated: entry, reason: 'same' }])
    equal(equivalent + outdated.length, 1)
    return equivalent === 1
  }
  // The changed line alone, and the whole statement in one line.
  deepEqual(['a', 'return f([a], a)'].map(isFound), [true, true])
  // Another change, and code that was there before.
  deepEqual(['return f([a], b)', 'if (a) return'].map(isFound), [false, false])
})

test('the row of a file is put into the table of the page or replaced, and the rest stays', () => {
  const page = (...rows: string[]): string =>
    [
      'a',
      '<!-- table -->',
      '',
      '| File | Mutants | Killed | Equivalent | Survived | Adjusted score |',
      '|---|---|---|---|---|---|',
      ...rows,
      '',
      '<!-- end of table -->',
      'b',
    ].join('\n')
  const [w, x, y] = [
    ['w', 4],
    ['x', 10],
    ['y', 3],
  ].map(([name, mutants]) => `| [${name}.ts](../../${name}.ts) | ${mutants} | ${mutants} | 0 | 0 | 100.0 % |`)
  const summary = summarize({ file: 'x.ts', text: '', mutants: 10, survivors: [] }, [])
  equal(replaceRow('a\n<!-- table -->\n<!-- end of table -->\nb', summary), page(x ?? ''))
  equal(
    replaceRow(page(w ?? '', '| [x.ts](../../x.ts) | 1 | 1 | 0 | 0 | 100.0 % |', y ?? ''), summary),
    page(w ?? '', x ?? '', y ?? ''),
  )
  throws(() => replaceRow('a\n', summary), /no place for the table/)
})
