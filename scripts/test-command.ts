import { statSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { listFiles } from './source-file.ts'

export type TestRun = {
  root: string
  /** Which files are tests of this kind. */
  patterns: readonly string[]
  /** Arguments as given: paths choose among the tests, everything else goes to the test runner. */
  args: readonly string[]
  /** Longest time for one test. Default 120 s: a hang fails. */
  timeoutMs?: number
  isTerminal: boolean
}

/** The arguments for node, or undefined when no file is chosen. */
export function formatTestCommand({
  root,
  patterns,
  args,
  timeoutMs = 120_000,
  isTerminal,
}: TestRun): string[] | undefined {
  const paths = args.filter((arg) => !arg.startsWith('-'))
  const files =
    paths.length === 0 ? listFiles(root, patterns) : paths.flatMap((path) => chooseFiles(root, patterns, path))
  if (files.length === 0) return undefined
  const hasReporter = args.some((arg) => arg.startsWith('--test-reporter'))
  const reporters = [
    `--test-reporter=${isTerminal ? 'spec' : join(import.meta.dirname, 'plain-reporter.ts')}`,
    '--test-reporter-destination=stdout',
    `--test-reporter=${join(import.meta.dirname, 'count-reporter.ts')}`,
    '--test-reporter-destination=stderr',
  ]
  return [
    `--import=${join(import.meta.dirname, 'end-of-tests.ts')}`,
    '--test',
    `--test-concurrency=${Math.max(2, availableParallelism())}`,
    `--test-timeout=${timeoutMs}`,
    ...(hasReporter ? [] : reporters),
    ...args.filter((arg) => arg.startsWith('-')),
    ...files,
  ]
}

/** A folder stands for the tests in it; a file is taken as it is. */
function chooseFiles(root: string, patterns: readonly string[], path: string): string[] {
  if (!statSync(join(root, path), { throwIfNoEntry: false })?.isDirectory()) return [path]
  const endings = patterns.map((pattern) => pattern.slice(pattern.lastIndexOf('*') + 1))
  return listFiles(
    root,
    endings.map((ending) => `${path.replace(/\/$/, '')}/**/*${ending}`),
  )
}
