import { deepEqual, match, ok } from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { loadAllCommands } from '../src/cli/commands.ts'
import { embedExamples, findStaleDocs, generateDocs, writeStaleDocs } from './generate-docs.ts'

test('the page of commands shows every command with all its flags, and what is missing', async () => {
  const [page] = generateDocs()
  ok(page)
  for (const { command } of await loadAllCommands()) {
    ok(page.text.includes(`\n## ${command.name}\n`), command.name)
    for (const { description, hidden = false } of Object.values(command.options))
      ok(page.text.includes(description) === !hidden, description)
  }
  match(page.text, /\| `--endpoint=TEXT` \| \*\*required\*\* \|/)
})

test('a missing and a changed page are stale until they are written', (t) => {
  const root = mkdtempSync(join(tmpdir(), 'holdfast-test-'))
  t.after(() => rmSync(root, { recursive: true }))
  mkdirSync(join(root, 'docs'))
  const pages = [
    { path: 'docs/missing.md', text: 'new' },
    { path: 'docs/changed.md', text: 'new' },
    { path: 'docs/same.md', text: 'same' },
  ]
  writeFileSync(join(root, 'docs/changed.md'), 'old')
  writeFileSync(join(root, 'docs/same.md'), 'same')
  deepEqual(writeStaleDocs(root, pages), ['docs/missing.md', 'docs/changed.md'])
  deepEqual(findStaleDocs(root, pages), [])
  deepEqual(readFileSync(join(root, 'docs/changed.md'), 'utf8'), 'new')
})

test('a block below a comment that names an example shows that file as it is now', () => {
  const page = '# A\n\n<!-- examples/a.ts -->\n```ts\nold\n```\n\n```ts\nkept\n```\n'
  const embedded = embedExamples(page, (path) => `text of ${path} costs $1\n`)
  deepEqual(
    embedded,
    page.replace('old', () => 'text of examples/a.ts costs $1'),
  )
})
