import { canonicalJson } from '../../api/canonical-json.ts'
import type { FieldProblem } from './field-problem.ts'
import { isJsonObject, memberOf } from './json.ts'
import type { JsonObject } from './json.ts'
import type { ListSchema } from './schema.ts'

/** Reports duplicate items of a list of type set or map, each once. */
export function validateListItems(schema: ListSchema, items: readonly unknown[], field: string): FieldProblem[] {
  if (schema.listType === 'atomic') return []
  const stranger = schema.listType === 'map' ? items.findIndex((item) => item !== null && !isJsonObject(item)) : -1
  if (stranger >= 0) {
    const detail = 'must be an object for an array of list-type map'
    return [{ field: `${field}[${stranger}]`, type: 'FieldValueInvalid', value: items[stranger], detail }]
  }
  const keyed = schema.listType === 'map' ? items.map((item) => keysOf(schema, item)) : items
  const counts = new Map<string, number>()
  return keyed.flatMap((item, index) => {
    const text = canonicalJson(item)
    const earlier = counts.get(text) ?? 0
    counts.set(text, earlier + 1)
    return earlier === 1
      ? [{ field: `${field}[${index}]`, type: 'FieldValueDuplicate' as const, value: item, detail: '' }]
      : []
  })
}

/** Finds the previous version of a list item; undefined in lists whose items have no identity. */
export function counterpartsIn(schema: ListSchema, before: unknown): (item: unknown) => unknown {
  if (schema.listType !== 'map' || !Array.isArray(before)) return () => undefined
  const items = new Map<string, unknown>()
  // The first of several with the same keys wins.
  for (const item of before.toReversed() as unknown[]) items.set(canonicalJson(keysOf(schema, item)), item)
  return (item) => {
    const keys = keysOf(schema, item)
    return Object.keys(keys).length < schema.keys.length ? undefined : items.get(canonicalJson(keys))
  }
}

function keysOf({ keys }: ListSchema, item: unknown): JsonObject {
  if (!isJsonObject(item)) return {}
  return Object.fromEntries(keys.map((key) => [key, memberOf(item, key)]).filter(([, value]) => value !== undefined))
}
