import { HostError } from '../base/host/index.ts'
import { findNearest, UsageError } from '../base/options/index.ts'
import type { CommandModule } from './command-module.ts'
import { COMMANDS } from './commands.ts'
import { describeHostError } from './describe-host-error.ts'
import type { World } from './world.ts'

/** Runs one command line. Exit codes: 0 done, 1 failed, 2 wrong usage. */
export async function runCli(words: readonly string[], world: World): Promise<number> {
  try {
    return await dispatch(words, world)
  } catch (error) {
    if (error instanceof UsageError) {
      world.err.write(
        error.message
          .split('\n')
          .map((line) => `holdfast: ${line}\n`)
          .join(''),
      )
      return 2
    }
    world.err.write(`holdfast: ${describe(error)}\n`)
    return 1
  }
}

function describe(error: unknown): string {
  if (error instanceof HostError) return describeHostError(error)
  return error instanceof Error ? error.message : String(error)
}

async function dispatch([name, ...words]: readonly string[], world: World): Promise<number> {
  if (name === undefined || name === 'help' || name === '--help' || name === '-h') {
    if (name === 'help' && words[0] !== undefined) return (await loadCommand(words[0])).run(['--help'], world)
    world.out.write(await formatOverview())
    return 0
  }
  if (name === '--version' || name === 'version') {
    world.out.write(`holdfast ${world.version}\n`)
    return 0
  }
  return (await loadCommand(name)).run(words, world)
}

async function loadCommand(name: string): Promise<CommandModule> {
  const load = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined
  if (load) return load()
  const nearest = findNearest(name, Object.keys(COMMANDS))
  throw new UsageError([
    `unknown command ${JSON.stringify(name)}; ${nearest === undefined ? 'see holdfast --help' : `did you mean ${nearest}?`}`,
  ])
}

async function formatOverview(): Promise<string> {
  const rows = await Promise.all(
    Object.entries(COMMANDS).map(async ([name, load]) => [name, firstSentence((await load()).command.summary)]),
  )
  const width = Math.max(...rows.map(([name]) => (name ?? '').length))
  const lines = rows.map(([name = '', text = '']) => `  ${name.padEnd(width)}  ${text}\n`).join('')
  return `Holdfast: the storage half of Kubernetes in one program.

Usage: holdfast COMMAND [flags]

Commands:
${lines}
Run holdfast COMMAND --help for more information about a command.
`
}

const firstSentence = (text: string): string => text.slice(0, text.search(/[:.]( |$)/))
