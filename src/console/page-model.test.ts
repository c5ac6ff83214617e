import { deepEqual, equal } from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Row, StreamMessage } from './protocol.ts'
import { createModel, receive, visibleRows } from './page/model.ts'

const INFO = { name: 'claims', title: 'Claims', columns: [{ title: 'Name', kind: 'text' }] } as const
const HELLO: StreamMessage = { kind: 'hello', server: 's', version: 'v', tables: [INFO] }
const row = (name: string, size: number): Row => ({ key: name, tone: 'good', cells: [name, size] })

function modelWith(...rows: Row[]) {
  const model = createModel()
  receive(model, HELLO)
  receive(model, { kind: 'rows', table: 'claims', put: rows, removed: [] })
  return model
}

const namesOf = (rows: readonly Row[]): string[] => rows.map(({ key }) => key)

describe('the page', () => {
  test('keeps the newest row of a key, and drops what was removed', () => {
    const model = modelWith(row('a', 1), row('b', 2))
    receive(model, { kind: 'rows', table: 'claims', put: [row('a', 3)], removed: ['b'] })
    deepEqual(
      [...(model.tables.get('claims')?.rows.values() ?? [])].map((each) => each.row.cells),
      [['a', 3]],
    )
  })

  test('forgets everything when a new stream begins', () => {
    const model = modelWith(row('a', 1))
    receive(model, { kind: 'connection', problem: 'gone' })
    receive(model, HELLO)
    deepEqual([model.tables.get('claims')?.rows.size, model.problem], [0, undefined])
  })

  test('shows rows that contain every word of the filter', () => {
    const table = modelWith(row('shop-data', 1), row('shop-logs', 2), row('data', 3)).tables.get('claims')
    deepEqual(table && namesOf(visibleRows(table, 'DATA shop', undefined)), ['shop-data'])
  })

  test('sorts numbers as numbers and names with their numbers', () => {
    const table = modelWith(row('web-10', 5), row('web-9', 40), row('web-1', 300)).tables.get('claims')
    if (!table) throw new Error('no table')
    deepEqual(namesOf(visibleRows(table, '', { column: 1, isDescending: true })), ['web-1', 'web-9', 'web-10'])
    deepEqual(namesOf(visibleRows(table, '', { column: 0, isDescending: false })), ['web-1', 'web-9', 'web-10'])
  })

  test('tells which objects changed', () => {
    equal(receive(modelWith(), { kind: 'changed', objects: ['Pod/a/b'] }).length, 1)
  })
})
