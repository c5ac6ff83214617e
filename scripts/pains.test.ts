import { deepEqual, equal, ok } from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { ROOT } from './run.ts'

const PAINS = 28
const PAGE = readFileSync(join(ROOT, 'docs/pains.md'), 'utf8')

type Pain = { readonly number: number; readonly text: string }

/** The sections of the page, each a pain. */
const painsOf = (page: string): Pain[] =>
  page
    .split(/^## /m)
    .slice(1)
    .map((text) => ({ number: Number.parseInt(text, 10), text }))

/** The items of the lists of a text, each on one line. */
const proofsOf = (text: string): string[] =>
  [...text.matchAll(/^- .*(?:\n {2}.*)*/gm)].map(([item]) => item.replaceAll(/\s+/g, ' '))

const pathsOf = (text: string): string[] =>
  [...text.matchAll(/`((?:src|test|scripts|examples|docs|bench)\/[^`\s]*)`/g)].map(([, path = '']) => path)

const titlesOf = (proof: string): string[] => [...proof.matchAll(/"([^"]+)"/g)].map(([, title = '']) => title)

/** Whether a file has a test of this title, or, if it is a page, this text. `…` is anything. */
function hasTitle(path: string, title: string): boolean {
  const content = readFileSync(join(ROOT, path), 'utf8')
  if (path.endsWith('.md')) return content.includes(title)
  const pattern = title
    .split('…')
    .map((part) => RegExp.escape(part))
    .join('.*')
  return new RegExp(`(['"\`])${pattern}\\1`).test(content)
}

/** What a proof names that does not exist. */
function findMissing(proof: string): string[] {
  const paths = pathsOf(proof)
  const missing = paths.filter((path) => !existsSync(join(ROOT, path)))
  if (missing.length > 0) return missing
  return titlesOf(proof).filter((title) => !paths.some((path) => hasTitle(path, title)))
}

describe('docs/pains.md', () => {
  const pains = painsOf(PAGE)

  test('has all pains, each with the thread that reports it', () => {
    deepEqual(
      pains.map(({ number }) => number),
      Array.from({ length: PAINS }, (_, index) => index + 1),
    )
    for (const { text } of pains) ok(/\([\w.-]+\/[\w.-]+ #\d+\)/.test(text), text)
  })

  for (const { number, text } of pains) {
    const [heading = ''] = text.split('\n')
    test(`what proves "${heading}" exists`, () => {
      const proofs = proofsOf(text)
      ok(proofs.length > 0, 'the pain has no proof')
      deepEqual(proofs.flatMap(findMissing), [])
      for (const proof of proofs) {
        ok(pathsOf(proof).length > 0 || proof.includes('npm run'), `${proof} names neither a file nor a command`)
        if (/\.test\.ts`/.test(proof)) ok(titlesOf(proof).length > 0, `${proof} names no test`)
      }
    })
    test(`the table says whether a part of pain ${number} is missing`, () => {
      const state = text.includes('\n**Not yet:** ') ? 'a part is missing: see **Not yet**' : 'proved'
      const [, numbers = ''] = PAGE.split(`\n| ${state} | `)[1]?.match(/^([\d, ]+) \|/) ?? []
      ok(numbers.split(', ').includes(String(number)), `the row "${state}" lacks ${number}`)
    })
  }

  test('names every pain once in the table', () => {
    const [table = ''] = PAGE.split('\n## ')
    const numbers = [...table.matchAll(/^\| [^|]+ \| ([\d, ]+) \|$/gm)].flatMap(([, list = '']) => list.split(', '))
    equal(new Set(numbers).size, numbers.length)
    equal(numbers.length, PAINS)
  })

  test('names only commands that exist', () => {
    const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { scripts: object }
    for (const [, name = ''] of PAGE.matchAll(/`npm run ([\w:-]+)/g)) ok(Object.hasOwn(scripts, name), name)
    for (const [, name = ''] of PAGE.matchAll(/`npm run bench ([\w-]+)/g))
      ok(existsSync(join(ROOT, `bench/${name}.ts`)), name)
  })

  test('a wrong file, and a title that its file does not have, are found', () => {
    const file = '`scripts/doc-links.test.ts`'
    deepEqual(findMissing(`- ${file}: "every link of … leads somewhere"`), [])
    deepEqual(findMissing(`- ${file}: "every link of … leads"`), ['every link of … leads'])
    deepEqual(findMissing(`- ${file}: "every link"`), ['every link'])
    deepEqual(findMissing('- `scripts/none.test.ts`: "every link of … leads somewhere"'), ['scripts/none.test.ts'])
  })
})
