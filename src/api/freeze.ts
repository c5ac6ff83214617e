/**
 * Deeply freezes JSON and returns it. A frozen value is assumed to be deeply frozen, which makes freezing a changed copy of a frozen object cheap.
 */
export function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value
  // Only objects and lists: a call for each string of a large map would take longer than freezing the map.
  for (const key of Object.keys(value)) {
    const part = (value as Readonly<Record<string, unknown>>)[key]
    if (typeof part === 'object') deepFreeze(part)
  }
  return Object.freeze(value)
}
