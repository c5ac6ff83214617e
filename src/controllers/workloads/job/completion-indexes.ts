/** The text form of a set of indexes, in order, as Kubernetes writes it: `1,2,4-6`. */
export function formatIndexes(indexes: Iterable<number>): string {
  const ranges: [first: number, last: number][] = []
  for (const index of Array.from(indexes).toSorted((one, other) => one - other)) {
    const range = ranges.at(-1)
    if (range && range[1] === index - 1) range[1] = index
    else ranges.push([index, index])
  }
  return ranges.map(formatRange).join(',')
}

function formatRange([first, last]: readonly [number, number]): string {
  if (first === last) return `${first}`
  return `${first}${last === first + 1 ? ',' : '-'}${last}`
}

/** The indexes below the number of completions. Text in another form yields none. */
export function parseIndexes(text: string | undefined, completions: number): Set<number> {
  const indexes = new Set<number>()
  if (!text || !/^\d+(-\d+)?(,\d+(-\d+)?)*$/.test(text)) return indexes
  for (const range of text.split(',')) {
    const [first = 0, last = first] = range.split('-').map(Number)
    for (let index = first; index <= Math.min(last, completions - 1); index++) indexes.add(index)
  }
  return indexes
}
