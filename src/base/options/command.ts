import { indexFlags } from './flag-name.ts'
import type { ConfigOf, OptionTable } from './option.ts'
import { assertPositionalOrder, formatPositionals, type PositionalsOf, type PositionalTable } from './positional.ts'

/** Everything about a command before it runs. Parsing, help and docs are derived from it. */
export type Command<
  Options extends OptionTable = OptionTable,
  Positionals extends PositionalTable = PositionalTable,
> = {
  /** As it is typed: `holdfast csi-attacher`. */
  readonly name: string
  /** A sentence or two. */
  readonly summary: string
  readonly options: Options
  readonly positionals?: Positionals
  readonly examples?: readonly CommandExample[]
  /** Checks options against each other. Returns a line for each problem; called only if each option is valid by itself. */
  check?(config: ConfigOf<Options>, positionals: PositionalsOf<Positionals>): readonly string[]
}

export type CommandExample = {
  /** What it does. */
  readonly text: string
  /** The complete line to type. */
  readonly command: string
}

/** Returns the command itself, so that `check` knows its types. Throws if its table contradicts itself. */
export function defineCommand<
  const Options extends OptionTable,
  const Positionals extends PositionalTable = Record<never, never>,
>(command: Command<Options, Positionals>): Command<Options, Positionals> {
  indexFlags(command.options)
  assertPositionalOrder(command.positionals ?? {})
  return Object.freeze({ ...command })
}

/** The command in one line: `holdfast check [flags] SOCKET`. */
export function formatUsage({ name, positionals }: Pick<Command, 'name' | 'positionals'>): string {
  return [name, '[flags]', formatPositionals(positionals ?? {})].filter((part) => part !== '').join(' ')
}
