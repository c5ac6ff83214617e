import { deepEqual, equal, ok } from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import type { TestContext } from 'node:test'
import { findUnseenLine, parseDocSteps } from '../scripts/doc-steps.ts'
import type { DocStep } from '../scripts/doc-steps.ts'
import { openTerminal } from '../scripts/open-terminal.ts'
import type { Ran, Terminal } from '../scripts/open-terminal.ts'
import { mountsBelow, openClusterDirectory } from '../src/cluster/testing/describe-up.ts'

const ROOT = join(import.meta.dirname, '..')
const HAS_KUBECTL = spawnSync('kubectl', ['version', '--client']).status === 0
const SOMETHING_WAITS = 3

const PAGES: readonly { readonly path: string; readonly sections?: readonly string[] }[] = [
  { path: 'README.md', sections: ['What you see'] },
  { path: 'docs/get-started.md' },
  { path: 'docs/test-my-driver.md' },
]

for (const { path, sections } of PAGES) {
  test(
    `the commands of ${path} work as written, show what it shows, and leave nothing behind`,
    { timeout: 240_000 },
    async (context) => {
      const steps = parseDocSteps(readFileSync(join(ROOT, path), 'utf8')).filter(
        ({ section }) => !sections || sections.includes(section),
      )
      ok(steps.length > 2, `${path} has no commands`)
      await followPage(context, steps)
    },
  )
}

/** Types a page's commands into terminals, with a directory of its own in the place of /tmp. */
async function followPage(context: TestContext, steps: readonly DocStep[]): Promise<void> {
  const directory = await openClusterDirectory(context)
  await using stack = new AsyncDisposableStack()
  const terminals = new Map<string, Terminal>()
  const terminal = (name: string): Terminal => {
    const known = terminals.get(name) ?? stack.use(openTerminal({ home: directory }))
    terminals.set(name, known)
    return known
  }
  const freeTerminal = (): Terminal =>
    [...terminals.values()].find(({ command }) => command === undefined) ?? terminal(`${terminals.size + 1}`)
  const here = (text: string): string => text.replaceAll('/tmp/', `${directory}/`)
  let sectionWithout: string | undefined
  for (const step of steps) {
    if (step.kind === 'interrupt') {
      await stop(terminal(step.terminal))
      continue
    }
    const { section, command, shown } = step
    const reason = findSkip(step, sectionWithout)
    if (reason !== undefined) {
      if (command.includes('kubectl')) sectionWithout = section
      context.diagnostic(`not run: ${command} (${reason})`)
      continue
    }
    const ran = await (step.terminal === undefined ? freeTerminal() : terminal(step.terminal)).run(here(command))
    assertDone(command, ran)
    if (shown !== undefined)
      equal(
        findUnseenLine(here(shown), ran.output),
        undefined,
        `${command} does not show this line, but\n${ran.output}`,
      )
  }
  for (const each of terminals.values()) if (each.command !== undefined) await stop(each)
  deepEqual(await mountsBelow(directory), [])
}

// Of what npx starts Ctrl-C brings no code: the shell between the two ends first.
async function stop(terminal: Terminal): Promise<void> {
  const { command = '' } = terminal
  const { code } = await terminal.interrupt()
  equal(code, command.startsWith('npx ') && code === 130 ? 130 : 0, `${command} ended with ${code}`)
}

function findSkip(
  { section, command }: DocStep & { kind: 'run' },
  sectionWithout: string | undefined,
): string | undefined {
  if (/^npm ci\b/.test(command)) return 'what it installs is what runs this'
  if (HAS_KUBECTL) return undefined
  if (command.includes('kubectl')) return 'there is no kubectl on PATH'
  return section === sectionWithout ? 'it builds on kubectl, which is not on PATH' : undefined
}

function assertDone(command: string, { code, output, errors }: Ran): void {
  const expected = command.includes('holdfast why') && code === SOMETHING_WAITS ? SOMETHING_WAITS : 0
  equal(code ?? 0, expected, `${command} ended with ${code}:\n${output}${errors}`)
}
