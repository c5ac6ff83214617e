import { isEqualJson } from '../../api/equal-json.ts'
import type { Schema } from '../schema/schema.ts'
import { EMPTY_SET, MEMBER, setOf } from './field-set.ts'
import type { FieldSet } from './field-set.ts'
import { partsOf } from './parts-of.ts'
import type { Part } from './parts-of.ts'

/** The fields of a value that its writer owns: all leaves, map entries and list items. */
export function fieldsOf(schema: Schema | undefined, value: unknown): FieldSet {
  const parts = partsOf(schema, value)
  // An empty list of owned items has nothing to own, whereas an empty map is owned.
  if (!parts) return isEmptyOwnable(schema, value) ? EMPTY_SET : MEMBER
  return setOf(
    false,
    parts.map((part) => {
      const fields = fieldsOf(part.schema, part.value)
      return [part.element, part.isDeclared ? fields : setOf(true, fields.children)] as const
    }),
  )
}

const isEmptyOwnable = (schema: Schema | undefined, value: unknown): boolean =>
  Array.isArray(value) && value.length === 0 && schema?.type === 'list' && schema.listType !== 'atomic'

/** The differences between two objects. */
export type FieldChanges = { readonly changed: FieldSet; readonly removed: FieldSet }

/** Compares two values of one schema. `changed` has new fields and fields with another value. */
export function compareFields(schema: Schema | undefined, before: unknown, after: unknown): FieldChanges {
  if (before === undefined) return { changed: allNodes(schema, after), removed: EMPTY_SET }
  if (after === undefined) return { changed: EMPTY_SET, removed: allNodes(schema, before) }
  const oldParts = partsOf(schema, before)
  const newParts = partsOf(schema, after)
  const isLeaf = (!oldParts || !newParts) && !(isContainer(before, oldParts) && isContainer(after, newParts))
  if (isLeaf || (!oldParts && !newParts))
    return { changed: isEqualJson(before, after) ? EMPTY_SET : MEMBER, removed: EMPTY_SET }
  return compareParts(oldParts ?? [], newParts ?? [])
}

// An empty map or list is a leaf, unless the other value has parts.
const isContainer = (value: unknown, parts: readonly Part[] | undefined): boolean =>
  parts !== undefined || (typeof value === 'object' && value !== null && Object.keys(value).length === 0)

function compareParts(before: readonly Part[], after: readonly Part[]): FieldChanges {
  const oldParts = new Map(before.map((part) => [part.element, part]))
  const newParts = new Map(after.map((part) => [part.element, part]))
  const elements = new Set([...oldParts.keys(), ...newParts.keys()])
  const all = [...elements].map((element) => {
    const old = oldParts.get(element)
    const next = newParts.get(element)
    return [element, compareFields((next ?? old)?.schema, old?.value, next?.value)] as const
  })
  const pick = (side: keyof FieldChanges): FieldSet =>
    setOf(
      false,
      all.map(([element, changes]) => [element, changes[side]] as const),
    )
  return { changed: pick('changed'), removed: pick('removed') }
}

/** Every node of a value that exists only before or only after, including containers. */
function allNodes(schema: Schema | undefined, value: unknown): FieldSet {
  const parts = partsOf(schema, value)
  if (!parts) return MEMBER
  return setOf(
    true,
    parts.map((part) => [part.element, allNodes(part.schema, part.value)] as const),
  )
}
