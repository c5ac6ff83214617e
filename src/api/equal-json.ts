type JsonObject = Readonly<Record<string, unknown>>

/** Whether two JSON values are equal. The order of members does not matter, and an undefined member counts as missing. */
export function isEqualJson(one: unknown, other: unknown): boolean {
  if (one === other) return true
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return false
  if (Array.isArray(one) || Array.isArray(other)) {
    if (!Array.isArray(one) || !Array.isArray(other) || one.length !== other.length) return false
    return one.every((item, index) => isEqualJson(item, other[index]))
  }
  return hasEqualMembers(one as JsonObject, other as JsonObject)
}

function hasEqualMembers(one: JsonObject, other: JsonObject): boolean {
  let members = 0
  for (const key of Object.keys(one)) {
    const value = one[key]
    if (value === undefined) continue
    if (!Object.hasOwn(other, key) || !isEqualJson(value, other[key])) return false
    members += 1
  }
  // All members of `one` are in `other`: the values differ only if `other` has more.
  for (const key of Object.keys(other)) if (other[key] !== undefined) members -= 1
  return members === 0
}
