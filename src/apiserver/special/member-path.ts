/** The value at a path of members; undefined if there is none. */
export const valueAt = (object: unknown, [member, ...rest]: readonly string[]): unknown =>
  member === undefined ? object : valueAt((object as Record<string, unknown> | null | undefined)?.[member], rest)

/** A copy of an object with another value at a path of members, which are created if they are missing. */
export function withValue(object: unknown, [member, ...rest]: readonly string[], value: unknown): unknown {
  if (member === undefined) return value
  const members = (typeof object === 'object' && object !== null ? object : {}) as Record<string, unknown>
  return { ...members, [member]: withValue(members[member], rest, value) }
}
