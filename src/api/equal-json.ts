/** Whether two JSON values are the same. The order of members does not matter, and a member that is undefined counts as missing. */
export function isEqualJson(one: unknown, other: unknown): boolean {
  if (one === other) return true
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return false
  if (Array.isArray(one) || Array.isArray(other)) {
    if (!Array.isArray(one) || !Array.isArray(other) || one.length !== other.length) return false
    return one.every((item, index) => isEqualJson(item, other[index]))
  }
  return hasMembersOf(one, other) && hasMembersOf(other, one, false)
}

function hasMembersOf(one: object, other: object, compare = true): boolean {
  return Object.entries(one).every(([key, value]) => {
    if (value === undefined) return true
    const found: unknown = Object.hasOwn(other, key) ? (other as Readonly<Record<string, unknown>>)[key] : undefined
    return found !== undefined && (!compare || isEqualJson(value, found))
  })
}
