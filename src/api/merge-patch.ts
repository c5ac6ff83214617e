import { isEqualJson } from './equal-json.ts'

type JsonObject = Readonly<Record<string, unknown>>

/** RFC 7386: members of the patch replace those of the target or, if null, remove them. Returns a new value that shares unchanged parts. */
export function applyMergePatch(target: unknown, patch: unknown): unknown {
  if (!isJsonObject(patch)) return patch
  const base = isJsonObject(target) ? target : {}
  const merged = new Map(Object.entries(base))
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) merged.delete(key)
    else merged.set(key, applyMergePatch(merged.get(key), value))
  }
  return Object.fromEntries(merged)
}

/**
 * The smallest merge patch that turns `before` into `after`; empty if they are equal. Lists are replaced completely. A member that is null or
 * undefined in `after` is removed: a merge patch cannot set null.
 */
export function createMergePatch(before: object, after: object): object {
  const [old, wanted] = [membersOf(before), membersOf(after)]
  const removed = [...old.keys()].filter((key) => !wanted.has(key)).map((key) => [key, null] as const)
  const changed = [...wanted].flatMap(([key, value]) => changeOf(key, old.get(key), value))
  return Object.fromEntries([...removed, ...changed])
}

function changeOf(key: string, old: unknown, value: unknown): [string, unknown][] {
  if (isEqualJson(value, old)) return []
  if (!isJsonObject(value)) return [[key, value]]
  if (!isJsonObject(old)) return [[key, createMergePatch({}, value)]]
  const patch = createMergePatch(old, value)
  // A nested null makes the values differ but results in an empty patch.
  return Object.keys(patch).length === 0 ? [] : [[key, patch]]
}

const membersOf = (object: object): Map<string, unknown> =>
  new Map(Object.entries(object).filter(([, value]) => value !== undefined && value !== null))

const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
