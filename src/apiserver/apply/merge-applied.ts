import type { ListSchema, Schema } from '../schema/schema.ts'
import type { FieldSet } from './field-set.ts'
import { elementOf, partsOf } from './parts-of.ts'
import type { Part } from './parts-of.ts'

/** The live value with the applied one merged into it: leaves are replaced, objects and keyed lists are merged. */
export function mergeApplied(schema: Schema | undefined, live: unknown, applied: unknown): unknown {
  if (applied === undefined) return live
  const appliedParts = partsOf(schema, applied)
  const liveParts = partsOf(schema, live)
  if (!liveParts) return applied
  // In a container that is merged, null says no more than nothing at all.
  if (applied === null) return live
  // Applying an empty map or keyed list neither adds nor removes anything.
  if (!appliedParts) return isEmptyContainer(schema, applied) ? live : applied
  if (schema?.type === 'list' && Array.isArray(live) && Array.isArray(applied))
    return mergeItems(schema, live, applied, { liveParts, appliedParts })
  const merged = new Map<string, unknown>(Object.entries(live as object))
  for (const { element, schema: member, value } of appliedParts) {
    const name = element.slice(2)
    merged.set(name, mergeApplied(member, merged.get(name), value))
  }
  return Object.fromEntries(merged)
}

const isEmptyContainer = (schema: Schema | undefined, value: unknown): boolean =>
  Array.isArray(value)
    ? value.length === 0 && schema?.type === 'list' && schema.listType !== 'atomic'
    : typeof value === 'object' && value !== null && Object.keys(value).length === 0

function mergeItems(
  schema: ListSchema,
  live: readonly unknown[],
  applied: readonly unknown[],
  { liveParts, appliedParts }: { liveParts: readonly Part[]; appliedParts: readonly Part[] },
): unknown[] {
  const wanted = new Map(appliedParts.map((part) => [part.element, part.value]))
  const before = new Map(liveParts.map((part) => [part.element, part.value]))
  const elementsOf = (items: readonly unknown[]): string[] => items.map((item) => elementOf(schema, item) ?? '')
  return orderItems(elementsOf(live), elementsOf(applied)).map((element) =>
    wanted.has(element) ? mergeApplied(schema.items, before.get(element), wanted.get(element)) : before.get(element),
  )
}

/** Items of both lists in the order of the applied one; an item that is only live keeps its place after the live items before it. */
function orderItems(live: readonly string[], applied: readonly string[]): string[] {
  const [inLive, inApplied] = [new Set(live), new Set(applied)]
  const shared = applied.filter((element) => inLive.has(element))
  const ordered: string[] = []
  let [nextLive, nextApplied, nextShared] = [0, 0, 0]
  while (nextLive < live.length || nextApplied < applied.length) {
    const [ours, theirs] = [live[nextLive], applied[nextApplied]]
    if (ours !== undefined && !inApplied.has(ours)) {
      ordered.push(ours)
      nextLive += 1
    } else if (ours !== undefined && (theirs === undefined || shared[nextShared] !== ours)) {
      // The applied list has it at another place.
      nextLive += 1
    } else if (theirs !== undefined) {
      ordered.push(theirs)
      nextApplied += 1
      if (ours === theirs) nextLive += 1
      if (shared[nextShared] === theirs) nextShared += 1
    }
  }
  return ordered
}

/**
 * Removes fields that their last manager no longer applies: every field in `dropped` below which no manager in `kept` owns anything. A field with
 * another owner stays, with the parts of that owner.
 */
export function removeDropped(
  schema: Schema | undefined,
  value: unknown,
  { dropped, kept }: { dropped: FieldSet; kept: FieldSet },
): unknown {
  const parts = partsOf(schema, value)
  if (!parts || dropped.children.size === 0) return value
  const remaining = new Map<string, unknown>()
  for (const part of parts) {
    const last = dropped.children.get(part.element)
    const owned = kept.children.get(part.element)
    if (last && !owned) continue
    const next = last && owned ? removeDropped(part.schema, part.value, { dropped: last, kept: owned }) : part.value
    remaining.set(part.element, next)
  }
  if (schema?.type === 'list' && Array.isArray(value)) {
    return value.flatMap((item): unknown[] => {
      const element = elementOf(schema, item) ?? ''
      return remaining.has(element) ? [remaining.get(element)] : []
    })
  }
  return Object.fromEntries([...remaining].map(([element, member]) => [element.slice(2), member]))
}
