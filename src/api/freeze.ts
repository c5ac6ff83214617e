/**
 * Freezes JSON all the way down and gives it back. What is frozen already is taken to be so to the bottom, which makes freezing a
 * changed copy of a frozen object cheap.
 */
export function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value
  for (const part of Object.values(value)) deepFreeze(part)
  return Object.freeze(value)
}
