import { badRequest } from '../core/refusals.ts'

/** A parameter that is not empty; otherwise undefined. */
export const textOf = (query: URLSearchParams, name: string): string | undefined => query.get(name) || undefined

/** True unless it is absent, `false` or `0`: `?watch` alone is enough. */
export function isSet(query: URLSearchParams, name: string): boolean {
  const text = query.get(name)
  return text !== null && !/^(false|0)$/i.test(text)
}

/** Like `isSet`, but undefined if it is absent. */
export const booleanOf = (query: URLSearchParams, name: string): boolean | undefined =>
  query.has(name) ? isSet(query, name) : undefined

/** An integer; anything else is rejected. */
export function integerOf(query: URLSearchParams, name: string): number | undefined {
  const text = textOf(query, name)
  if (text === undefined) return undefined
  if (!/^-?\d{1,15}$/.test(text))
    throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(text)}: invalid syntax (parameter ${name})`)
  return Number(text)
}

/** A positive integer; 0 and less count as absent, as in upstream. */
export function countOf(query: URLSearchParams, name: string): number | undefined {
  const value = integerOf(query, name)
  return value === undefined || value <= 0 ? undefined : value
}
