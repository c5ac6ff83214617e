import { isEqualJson } from '../../api/equal-json.ts'

type Members = Readonly<Record<string, unknown>>

/**
 * The path at which `has` lacks a part of `wants`, or undefined if it has everything. Additional parts do not matter, nor does the order of lists:
 * two versions of the program with different requirements never revert each other.
 */
export function findLacking(has: unknown, wants: unknown, path = ''): string | undefined {
  if (Array.isArray(wants)) {
    if (!Array.isArray(has)) return path
    for (const want of wants) {
      const lacking = findLacking(findAlike(has, want), want, `${path}[${labelOf(want)}]`)
      if (lacking !== undefined) return lacking
    }
    return undefined
  }
  if (!isMembers(wants)) return isEqualJson(has, wants) ? undefined : path
  if (!isMembers(has)) return path
  for (const [name, want] of Object.entries(wants)) {
    const lacking = findLacking(has[name], want, path === '' ? name : `${path}.${name}`)
    if (lacking !== undefined) return lacking
  }
  return undefined
}

/** All of `has`, completed with the missing parts of `wants`. */
export function addLacking(has: unknown, wants: unknown): unknown {
  if (Array.isArray(wants)) {
    if (!Array.isArray(has)) return wants
    const added = wants.filter((want) => findAlike(has, want) === undefined)
    const kept = has.map((item: unknown) =>
      wants.reduce(
        (merged: unknown, want) => (findAlike([item], want) === undefined ? merged : addLacking(merged, want)),
        item,
      ),
    )
    return [...kept, ...added]
  }
  if (!isMembers(wants) || !isMembers(has)) return wants
  return {
    ...has,
    ...Object.fromEntries(
      Object.entries(wants).map(([name, want]) => [name, name in has ? addLacking(has[name], want) : want]),
    ),
  }
}

// Items of lists are identified by name, rules by their text, anything else by its whole value.
const findAlike = (list: readonly unknown[], want: unknown): unknown =>
  list.find((item) => isEqualJson(identityOf(item), identityOf(want)))
const identityOf = (item: unknown): unknown => (isMembers(item) ? (item['name'] ?? item['rule'] ?? item) : item)
const labelOf = (item: unknown): string => {
  const identity = identityOf(item)
  return typeof identity === 'string' ? identity : JSON.stringify(identity)
}
const isMembers = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
