/**
 * Freezes JSON all the way down and gives it back. What is frozen already is taken to be so to the bottom, which makes freezing a
 * changed copy of a frozen object cheap.
 */
export function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value
  // Only what can have parts: a call for each text of a large map would take longer than freezing it.
  for (const key of Object.keys(value)) {
    const part = (value as Readonly<Record<string, unknown>>)[key]
    if (typeof part === 'object') deepFreeze(part)
  }
  return Object.freeze(value)
}
