import type { ObjectAnswer, Row, StreamMessage, TableInfo } from '../protocol.ts'
import type { Cell } from '../protocol.ts'

/** Rows of a table with what the filter looks at. */
export type LoadedTable = {
  readonly info: TableInfo
  readonly rows: Map<string, { readonly row: Row; readonly text: string }>
}

export type Sort = { readonly column: number; readonly isDescending: boolean }

export type Model = {
  server: string
  version: string
  /** Undefined while the stream is open. */
  problem: string | undefined
  isComplete: boolean
  readonly tables: Map<string, LoadedTable>
  /** `claims`, or `pvc/default/data`. */
  route: string
  filter: string
  readonly sorts: Map<string, Sort>
  object: ObjectAnswer | undefined
  /** Whether the life of a volume lists requests to the API server. */
  showsRequests: boolean
}

export const createModel = (): Model => ({
  server: '',
  version: '',
  problem: undefined,
  isComplete: false,
  tables: new Map(),
  route: 'stuck',
  filter: '',
  sorts: new Map(),
  object: undefined,
  showsRequests: false,
})

/** Takes one message of the stream into the model. Returns the objects that changed. */
export function receive(model: Model, message: StreamMessage): readonly string[] {
  switch (message.kind) {
    case 'hello':
      // A new stream sends everything again.
      model.tables.clear()
      model.isComplete = false
      model.problem = undefined
      ;[model.server, model.version] = [message.server, message.version]
      for (const info of message.tables) model.tables.set(info.name, { info, rows: new Map() })
      return []
    case 'rows': {
      const table = model.tables.get(message.table)
      for (const row of message.put) table?.rows.set(row.key, { row, text: row.cells.join(' ').toLowerCase() })
      for (const key of message.removed) table?.rows.delete(key)
      return []
    }
    case 'complete':
      model.isComplete = true
      return []
    case 'changed':
      return message.objects
    case 'connection':
      model.problem = message.problem ?? undefined
      return []
  }
}

/** The rows that contain every word of the filter, sorted. */
export function visibleRows({ rows }: LoadedTable, filter: string, sort: Sort | undefined): Row[] {
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean)
  const found: Row[] = []
  for (const { row, text } of rows.values()) if (words.every((word) => text.includes(word))) found.push(row)
  const { column = 0, isDescending = false } = sort ?? {}
  const sign = isDescending ? -1 : 1
  return sort || found.length < 2
    ? found.sort((one, other) => sign * compare(one.cells[column], other.cells[column]))
    : found.sort(byKey)
}

const byKey = (one: Row, other: Row): number => (one.key < other.key ? -1 : 1)

function compare(one: Cell | undefined, other: Cell | undefined): number {
  if (typeof one === 'number' && typeof other === 'number') return one - other
  return String(one ?? '').localeCompare(String(other ?? ''), undefined, { numeric: true })
}
