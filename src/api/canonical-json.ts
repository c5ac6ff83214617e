import { formatExactJson } from './exact-json.ts'

/**
 * A text that two JSON values share exactly where `isEqualJson` holds: to find equal ones among many without comparing each with each.
 * Members are in order of their names, and one that is undefined counts as missing.
 */
export function canonicalJson(value: unknown): string {
  if (typeof value !== 'object' || value === null) return formatExactJson(value) ?? 'undefined'
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`
  const members = value as Readonly<Record<string, unknown>>
  const texts: string[] = []
  for (const key of Object.keys(members).sort()) {
    if (members[key] !== undefined) texts.push(`${JSON.stringify(key)}:${canonicalJson(members[key])}`)
  }
  return `{${texts.join(',')}}`
}
