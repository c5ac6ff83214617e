import { deepEqual, rejects } from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import type { TestContext } from 'node:test'
import { collectTitles } from './collect-titles.ts'

async function titlesOf(context: TestContext, files: Readonly<Record<string, string>>): Promise<string[]> {
  const root = mkdtempSync(join(tmpdir(), 'holdfast-titles-'))
  context.after(() => rmSync(root, { recursive: true }))
  for (const [name, text] of Object.entries(files)) writeFileSync(join(root, name), text)
  const titles = await collectTitles(
    Object.keys(files).filter((name) => name.endsWith('.test.mts')),
    root,
  )
  return titles.map(({ title, file }) => `${file} ${title}`)
}

test('titles of tests count, those in tables, templates and asynchronous suites too; suites, comments and bodies do not', async (context) => {
  const text = `
import { describe, it, test } from 'node:test'
// test('in a comment')
test('plain', () => { throw new Error('bodies do not run') })
test('with options', { timeout: 5 }, () => {})
for (const name of ['row 1', 'row 2']) test(name, () => test('in a body'))
describe('a suite', () => { it(\`made of \${1 + 1} parts\`, () => {}) })
describe('a slow suite', async () => { await null; it('late', () => {}) })
`
  deepEqual(
    await titlesOf(context, { 'a.test.mts': text }),
    ['plain', 'with options', 'row 1', 'row 2', 'made of 2 parts', 'late'].map((title) => `a.test.mts ${title}`),
  )
})

test('a shared suite counts for the files that call it, and only if one does', async (context) => {
  const shared = `import { test } from 'node:test'\nexport const used = () => test('used', () => {})\nexport const unused = () => test('unused', () => {})`
  deepEqual(
    await titlesOf(context, {
      'describe-x.mts': shared,
      'a.test.mts': `import { used } from './describe-x.mts'\nused()`,
    }),
    ['a.test.mts used'],
  )
})

test('tests and suites that never run do not count; a condition does', async (context) => {
  const text = `
import { describe, test } from 'node:test'
test.skip('a', () => {})
test.todo('b')
test('c', { skip: true }, () => {})
test('d', { skip: 'no kubectl here' }, () => {})
describe.skip('e', () => { test('f', () => {}) })
`
  deepEqual(await titlesOf(context, { 'a.test.mts': text }), ['a.test.mts d'])
})

test('a file that cannot be loaded is an error', async (context) => {
  await rejects(titlesOf(context, { 'a.test.mts': `throw new Error('broken file')` }), /broken file/)
})
