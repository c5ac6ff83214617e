import { deepEqual } from 'node:assert/strict'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { ROOT } from './run.ts'

const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8')
const prose = (page: string): string => page.replaceAll(/^```.*?^```$/gms, '')

/** The names under which GitHub reaches the headings of a page. */
const anchorsOf = (page: string): string[] =>
  [...prose(page).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  )

function findBrokenLinks(path: string): string[] {
  const links = [...prose(read(path)).matchAll(/\]\(([^()\s]+)\)/g)]
    .map(([, link = '']) => link)
    .filter((link) => !/^[a-z]+:/.test(link))
  return links.filter((link) => {
    const [file = '', anchor] = link.split('#')
    const target = file === '' ? path : join(dirname(path), file)
    if (!existsSync(join(ROOT, target))) return true
    return anchor !== undefined && target.endsWith('.md') && !anchorsOf(read(target)).includes(anchor)
  })
}

for (const path of [
  'README.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  ...globSync(['docs/**/*.md', 'src/**/README.md', 'bench/*.md'], { cwd: ROOT }).toSorted(),
]) {
  test(`every link of ${path} leads somewhere`, () => deepEqual(findBrokenLinks(path), []))
}
