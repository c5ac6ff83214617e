import { formatUsage, type Command } from './command.ts'
import { formatDefault, formatDescription, formatFlag, groupBySection } from './describe-option.ts'
import { indexFlags } from './flag-name.ts'
import type { Option } from './option.ts'
import { positionalName } from './positional.ts'
import { wrapText } from './wrap-text.ts'

/** The parts of a command that its help shows: everything but `check`. */
export type HelpPage = Pick<Command, 'name' | 'summary' | 'options' | 'positionals' | 'examples'>

type Row = readonly [term: string, meaning: string]

// A longer term gets a line of its own, so that one long flag does not push all descriptions to the edge.
const WIDEST_TERM = 30
const NARROWEST_MEANING = 20

// Flags of every command, unless its table uses the name for something else.
const GENERAL: readonly (readonly [term: string, meaning: string, name: string])[] = [
  ['--help, -h', 'Show this text.', 'help'],
  ['--version', 'Show the version.', 'version'],
]

/** The complete text of `--help`, ending in a newline. Lines have at most `width` characters, except for long words and examples. */
export function formatHelp(page: HelpPage, width: number = 80): string {
  const { summary, options, positionals = {}, examples = [] } = page
  const names = indexFlags(options)
  const positionalRows = Object.entries(positionals).map(([key, argument]): Row => [
    positionalName(key, argument),
    argument.description,
  ])
  const sections = groupBySection(options).map(({ section, options: shown }) => ({
    title: section === undefined ? 'Flags:' : `Flags for ${section}:`,
    rows: shown.map((named): Row => [formatFlag(named), describe(named.option)]),
  }))
  const general = {
    title: 'General:',
    rows: GENERAL.filter(([, , name]) => !names.has(name)).map(([term, meaning]): Row => [term, meaning]),
  }
  const lists = [{ title: 'Arguments:', rows: positionalRows }, ...sections, general].filter(
    ({ rows }) => rows.length > 0,
  )
  const termWidth = Math.min(
    WIDEST_TERM,
    Math.max(0, ...lists.flatMap(({ rows }) => rows.map(([term]) => term.length))),
  )
  const blocks = [
    [`Usage: ${formatUsage(page)}`],
    wrapText(summary, width),
    ...lists.map(({ title, rows }) => [title, ...rows.flatMap((row) => formatRow(row, termWidth, width))]),
    examples.length === 0
      ? []
      : ['Examples:', ...examples.flatMap(({ text, command }) => [`  # ${text}`, `  ${command}`])],
  ]
  return `${blocks
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n')}\n`
}

function describe(option: Option<unknown>): string {
  const fallback = formatDefault(option)
  const note = option.required ? '(required)' : fallback === undefined ? '' : `(default ${fallback})`
  return `${formatDescription(option)} ${note}`
}

function formatRow([term, meaning]: Row, termWidth: number, width: number): readonly string[] {
  const indent = termWidth + 4
  const lines = wrapText(meaning, Math.max(width - indent, NARROWEST_MEANING)).map(
    (line) => `${' '.repeat(indent)}${line}`,
  )
  const [first = '', ...others] = lines
  return term.length > termWidth
    ? [`  ${term}`, ...lines]
    : [`  ${term.padEnd(termWidth)}  ${first.slice(indent)}`.trimEnd(), ...others]
}
