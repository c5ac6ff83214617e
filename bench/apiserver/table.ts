/** Rows of numbers under a title, one row for each server. */
export type Table = {
  title: string
  columns: readonly string[]
  rows: readonly { name: string; cells: readonly (number | undefined)[] }[]
}

const NAME_WIDTH = 30
const CELL_WIDTH = 16

/** The first column is also given as a ratio to the row named; a ratio above 1 is better than that row. */
export function formatTable({ title, columns, rows }: Table, ratio: { to: string; better: 'more' | 'less' }): string {
  const [reference] = rows.find(({ name }) => name === ratio.to)?.cells ?? []
  const [first = '', ...others] = columns
  const lines = [line(title, [first, 'ratio', ...others])]
  for (const { name, cells } of rows) {
    const [value, ...rest] = cells
    const times =
      value === undefined || reference === undefined
        ? undefined
        : ratio.better === 'more'
          ? value / reference
          : reference / value
    lines.push(
      line(name, [formatNumber(value), times === undefined ? '' : `${times.toFixed(2)}×`, ...rest.map(formatNumber)]),
    )
  }
  return `${lines.join('\n')}\n`
}

const line = (name: string, cells: readonly string[]): string =>
  (name.padEnd(NAME_WIDTH) + cells.map((cell) => cell.padStart(CELL_WIDTH)).join('')).trimEnd()

// Three digits that say something.
function formatNumber(value: number | undefined): string {
  if (value === undefined || Number.isNaN(value)) return ''
  return value.toFixed(Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2)
}
