import { spawn } from 'node:child_process'
import { join } from 'node:path'
import type { TestOutcome } from './outcome-reporter.ts'

export type TitlesRun = {
  readonly root: string
  readonly file: string
  readonly titles: readonly string[]
  readonly timeoutMs: number
  readonly signal: AbortSignal
}

export type TitlesResult = {
  readonly outcomes: readonly TestOutcome[]
  readonly isTimedOut: boolean
  readonly stderr: string
  readonly tookMs: number
}

/** Runs the tests of one file that have these titles, in a process group of its own that does not outlive the call. */
export function runTitles({ root, file, titles, timeoutMs, signal }: TitlesRun): Promise<TitlesResult> {
  const args = [
    `--test-reporter=${join(import.meta.dirname, 'outcome-reporter.ts')}`,
    ...titles.map((title) => `--test-name-pattern=${formatPattern(title)}`),
    file,
  ]
  return new Promise((resolve) => {
    const startMs = performance.now()
    // Inside a test, the runner would pass its own way of reporting on.
    const env = { ...process.env, NODE_TEST_CONTEXT: undefined }
    const child = spawn(process.execPath, args, { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'], detached: true })
    let stdout = ''
    let stderr = ''
    let isTimedOut = false
    const end = (): void => killGroup(child.pid)
    const timer = setTimeout(() => {
      isTimedOut = true
      end()
    }, timeoutMs)
    signal.addEventListener('abort', end, { once: true })
    child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text))
    child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text))
    child.on('error', (error) => (stderr += error.message))
    // What a test left running in the background would keep the pipes open, so the group ends with its leader.
    child.on('exit', end)
    child.on('close', () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', end)
      resolve({ outcomes: parseOutcomes(stdout, titles), isTimedOut, stderr, tookMs: performance.now() - startMs })
    })
  })
}

/** Matches exactly this title; the tests inside a test that matches run too. */
export const formatPattern = (title: string): string => `^${title.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&')}$`

/** The lines about these tests, among whatever the tests print themselves. */
export function parseOutcomes(stdout: string, titles: readonly string[]): TestOutcome[] {
  return stdout
    .split('\n')
    .filter((line) => line.startsWith('{"title":'))
    .map((line) => JSON.parse(line) as TestOutcome)
    .filter(({ title }) => titles.includes(title))
}

function killGroup(pid: number | undefined): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // The group is gone already.
  }
}
