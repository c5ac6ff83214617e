import { posix } from 'node:path'
import type { SourceFile } from './source-file.ts'

// A file name, or a path from the root, in backticks. `*` and words in capitals stand for any text: `next-*-step.ts`, `NAME.simulation.ts`.
const NAMED = /`((?:src|scripts|examples|docs|bench|test)\/[\w./*-]+|[\w./*-]+\.ts)`/g

/** One line for each file or folder that a page names in backticks and that does not exist, or that could be several. */
export function checkFileNames(pages: readonly SourceFile[], paths: readonly string[]): string[] {
  const entries = [...new Set([...paths, ...paths.flatMap(foldersOf)])].sort()
  const judgeLine = (line: string, folder: string): string[] =>
    [...line.matchAll(NAMED)].flatMap(([, name = '']) => {
      const problem = judgeName(name.replace(/\/$/, ''), folder, entries)
      return problem === undefined ? [] : [`\`${name}\` ${problem}`]
    })
  return pages.flatMap(({ path, text }) =>
    withoutBlocks(text)
      .split('\n')
      .flatMap((line, index) =>
        judgeLine(line, posix.dirname(path)).map((problem) => `${path}:${index + 1}: ${problem}`),
      ),
  )
}

/** A name may be relative to the page's folder or to the root, or end the path of one file: below that folder if there is one, else anywhere. */
function judgeName(name: string, folder: string, entries: readonly string[]): string | undefined {
  const pattern = patternOf(name)
  const isExact = new RegExp(`^(?:${patternOf(posix.join(folder, name))}|${pattern})$`)
  const isEnd = new RegExp(`(?:^|/)${pattern}$`)
  const found = entries.filter((entry) => isEnd.test(entry))
  const inFolder = found.filter((entry) => entry.startsWith(`${folder}/`))
  const meant = inFolder.length > 0 ? inFolder : found
  if (entries.some((entry) => isExact.test(entry)) || meant.length === 1) return undefined
  if (meant.length === 0) return 'does not exist'
  return pattern === RegExp.escape(name) ? `could be any of ${meant.join(', ')}` : undefined
}

const patternOf = (name: string): string =>
  name
    .split(/\*+|\b[A-Z]+\b/)
    .map(RegExp.escape)
    .join('[^/]*')

const withoutBlocks = (page: string): string =>
  page.replaceAll(/^```.*?^```$/gms, (block) => block.replaceAll(/[^\n]/g, ''))

function foldersOf(path: string): string[] {
  const parts = path.split('/').slice(0, -1)
  return parts.map((_, index) => parts.slice(0, index + 1).join('/'))
}
