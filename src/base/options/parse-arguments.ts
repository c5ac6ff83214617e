import { formatUsage, type Command } from './command.ts'
import { indexFlags, nameOptions, type NamedOption } from './flag-name.ts'
import type { ConfigOf, OptionTable } from './option.ts'
import { positionalName, type Positional, type PositionalsOf, type PositionalTable } from './positional.ts'
import { readLast } from './read-words.ts'
import { splitArguments, type SplitArguments, type Word } from './split-arguments.ts'
import { parseBoolean } from './parse-scalar.ts'
import { UsageError } from './usage-error.ts'
import { quoteText } from './value-error.ts'

/** What the command line requests. */
export type ParsedArguments<Options extends OptionTable, Positionals extends PositionalTable> =
  | { readonly kind: 'help' }
  | { readonly kind: 'version' }
  | ParsedRun<Options, Positionals>

export type ParsedRun<Options extends OptionTable, Positionals extends PositionalTable> = ParsedConfig<Options> & {
  readonly kind: 'run'
  readonly positionals: PositionalsOf<Positionals>
  /** A line for each deprecated flag that was typed. */
  readonly warnings: readonly string[]
}

export type ParsedConfig<Options extends OptionTable> = {
  readonly config: ConfigOf<Options>
  /** Keys whose flag was typed, regardless of its value. */
  readonly given: ReadonlySet<string>
}

/**
 * Parses the words after the command's name as Go programs do. `--help` works even if something else is invalid, `--version` even if something is
 * missing. Otherwise all problems are collected into one `UsageError`.
 */
export function parseArguments<Options extends OptionTable, Positionals extends PositionalTable>(
  command: Command<Options, Positionals>,
  words: readonly string[],
): ParsedArguments<Options, Positionals> {
  const split = splitArguments(indexFlags(command.options), words, command.name)
  if (split.asksHelp) return { kind: 'help' }
  const options = readOptions(command.options, split)
  const version = readLast(['false', ...split.version], parseBoolean)
  const versionProblems =
    'problems' in version ? version.problems.map((why) => `--version: ${why}; write --version`) : []
  const wrong = [...split.problems, ...options.problems, ...versionProblems]
  if (wrong.length === 0 && 'value' in version && version.value) return { kind: 'version' }
  const positionals = readPositionals(command, split.positionals)
  throwIfAny([...wrong, ...options.missing, ...positionals.problems])
  // No problem was found, so every key of both tables has a value of the right type.
  const config = Object.freeze(options.values) as ConfigOf<Options>
  const values = Object.freeze(positionals.values) as PositionalsOf<Positionals>
  throwIfAny(command.check?.(config, values) ?? [])
  const warnings = findWarnings(command.options, split)
  return Object.freeze({ kind: 'run', config, positionals: values, given: new Set(split.given.keys()), warnings })
}

function throwIfAny(problems: readonly string[]): void {
  if (problems.length > 0) throw new UsageError(problems)
}

function readOptions(options: OptionTable, { given }: SplitArguments) {
  const values: Record<string, unknown> = {}
  const problems: string[] = []
  const missing: string[] = []
  for (const { key, name, option } of nameOptions(options)) {
    const words = given.get(key)
    const hint = `write for example --${name}=${option.example}`
    if (words) {
      const reading = option.read(words)
      if ('value' in reading) values[key] = reading.value
      else problems.push(...reading.problems.map((why) => `--${name}: ${why}; ${hint}`))
    } else if (option.required) missing.push(`--${name} is required; ${hint}`)
    else values[key] = option.fallback
  }
  return { values, problems, missing }
}

function readPositionals(command: Pick<Command, 'name' | 'positionals'>, words: readonly Word[]) {
  const values: Record<string, unknown> = {}
  const problems: string[] = []
  const usage = `usage: ${formatUsage(command)}`
  let next = 0
  for (const [key, argument] of Object.entries(command.positionals ?? {})) {
    const taken = words.slice(next, argument.presence === 'rest' ? undefined : next + 1).map(({ text }) => text)
    next += taken.length
    if (taken.length < leastWords(argument))
      problems.push(`the argument ${positionalName(key, argument)} is missing; ${usage}`)
    values[key] = argument.presence === 'rest' ? Object.freeze(taken) : taken[0]
  }
  problems.push(
    ...words
      .slice(next)
      .map((word) => `unexpected argument ${quoteText(word.text)}; ${explainUnexpected(word) ?? usage}`),
  )
  return { values, problems }
}

const leastWords = ({ presence, minimum = 0 }: Positional): number =>
  presence === 'required' ? 1 : presence === 'rest' ? minimum : 0

function explainUnexpected({ text, afterBoolean }: Word): string | undefined {
  if (!afterBoolean || 'problems' in readLast([text], parseBoolean)) return undefined
  return `a boolean takes its value after an equals sign: --${afterBoolean.name}=${text}`
}

function findWarnings(options: OptionTable, { given }: SplitArguments): readonly string[] {
  const isUsed = ({ key, option }: NamedOption): boolean => given.has(key) && option.deprecated !== undefined
  return nameOptions(options)
    .filter(isUsed)
    .map(({ name, option }) => `--${name} is deprecated: ${option.deprecated}`)
}
