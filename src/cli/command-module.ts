import { formatHelp, parseArguments } from '../base/options/index.ts'
import type { Command, ConfigOf, OptionTable, PositionalsOf, PositionalTable } from '../base/options/index.ts'
import type { World } from './world.ts'

/** A command that can be run. The exit code is 0 when it did what was asked, 1 when it failed. */
export type CommandModule = {
  readonly command: Command
  run(words: readonly string[], world: World): Promise<number>
}

export type RunCommand<Options extends OptionTable, Positionals extends PositionalTable> = (
  config: ConfigOf<Options>,
  world: World,
  positionals: PositionalsOf<Positionals>,
  /** Keys whose flag was typed, whatever its value. */
  given: ReadonlySet<string>,
) => Promise<number>

/** Joins a command's table to what it does: words are parsed, `--help` and `--version` answered. */
export function createCommandModule<Options extends OptionTable, Positionals extends PositionalTable>(
  command: Command<Options, Positionals>,
  runCommand: RunCommand<Options, Positionals>,
): CommandModule {
  const run = async (words: readonly string[], world: World): Promise<number> => {
    const parsed = parseArguments(command, words)
    switch (parsed.kind) {
      case 'help':
        world.out.write(formatHelp(command, Math.min(world.out.columns, 100)))
        return 0
      case 'version':
        world.out.write(`holdfast ${world.version}\n`)
        return 0
      case 'run':
        for (const warning of parsed.warnings) world.err.write(`${command.name}: ${warning}\n`)
        return runCommand(parsed.config, world, parsed.positionals, parsed.given)
    }
  }
  // Help and docs only read the table; its exact types matter to parsing alone, which is bound above.
  return { command: command as unknown as Command, run }
}
