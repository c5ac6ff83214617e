import { nameOptions, type NamedOption } from './flag-name.ts'
import type { Option, OptionTable } from './option.ts'

/** The flag with a placeholder for its value, `--timeout=DURATION`, and its short name if there is one. */
export function formatFlag({ name, option }: NamedOption): string {
  const { placeholder, short } = option
  return `--${name}${placeholder === undefined ? '' : `=${placeholder}`}${short === undefined ? '' : `, -${short}`}`
}

/** The default with its unit; undefined if there is none worth showing. */
export function formatDefault({ fallbackText, unit }: Option<unknown>): string | undefined {
  if (fallbackText === undefined) return undefined
  const shown = /\s/.test(fallbackText) ? JSON.stringify(fallbackText) : fallbackText
  return unit === undefined ? shown : `${shown} ${unit}`
}

/** The purpose of the option and its allowed values, without its default. */
export function formatDescription({ description, details, deprecated, unit, fallbackText }: Option<unknown>): string {
  const counted = unit !== undefined && fallbackText === undefined ? `In ${unit}.` : undefined
  return [description, counted, details, deprecated && `Deprecated: ${deprecated}`].filter(Boolean).join(' ')
}

/** The visible options by section, in the order of each section's first option; options without a section come first. */
export function groupBySection(
  options: OptionTable,
): readonly { section: string | undefined; options: readonly NamedOption[] }[] {
  const shown = nameOptions(options).filter(({ option }) => !option.hidden)
  const groups = Map.groupBy(shown, ({ option }) => option.section)
  const sections = [...new Set([undefined, ...groups.keys()])]
  return sections.flatMap((section) => {
    const inSection = groups.get(section)
    return inSection ? [{ section, options: inSection }] : []
  })
}
