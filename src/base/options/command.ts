import { indexFlags } from './flag-name.ts'
import type { ConfigOf, OptionTable } from './option.ts'
import { assertPositionalOrder, formatPositionals, type PositionalsOf, type PositionalTable } from './positional.ts'

/** All that is known of a command before it runs: parsing, help and docs follow from it. */
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
  /** A line for each thing that is wrong between options; asked only when each is right by itself. */
  check?(config: ConfigOf<Options>, positionals: PositionalsOf<Positionals>): readonly string[]
}

export type CommandExample = {
  /** What it does. */
  readonly text: string
  /** The whole line to type. */
  readonly command: string
}

/** The command itself, so that `check` knows its types; throws when its table contradicts itself. */
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
