import { findImports } from './check-imports.ts'
import { isTestFile } from './source-file.ts'
import type { SourceFile } from './source-file.ts'
import { tokenize } from './tokenize.ts'
import type { Token } from './tokenize.ts'

/** A file that may import the named modules of Node, and why. */
export type WorldExemption = { file: string; modules: readonly string[]; because: string }

// Where the world enters; the page of the console has that of a browser.
const OUTSIDE = ['src/cli/', 'src/connect/', 'src/console/page/']

// Modules that touch neither files nor connections nor time. Everything else of Node is the world.
const HARMLESS_MODULES = new Set(
  'assert assert/strict async_hooks buffer crypto events path path/posix stream stream/promises string_decoder url util zlib'.split(
    ' ',
  ),
)

// What reads time, randomness or the process when it is called, as it stands in code.
const RANDOM_WORDS = new Set([
  'randomUUID',
  'randomBytes',
  'randomInt',
  'randomFill',
  'randomFillSync',
  'getRandomValues',
])
const TIMER_WORDS = new Set(['setTimeout', 'setInterval', 'setImmediate'])
const FORBIDDEN_MEMBERS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  Date: { now: 'Clock' },
  performance: { now: 'Clock', timeOrigin: 'Clock' },
  AbortSignal: { timeout: 'startDeadline' },
  Math: { random: 'Random' },
  process: { env: 'an option', argv: 'an option', hrtime: 'Clock', uptime: 'Clock' },
}

/**
 * The world is passed in: one line for each place in src/ that reads the clock, randomness or the environment, or imports what
 * opens files and connections. base/ holds the real implementations, cli/ is where they enter; even base/ names its files.
 */
export function checkWorld(files: readonly SourceFile[], exemptions: readonly WorldExemption[]): string[] {
  const problems: string[] = []
  const used = new Set<WorldExemption>()
  for (const file of files) {
    const { path, text } = file
    if (isTestFile(file) || OUTSIDE.some((folder) => path.startsWith(folder))) continue
    const tokens = tokenize(text)
    if (!path.startsWith('src/base/'))
      problems.push(...findWorld(tokens).map(({ line, problem }) => `${path}:${line}: ${problem}`))
    for (const { specifier, typeOnly, line } of findImports(tokens)) {
      const name = /^node:(.+)$/.exec(specifier)?.[1]
      if (name === undefined || typeOnly || HARMLESS_MODULES.has(name)) continue
      const exemption = exemptions.find((entry) => entry.file === path && entry.modules.includes(specifier))
      if (exemption) used.add(exemption)
      else
        problems.push(
          `${path}:${line}: imports ${specifier}: take it as a part, or name the file and the reason in scripts/world-exemptions.ts`,
        )
    }
  }
  for (const entry of exemptions) {
    if (!used.has(entry))
      problems.push(`scripts/world-exemptions.ts: ${entry.file} imports none of ${entry.modules.join(', ')} any more`)
  }
  return problems
}

function findWorld(tokens: readonly Token[]): { line: number; problem: string }[] {
  const found: { line: number; problem: string }[] = []
  for (const [index, { kind, text, line }] of tokens.entries()) {
    if (kind !== 'word') continue
    const isMember = isDot(tokens[index - 1]) && tokens[index - 2]?.text !== 'globalThis'
    const report = (what: string, instead: string): void =>
      void found.push({ line, problem: `${what} reads the world: take ${instead}` })
    if (TIMER_WORDS.has(text) && !isMember) report(text, 'Clock.setTimer')
    if (RANDOM_WORDS.has(text)) report(text, 'Random')
    if (isMember) continue
    if (text === 'Date' && isCurrentTime(tokens, index)) report('Date without an argument', 'Clock')
    const member = isDot(tokens[index + 1]) ? tokens[index + 2]?.text : undefined
    const instead =
      member === undefined
        ? undefined
        : Object.entries(FORBIDDEN_MEMBERS[text] ?? {}).find(([name]) => name === member)?.[1]
    if (instead !== undefined) report(`${text}.${member}`, instead)
  }
  return found
}

const isDot = (token: Token | undefined): boolean =>
  token?.kind === 'punctuation' && (token.text === '.' || token.text === '?.')

/** `new Date`, `new Date()` and `Date()`, but not `new Date(text)` nor the type. */
function isCurrentTime(tokens: readonly Token[], index: number): boolean {
  const isCalled = tokens[index + 1]?.text === '('
  if (tokens[index - 1]?.text === 'new') return !isCalled || tokens[index + 2]?.text === ')'
  return isCalled
}
