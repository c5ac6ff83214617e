import { isDeepStrictEqual } from 'node:util'

/** Whether two objects are equal apart from the fields at the given paths. Empty counts as absent, because clients differ in what they write. */
export function equalIgnoring(left: object, right: object, paths: readonly string[] = []): boolean {
  const ignored = new Set(paths)
  return isDeepStrictEqual(withoutEmpty(left, '', ignored), withoutEmpty(right, '', ignored))
}

function withoutEmpty(value: unknown, path: string, ignored: ReadonlySet<string>): unknown {
  if (Array.isArray(value))
    return value.length === 0 ? undefined : value.map((item) => withoutEmpty(item, `${path}[]`, ignored))
  if (typeof value !== 'object' || value === null) return value ?? undefined
  const entries: [string, unknown][] = []
  for (const [key, member] of Object.entries(value)) {
    const at = path === '' ? key : `${path}.${key}`
    const kept = ignored.has(at) ? undefined : withoutEmpty(member, at, ignored)
    if (kept !== undefined) entries.push([key, kept])
  }
  return entries.length === 0 ? undefined : Object.fromEntries(entries)
}
