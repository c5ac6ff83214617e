import { formatExactJson } from '../../api/exact-json.ts'
import type { ListSchema, Schema } from '../schema/schema.ts'
import { keyElement } from './field-set.ts'

/** A part of a value that can have its own owner. */
export type Part = {
  /** Its path element below the value, see `FieldSet`. */
  readonly element: string
  /** Undefined if no schema describes it. */
  readonly schema: Schema | undefined
  readonly value: unknown
  /** Whether it is a field of a struct. Map entries and list items exist only because a writer added them. */
  readonly isDeclared: boolean
}

/** An item of a keyed list without its keys, or a duplicate. */
export class ItemError extends Error {}

/**
 * The parts of a value; undefined for a leaf, which is owned as a whole: scalars, atomic or empty lists and maps, and null. Without a schema, objects
 * have parts and lists are leaves.
 */
export function partsOf(schema: Schema | undefined, value: unknown): Part[] | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  if (Array.isArray(value)) {
    if (schema?.type !== 'list' || schema.listType === 'atomic' || value.length === 0) return undefined
    return itemsOf(schema, value)
  }
  if (isAtomic(schema)) return undefined
  const entries = Object.entries(value)
  if (entries.length === 0) return undefined
  return entries.map(([name, member]) => ({ element: `f:${name}`, value: member, ...memberSchema(schema, name) }))
}

const isAtomic = (schema: Schema | undefined): boolean =>
  schema !== undefined &&
  (schema.type === 'object' || schema.type === 'map' ? schema.atomic === true : !isUntyped(schema))

const isUntyped = ({ type }: Schema): boolean => type === 'any' || type === 'schema-or'

function memberSchema(schema: Schema | undefined, name: string): Pick<Part, 'schema' | 'isDeclared'> {
  if (schema?.type === 'object') {
    const property = schema.properties.get(name)
    return { schema: property?.schema, isDeclared: property !== undefined }
  }
  return { schema: schema?.type === 'map' ? schema.values : undefined, isDeclared: false }
}

// A duplicate item is one leaf with both. Applied lists have none: `checkItems` rejects them first.
function itemsOf(schema: ListSchema, items: readonly unknown[]): Part[] | undefined {
  const parts = new Map<string, Part>()
  for (const item of items) {
    const element = elementOf(schema, item)
    if (element === undefined) return undefined
    const twin = parts.get(element)
    parts.set(
      element,
      twin === undefined
        ? { element, schema: schema.items, value: item, isDeclared: false }
        : { element, schema: REPEATED, value: [twin.value, item], isDeclared: false },
    )
  }
  return [...parts.values()]
}

const REPEATED: ListSchema = { type: 'list', listType: 'atomic', keys: [], items: { type: 'any' } }

/** Identifies an item in its list; undefined if it has none of its keys. */
export function elementOf({ listType, keys, items }: ListSchema, item: unknown): string | undefined {
  if (listType === 'set') return typeof item === 'object' ? undefined : `v:${formatExactJson(item)}`
  if (typeof item !== 'object' || item === null) return undefined
  const values = Object.entries(item)
  const found = keys.flatMap((key): [string, unknown][] => {
    const value = values.find(([name]) => name === key)?.[1] ?? defaultOf(items, key)
    return value === undefined ? [] : [[key, value]]
  })
  return found.length === 0 ? undefined : keyElement(Object.fromEntries(found))
}

// The only default of a key in built-in kinds: the protocol of a port. Custom resources have theirs in the schema.
function defaultOf(items: Schema, key: string): unknown {
  if (items.type !== 'object') return undefined
  if (items.name !== undefined) return key === 'protocol' ? 'TCP' : undefined
  return items.properties.get(key)?.schema.default
}

/** Rejects keyed lists with an item without keys, or with two items of the same keys. */
export function checkItems(schema: Schema | undefined, value: unknown, path = ''): void {
  if (schema?.type === 'list' && schema.listType !== 'atomic' && Array.isArray(value)) {
    const seen = new Set<string>()
    for (const [index, item] of value.entries()) {
      const element = elementOf(schema, item)
      if (element === undefined)
        throw new ItemError(
          `${path}: element ${index}: associative list with keys has an element that omits key field ${schema.keys.map((key) => formatExactJson(key)).join(', ')}`,
        )
      if (seen.has(element)) throw new ItemError(`${path}: duplicate entries for key ${element.slice(2)}`)
      seen.add(element)
    }
  }
  for (const part of partsOf(schema, value) ?? []) {
    const next = part.element.startsWith('f:')
      ? `${path}.${part.element.slice(2)}`
      : `${path}[${part.element.slice(2)}]`
    checkItems(part.schema, part.value, next)
  }
}
