import { isEqualJson } from '../../api/equal-json.ts'
import type { FieldProblem } from './field-problem.ts'
import { isJsonObject, memberOf } from './json.ts'
import type { JsonObject } from './json.ts'
import type { ListSchema } from './schema.ts'

/** Items that stand in a list more than once, where its type is set or map. Each is named once. */
export function validateListItems(schema: ListSchema, items: readonly unknown[], field: string): FieldProblem[] {
  if (schema.listType === 'atomic') return []
  const stranger = schema.listType === 'map' ? items.findIndex((item) => item !== null && !isJsonObject(item)) : -1
  if (stranger >= 0) {
    const detail = 'must be an object for an array of list-type map'
    return [{ field: `${field}[${stranger}]`, type: 'FieldValueInvalid', value: items[stranger], detail }]
  }
  const keyed = schema.listType === 'map' ? items.map((item) => keysOf(schema, item)) : items
  return keyed.flatMap((item, index) => {
    const earlier = keyed.slice(0, index).filter((other) => isEqualJson(other, item)).length
    return earlier === 1 ? [{ field: `${field}[${index}]`, type: 'FieldValueDuplicate' as const, value: item, detail: '' }] : []
  })
}

/** The item of the list before that this one continues; undefined in lists whose items cannot be told apart. */
export function findCounterpart(schema: ListSchema, item: unknown, before: unknown): unknown {
  if (schema.listType !== 'map' || !Array.isArray(before)) return undefined
  const keys = keysOf(schema, item)
  if (Object.keys(keys).length < schema.keys.length) return undefined
  return (before as unknown[]).find((other) => isEqualJson(keysOf(schema, other), keys))
}

function keysOf({ keys }: ListSchema, item: unknown): JsonObject {
  if (!isJsonObject(item)) return {}
  return Object.fromEntries(keys.map((key) => [key, memberOf(item, key)]).filter(([, value]) => value !== undefined))
}
