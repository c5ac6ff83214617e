import { deepEqual, ok } from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { parseAllDocuments } from 'yaml'

const ROOT = join(import.meta.dirname, '..')
const PAGE = readFileSync(join(ROOT, 'docs/troubleshooting.md'), 'utf8')
const WHY = [
  'It stays Pending',
  'It has a node and does not run',
  'It does not get the size or the attributes',
  'The snapshot is not ready',
  'It does not go away',
]

/** What the first columns of a section quote; `…` stands for what differs. */
function quotesOf(section: string): string[] {
  const [, text = ''] = PAGE.split(`\n## ${section}\n`)
  const rows = (text.split('\n## ')[0] ?? '').split('\n').filter((line) => line.startsWith('| '))
  return rows
    .slice(1)
    .flatMap((row) => [...(row.split(' | ')[0] ?? '').matchAll(/`([^`]+)`/g)].map(([, quote = '']) => quote))
}

const patternOf = (quote: string): RegExp =>
  new RegExp(quote.replaceAll(/^…|…$/g, '').split('…').map(RegExp.escape).join('.*'))

for (const section of WHY) {
  test(`docs/troubleshooting.md, ${section}: holdfast why says what is quoted`, () => {
    const corpus = globSync('src/explain/corpus/*.yaml', { cwd: ROOT }).map((path) =>
      parseAllDocuments(readFileSync(join(ROOT, path), 'utf8')),
    )
    const answers = corpus.map(([question]) => String(question?.get('answer')))
    const quotes = quotesOf(section)
    ok(quotes.length > 3)
    deepEqual(
      quotes.filter((quote) => !answers.some((answer) => patternOf(quote).test(answer))),
      [],
    )
  })
}

test('docs/troubleshooting.md: every other message that is quoted stands in the source', () => {
  const sources = globSync('src/**/*.ts', { cwd: ROOT, exclude: ['src/**/*.test.ts'] }).map((path) =>
    readFileSync(join(ROOT, path), 'utf8'),
  )
  const all = sources.join('\n').replaceAll(/\$\{[^{}]*\}/g, '…')
  const sections = [...PAGE.matchAll(/^## (.*)$/gm)].map(([, name = '']) => name).filter((name) => !WHY.includes(name))
  const quotes = sections.flatMap(quotesOf)
  ok(quotes.length > 10)
  deepEqual(
    quotes.filter((quote) => !patternOf(quote).test(all)),
    [],
  )
})
