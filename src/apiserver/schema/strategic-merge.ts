import { formatExactJson } from '../../api/exact-json.ts'
import { copyJson, isJsonObject, memberOf, setMember } from './json.ts'
import type { JsonObject } from './json.ts'
import { mergeOrder, placesOf } from './merge-order.ts'
import type { Property, Schema } from './schema.ts'

const PATCH = '$patch'
const RETAIN_KEYS = '$retainKeys'
const DELETE_FROM_PRIMITIVE_LIST = '$deleteFromPrimitiveList/'
const SET_ELEMENT_ORDER = '$setElementOrder/'

const isDirective = (key: string): boolean =>
  key === RETAIN_KEYS || key.startsWith(SET_ELEMENT_ORDER) || key.startsWith(DELETE_FROM_PRIMITIVE_LIST)

/** A patch that does not match its object, or contradicts itself. */
export class StrategicMergeError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'StrategicMergeError'
  }
}

/**
 * The object after a strategic merge patch: lists of objects are merged by key if the schema has one, null deletes, and the `$` directives are
 * followed. Neither argument is changed. Throws a `StrategicMergeError`.
 */
export function strategicMerge(schema: Schema, original: unknown, patch: unknown): unknown {
  if (!isJsonObject(patch)) throw new StrategicMergeError('a strategic merge patch has to be an object')
  return mergeObject(schema, isJsonObject(original) ? original : {}, patch)
}

function mergeObject(schema: Schema, original: JsonObject, patch: JsonObject): JsonObject {
  const directive = memberOf(patch, PATCH)
  if (directive !== undefined) return replaceObject(directive, patch)
  const merged = retainKeys(original, patch)
  const keys = Object.keys(patch)
  for (const key of keys) {
    if (key.startsWith(SET_ELEMENT_ORDER)) mergeInOrder(schema, merged, patch, key)
    else if (!isDirective(key) && !Object.hasOwn(patch, SET_ELEMENT_ORDER + key))
      mergeMember(schema, merged, key, patch[key])
  }
  // Last, so that it also removes what the same patch adds.
  for (const key of keys) {
    if (key.startsWith(DELETE_FROM_PRIMITIVE_LIST)) deleteFromList(merged, key, patch[key])
  }
  return merged
}

function replaceObject(directive: unknown, patch: JsonObject): JsonObject {
  if (directive === 'delete') return {}
  if (directive !== 'replace')
    throw new StrategicMergeError(`unknown patch type: ${show(directive)} in map: ${show(patch)}`)
  const { [PATCH]: _directive, ...rest } = copyJson(patch)
  return rest
}

// A shallow copy of the members to keep. Members that the patch does not list are removed, for example those of a volume's previous source.
function retainKeys(original: JsonObject, patch: JsonObject): JsonObject {
  const list = memberOf(patch, RETAIN_KEYS)
  if (list === undefined) return { ...original }
  if (!Array.isArray(list)) throw new StrategicMergeError('invalid patch format of retainKeys')
  const retained = new Set<unknown>(list)
  for (const [key, value] of Object.entries(patch)) {
    if (value === null || isDirective(key)) continue
    if (!retained.has(key)) throw new StrategicMergeError('invalid patch format of retainKeys')
  }
  return Object.fromEntries(Object.entries(original).filter(([key]) => retained.has(key)))
}

function mergeMember(schema: Schema, merged: JsonObject, key: string, value: unknown): void {
  if (value === null) {
    delete merged[key]
    return
  }
  const current = memberOf(merged, key)
  if (isJsonObject(current) && isJsonObject(value)) {
    const { schema: member, property } = describeMember(schema, key)
    setMember(
      merged,
      key,
      property?.patchStrategy === 'replace' ? copyJson(value) : mergeObject(member, current, value),
    )
  } else if (Array.isArray(current) && Array.isArray(value)) {
    const { schema: member, property } = describeMember(schema, key)
    setMember(
      merged,
      key,
      property?.patchStrategy === 'merge' ? mergeList(member, property, current, value) : copyJson(value),
    )
  } else {
    const clean = withoutDirectives(value)
    if (clean === undefined) delete merged[key]
    else setMember(merged, key, clean)
  }
}

function describeMember(schema: Schema, key: string): { schema: Schema; property?: Property } {
  if (schema.type === 'map') return { schema: schema.values }
  if (schema.type === 'any') return { schema }
  if (schema.type === 'schema-or') return describeMember(schema.schema, key)
  const property = schema.type === 'object' ? schema.properties.get(key) : undefined
  if (property) return { schema: property.schema, property }
  const owner = schema.type === 'object' ? (schema.name?.split('.').at(-1) ?? 'object') : schema.type
  throw new StrategicMergeError(
    `unable to find api field in struct ${owner} for the json field ${formatExactJson(key)}`,
  )
}

const itemsOf = (schema: Schema): Schema => (schema.type === 'list' ? schema.items : ANYTHING)
const ANYTHING: Schema = { type: 'any' }

function deleteFromList(merged: JsonObject, directive: string, values: unknown): void {
  const key = directive.slice(DELETE_FROM_PRIMITIVE_LIST.length)
  const current = memberOf(merged, key)
  if (!Array.isArray(values)) throw new StrategicMergeError('invalid patch format of primitive list')
  const deleted = new Set<unknown>(values)
  if (Array.isArray(current))
    setMember(
      merged,
      key,
      current.filter((item) => !deleted.has(item)),
    )
}

/** The identity of an item of a merged list: a member, or the item itself. */
type KeyOf = (item: unknown) => unknown

function keyFunction(mergeKey: string | undefined): KeyOf {
  if (mergeKey === undefined) return (item) => item
  return (item) => {
    if (!isJsonObject(item)) throw new StrategicMergeError(`expected a map, but received ${show(item)}`)
    const key = memberOf(item, mergeKey)
    if (key === undefined)
      throw new StrategicMergeError(`map: ${show(item)} does not contain declared merge key: ${mergeKey}`)
    return key
  }
}

function mergeList(
  schema: Schema,
  property: Property,
  current: readonly unknown[],
  patch: readonly unknown[],
): unknown[] {
  const { items, order } = mergeItems(schema, property, current, patch)
  return mergeOrder({
    items,
    wanted: order,
    before: current,
    keyOf: keyFunction(mergeKeyOf(property, [...current, ...patch])),
  })
}

// Some lists of plain values are merged without a key; a list of objects must have one.
function mergeKeyOf(property: Property, items: readonly unknown[]): string | undefined {
  if (!items.some(isJsonObject)) {
    const types = new Set(items.map((item) => typeof item))
    if (types.size > 1 || types.has('object'))
      throw new StrategicMergeError(`list element types are not identical: ${show(items)}`)
    return undefined
  }
  if (property.mergeKey === undefined)
    throw new StrategicMergeError(`cannot merge lists without merge key for ${property.name}`)
  if (!items.every(isJsonObject)) throw new StrategicMergeError(`list element types are not identical: ${show(items)}`)
  return property.mergeKey
}

/** The items after the merge, in no particular order, and those whose order the patch determines. */
type MergedItems = { items: unknown[]; order: unknown[] }

function mergeItems(
  schema: Schema,
  property: Property,
  current: readonly unknown[],
  patch: readonly unknown[],
): MergedItems {
  const mergeKey = mergeKeyOf(property, [...current, ...patch])
  if (mergeKey === undefined) return { items: [...new Set([...current, ...patch])], order: [...patch] }
  const keyOf = keyFunction(mergeKey)
  const plain: JsonObject[] = []
  const deleted = new Set<unknown>()
  let isReplaced = false
  for (const item of patch as JsonObject[]) {
    const directive = memberOf(item, PATCH)
    if (directive === undefined) plain.push(item)
    else if (directive === 'delete') deleted.add(keyOf(item))
    else if (directive === 'replace') isReplaced = true
    else if (directive === 'merge') throw new StrategicMergeError('merging lists cannot yet be specified in the patch')
    else throw new StrategicMergeError(`unknown patch type: ${show(directive)} in map: ${show(item)}`)
  }
  if (isReplaced) {
    const replacement = plain.map((item) => withoutDirectives(item))
    return { items: replacement, order: replacement }
  }
  const kept = deleted.size === 0 ? current : current.filter((item) => !deleted.has(keyOf(item)))
  return { items: plain.length === 0 ? [...kept] : mergeByKey(itemsOf(schema), kept, keyOf, plain), order: plain }
}

function mergeByKey(
  schema: Schema,
  current: readonly unknown[],
  keyOf: KeyOf,
  patch: readonly JsonObject[],
): unknown[] {
  const items = [...current]
  const places = placesOf(items, keyOf)
  for (const item of patch) {
    const key = keyOf(item)
    const place = places.get(key)
    const before = place === undefined ? undefined : items[place]
    if (place !== undefined && isJsonObject(before)) items[place] = mergeObject(schema, before, item)
    else {
      if (place === undefined) places.set(key, items.length)
      items.push(withoutDirectives(item))
    }
  }
  return items
}

// A patch with an order list may change the list too, or only its order.
function mergeInOrder(schema: Schema, merged: JsonObject, patch: JsonObject, directive: string): void {
  const key = directive.slice(SET_ELEMENT_ORDER.length)
  const wanted = patch[directive]
  if (!Array.isArray(wanted)) throw new StrategicMergeError('invalid patch format of setElementOrder list')
  const { schema: list, property } = describeMember(schema, key)
  const change = memberOf(patch, key)
  const current = memberOf(merged, key)
  if (change === null) {
    delete merged[key]
    return
  }
  if (change === undefined && current === undefined) return
  if (!isListOrAbsent(change) || !isListOrAbsent(current)) throw new StrategicMergeError(`expected a list at ${key}`)
  const before = current ?? []
  if (!property) return
  checkOrder(property, change ?? [], wanted)
  const items = mergedItems(list, property, before, change)
  const mergeKey = items.length === 0 ? undefined : mergeKeyOf(property, items)
  setMember(merged, key, mergeOrder({ items, wanted, before, keyOf: keyFunction(mergeKey) }))
}

const isListOrAbsent = (value: unknown): value is unknown[] | undefined => value === undefined || Array.isArray(value)

function mergedItems(
  schema: Schema,
  property: Property,
  before: readonly unknown[],
  change: readonly unknown[] | undefined,
): unknown[] {
  if (change === undefined) return [...before]
  if (property.patchStrategy !== 'merge') return copyJson([...change])
  return mergeItems(schema, property, before, change).items
}

// The items that a patch changes must also be in its order list, in the same order.
function checkOrder(property: Property, change: readonly unknown[], wanted: readonly unknown[]): void {
  const kept = change.filter((item) => !isJsonObject(item) || memberOf(item, PATCH) === undefined)
  if (kept.length === 0 || wanted.length === 0) return
  const keyOf = keyFunction(mergeKeyOf(property, kept))
  let next = 0
  for (const item of wanted) {
    const candidate = kept[next]
    if (candidate !== undefined && keyOf(candidate) === keyOf(item)) next += 1
  }
  if (next < kept.length) {
    throw new StrategicMergeError(
      `The order in patch list:\n${show(change)}\n doesn't match $setElementOrder list:\n${show(wanted)}\n`,
    )
  }
}

// The value if there was none before: undefined if it is itself a directive, and without null, which has nothing to delete.
function withoutDirectives(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutDirectives).filter((item) => item !== undefined)
  if (!isJsonObject(value)) return value
  if (memberOf(value, PATCH) !== undefined) return undefined
  const clean: JsonObject = {}
  for (const [key, item] of Object.entries(value)) {
    const rest = item === null || isDirective(key) ? undefined : withoutDirectives(item)
    if (rest !== undefined) setMember(clean, key, rest)
  }
  return clean
}

// In Go's print format.
function show(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(show).join(' ')}]`
  if (typeof value === 'string') return value
  if (!isJsonObject(value)) return value === null ? '<nil>' : formatExactJson(value)
  const members = Object.keys(value)
    .sort()
    .map((key) => `${key}:${show(value[key])}`)
  return `map[${members.join(' ')}]`
}
