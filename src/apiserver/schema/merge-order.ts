export type MergeOrderParts = {
  /** The items of the list after the merge. */
  readonly items: readonly unknown[]
  /** The order given by the patch; it may name absent items, and omit others. */
  readonly wanted: readonly unknown[]
  /** The list before the merge: determines the order of items that the patch does not name. */
  readonly before: readonly unknown[]
  keyOf(item: unknown): unknown
}

/**
 * Orders the items by the patch and, as far as that allows, by their previous order: an item that the patch does not name comes before the first
 * named one that it preceded.
 */
export function mergeOrder({ items, wanted, before, keyOf }: MergeOrderParts): unknown[] {
  const wantedPlaces = placesOf(wanted, keyOf)
  const placesBefore = placesOf(before, keyOf)
  const placeBefore = (item: unknown): number | undefined => placesBefore.get(keyOf(item))
  const isNamed = (item: unknown): boolean => wantedPlaces.has(keyOf(item))
  const named = items
    .filter(isNamed)
    .sort((left, right) => (wantedPlaces.get(keyOf(left)) ?? 0) - (wantedPlaces.get(keyOf(right)) ?? 0))
  const others = items.filter((item) => !isNamed(item))
  others.sort(
    (left, right) => (placeBefore(left) ?? Number.MAX_SAFE_INTEGER) - (placeBefore(right) ?? Number.MAX_SAFE_INTEGER),
  )

  const ordered: unknown[] = []
  let next = 0
  for (const item of named) {
    const place = placeBefore(item)
    for (
      let other = others[next];
      next < others.length && stoodBefore(placeBefore(other), place);
      other = others[next]
    ) {
      ordered.push(other)
      next += 1
    }
    ordered.push(item)
  }
  return [...ordered, ...others.slice(next)]
}

const stoodBefore = (left: number | undefined, right: number | undefined): boolean =>
  left !== undefined && right !== undefined && left < right

/** The first index of each key. */
export function placesOf(list: readonly unknown[], keyOf: (item: unknown) => unknown): Map<unknown, number> {
  const places = new Map<unknown, number>()
  for (const [index, item] of list.entries()) {
    const key = keyOf(item)
    if (!places.has(key)) places.set(key, index)
  }
  return places
}
