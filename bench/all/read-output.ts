/** A cell of a table that a benchmark has printed: the table by its title, the row and the column by their names. */
export type Cell = {
  readonly title: string
  readonly row: string
  readonly column: string
  /** Width of the first column. Default 30. */
  readonly nameWidth?: number
}

const CELL_WIDTH = 16

/** The text of the cell; undefined if there is no such table, row or column, or the cell is empty. */
export function readCell(output: string, { title, row, column, nameWidth = 30 }: Cell): string | undefined {
  const lines = output.split('\n')
  const cellsOf = (line: string): string[] => {
    const rest = line.slice(nameWidth)
    return Array.from({ length: Math.ceil(rest.length / CELL_WIDTH) }, (_, index) =>
      rest.slice(index * CELL_WIDTH, (index + 1) * CELL_WIDTH).trim(),
    )
  }
  const nameOf = (line: string): string => line.slice(0, nameWidth).trimEnd()
  for (const [index, line] of lines.entries()) {
    if (nameOf(line) !== title) continue
    const end = lines.indexOf('', index)
    const found = lines.slice(index + 1, end < 0 ? undefined : end).find((each) => nameOf(each) === row)
    const text = found === undefined ? undefined : cellsOf(found)[cellsOf(line).indexOf(column)]
    if (text) return text
  }
  return undefined
}

/** The p50 of a row of `up`, under the heading of its disk. */
export function readUp(output: string, disk: string, row: string): string | undefined {
  const lines = output.split('\n')
  const start = lines.findIndex((line) => line.startsWith(disk))
  const found = start < 0 ? undefined : lines.slice(start + 1).find((line) => line.startsWith(`  ${row}`))
  return found === undefined ? undefined : /(\d+) ms/.exec(found.slice(row.length + 2))?.[1]
}
