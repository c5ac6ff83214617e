export type JsonObject = { [key: string]: unknown }

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Sets a member whatever its name: `__proto__` is a possible key of a ConfigMap. */
export function setMember(object: JsonObject, key: string, value: unknown): void {
  if (key === '__proto__')
    Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true })
  else object[key] = value
}

/** The object's own member, never one inherited by every JavaScript object. */
export function memberOf(object: JsonObject, key: string): unknown {
  return Object.hasOwn(object, key) ? object[key] : undefined
}

export function copyJson<T>(value: T): T
export function copyJson(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(copyJson)
  const copy: JsonObject = {}
  for (const key of Object.keys(value)) setMember(copy, key, copyJson((value as JsonObject)[key]))
  return copy
}

/** The type of a JSON value as named in error messages. */
export function jsonTypeOf(value: unknown): 'null' | 'array' | 'object' | 'string' | 'number' | 'boolean' {
  if (value === null || value === undefined) return 'null'
  if (Array.isArray(value)) return 'array'
  const type = typeof value
  if (type === 'bigint') return 'number'
  return type === 'string' || type === 'number' || type === 'boolean' ? type : 'object'
}

/** Whether it is an integer, including integers above 2^53. */
export const isWholeNumber = (value: unknown): boolean => Number.isInteger(value) || typeof value === 'bigint'

/** The keys in the order in which Go sorts those of a map. */
export function sortedKeys(object: JsonObject): string[] {
  const keys = Object.keys(object)
  for (let index = 1; index < keys.length; index++) {
    if ((keys[index - 1] as string) > (keys[index] as string)) return keys.sort() // both indexes are below the length
  }
  return keys
}

/** Whether objects and lists are nested deeper than this. */
export function isDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (levels === 0) return true
  const items: readonly unknown[] = Array.isArray(value) ? value : Object.values(value)
  return items.some((item) => typeof item === 'object' && isDeeperThan(item, levels - 1))
}
