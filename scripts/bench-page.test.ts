import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { formatPage } from '../bench/all/format-page.ts'
import { readCell, readUp } from '../bench/all/read-output.ts'
import type { Result, Results } from '../bench/all/results.ts'
import { rowsOf } from '../bench/all/rows.ts'
import { formatTable } from '../bench/apiserver/table.ts'
import { ROOT } from './run.ts'

const resultOf = (...outputs: string[]): Result => ({
  outputs,
  command: 'x',
  isQuick: false,
  at: '2030-01-01T00:00Z',
  seconds: 1,
  commit: 'abc',
  machine: 'm',
  loadBefore: 0,
})
const tableOf = (title: string, rows: Record<string, number[]>, columns: string[]): string =>
  formatTable(
    { title, columns, rows: Object.entries(rows).map(([name, cells]) => ({ name, cells })) },
    { to: Object.keys(rows).at(-1) ?? '', better: 'more' },
  )
const rowOf = (results: Results, what: string) => rowsOf(results).find((row) => row.what === what)

test('docs/performance.md is what bench/results.json says', () => {
  const path = join(ROOT, 'bench/results.json')
  const results = existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as Results) : {}
  equal(readFileSync(join(ROOT, 'docs/performance.md'), 'utf8'), formatPage(results))
})

test('a cell is found by table, row and column', () => {
  const output = `words\n\n${tableOf('create', { holdfast: [10, 2], other: [5, 3] }, ['a second', 'p50 ms'])}\n${tableOf('patch', { holdfast: [7], other: [1] }, ['a second'])}`
  const read = (title: string, row: string, column: string) => readCell(output, { title, row, column })
  deepEqual(
    [read('create', 'holdfast', 'a second'), read('create', 'other', 'p50 ms'), read('patch', 'holdfast', 'ratio')],
    ['10.0', '3.00', '7.00×'],
  )
  deepEqual(
    [read('delete', 'holdfast', 'a second'), read('patch', 'nobody', 'a second'), read('patch', 'holdfast', 'p50 ms')],
    [undefined, undefined, undefined],
  )
})

test('the p50 of `up` is found under its disk', () => {
  const output = 'as it is   p50\n  mounted   54 ms   76 ms\n+5 ms each sync   p50\n  mounted   190 ms   213 ms\n'
  deepEqual([readUp(output, 'as it is', 'mounted'), readUp(output, '+5 ms each sync', 'mounted')], ['54', '190'])
  equal(readUp('', 'as it is', 'mounted'), undefined)
})

test('a row is behind if its ratio is below what is required, and the slowest of all runs counts', () => {
  const create = (ours: number): Results => ({
    apiserver: resultOf(
      tableOf('create, 64 in flight', { holdfast: [ours], 'kube-apiserver + etcd': [100] }, ['a second']),
    ),
  })
  const what = 'API server: creates a second, 64 in flight'
  deepEqual([rowOf(create(300), what)?.isMet, rowOf(create(290), what)?.isMet], [true, false])
  const runs = (...rates: number[]): Results => ({
    scheduling: resultOf(
      ...rates.map((rate) => tableOf('2000 pods, 5000 nodes', { 'whole cluster': [rate] }, ['pods a second'])),
    ),
  })
  const scheduler = 'scheduler with 5,000 nodes, slowest run'
  deepEqual([rowOf(runs(600, 499), scheduler)?.isMet, rowOf(runs(600, 500), scheduler)?.isMet], [false, true])
  match(formatPage(create(290)), /\*\*API server: creates a second, 64 in flight\*\* \| \*\*290\*\*/)
})

test('a quick run shows its output and reaches nothing', () => {
  const output = tableOf('create, 64 in flight', { holdfast: [900], 'kube-apiserver + etcd': [100] }, ['a second'])
  const results = { apiserver: { ...resultOf(output), isQuick: true } }
  equal(rowOf(results, 'API server: creates a second, 64 in flight')?.isMet, undefined)
  ok(formatPage(results).includes(output.trim()))
})

test('what was not measured is neither reached nor behind', () => {
  ok(rowsOf({}).every(({ isMet, ours }) => isMet === undefined && ours === undefined))
  match(formatPage({}), /0 rows reached, 0 not reached, \d+ not measured/)
})
