/** The first index from `low` up to `high` for which `isBefore` is false. It must be true for a prefix of the range and false for the rest. */
export function firstPlace(low: number, high: number, isBefore: (index: number) => boolean): number {
  let [from, to] = [low, high]
  while (from < to) {
    const middle = (from + to) >>> 1
    if (isBefore(middle)) from = middle + 1
    else to = middle
  }
  return from
}
