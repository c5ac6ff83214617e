import { ApiError } from '../../api/api-error.ts'

/**
 * Maximum number of fields and list items of one object. An object is processed in one turn of the event loop, and each of its values takes time:
 * thousands of tiny ones take longer than a megabyte of text.
 */
export const MOST_OBJECT_VALUES = 20_000

/** The same for the body of a request: a JSON patch of 10,000 operations has about 40,000. */
export const MOST_BODY_VALUES = 50_000

export const tooManyValues = (most: number): ApiError =>
  new ApiError('RequestEntityTooLarge', `Request entity too large: more than ${most} fields and list items`)

/** Counts fields and list items at all levels. Stops once there are more than `most`. */
export function countValues(value: unknown, most = Number.POSITIVE_INFINITY): number {
  if (typeof value !== 'object' || value === null) return 0
  const items: readonly unknown[] = Array.isArray(value) ? value : Object.values(value)
  let count = items.length
  for (const item of items) {
    if (count > most) return count
    if (typeof item === 'object' && item !== null) count += countValues(item, most - count)
  }
  return count
}
