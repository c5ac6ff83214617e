import { formatExactJson } from './exact-json.ts'

/**
 * A text that is equal for two JSON values exactly if `isEqualJson` holds, for finding equal values among many. Members are sorted by name, and an
 * undefined member counts as missing.
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
