import { formatDefault, formatDescription, formatFlag, groupBySection } from './describe-option.ts'
import type { NamedOption } from './flag-name.ts'
import type { OptionTable } from './option.ts'

/** The table as shown in the docs: one Markdown table for each section, ending in a newline. */
export function formatOptionsMarkdown(options: OptionTable): string {
  const tables = groupBySection(options).map(({ section, options: shown }) => {
    const rows = ['| Flag | Default | Meaning |', '|---|---|---|', ...shown.map(formatRow)]
    return [...(section === undefined ? [] : [`### ${section}`, '']), ...rows].join('\n')
  })
  return `${tables.join('\n\n')}\n`
}

function formatRow(named: NamedOption): string {
  const fallback = formatDefault(named.option)
  const shown = named.option.required ? '**required**' : fallback === undefined ? '' : `\`${escapeCell(fallback)}\``
  const cells = [
    `\`${escapeCell(formatFlag(named))}\``,
    shown,
    escapeCell(formatDescription(named.option)).replaceAll('<', '&lt;'),
  ]
  return `| ${cells.join(' | ')} |`
}

const escapeCell = (text: string): string => text.replace(/\s+/g, ' ').replaceAll('|', '\\|')
