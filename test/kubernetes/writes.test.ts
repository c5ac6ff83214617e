import { deepEqual } from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { ROOT } from '../../scripts/run.ts'
import { operationsOf, prepareOperations } from './compared-operations.ts'
import { skipWithout } from './peers.ts'
import type { Maker } from './sidecar-stage.ts'
import { COMPARED, openWritesStage } from './writes-stage.ts'
import type { Compared, WritesStage } from './writes-stage.ts'
import type { WrittenChanges } from './written-changes.ts'

const PAGE = 'docs/sidecars.md'
const HEADING = '## How writes differ from the Go sidecars'
const NOTHING = 'none'

type Recorded = ReadonlyMap<string, Record<Compared, WrittenChanges>>
/** A row of the table on the page: operation, program, what, Go, Holdfast. */
type Row = readonly [operation: string, program: string, what: string, go: string, holdfast: string]

const ASPECTS: Readonly<Record<string, (changes: WrittenChanges) => string>> = {
  writes: ({ writes }) =>
    Array.from(writes, ([what, times]) => `${what} ×${times}`)
      .toSorted()
      .join(', '),
  finalizers: ({ finalizers }) => finalizers.toSorted().join(', '),
  annotations: ({ annotations }) => annotations.toSorted().join(', '),
  events: ({ events }) => events.toSorted().join(', '),
}

function differencesOf(go: Recorded, holdfast: Recorded): Row[] {
  return [...go].flatMap(([operation, theirs]) =>
    COMPARED.flatMap((program) =>
      Object.entries(ASPECTS).flatMap(([what, textOf]): Row[] => {
        const ours = holdfast.get(operation)?.[program]
        const [one, other] = [textOf(theirs[program]) || NOTHING, (ours && textOf(ours)) || NOTHING]
        return one === other ? [] : [[operation, program, what, one, other]]
      }),
    ),
  )
}

/** The rows of the table, and those without a reason. */
function readTable(): { rows: Row[]; unexplained: Row[] } {
  const section = readFileSync(join(ROOT, PAGE), 'utf8').split(HEADING)[1]?.split('\n## ')[0] ?? ''
  const cells = section
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .slice(2)
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim().replaceAll('`', '')),
    )
  const rowOf = ([operation = '', program = '', what = '', go = '', holdfast = '']: readonly string[]): Row => [
    operation,
    program,
    what,
    go,
    holdfast,
  ]
  return { rows: cells.map(rowOf), unexplained: cells.filter((row) => !row[5]).map(rowOf) }
}

describe('the writes of resizer, snapshotter and snapshot controller on kube-apiserver', () => {
  const skip = skipWithout(...COMPARED)
  let stage: WritesStage
  const recorded = new Map<Maker, Map<string, Record<Compared, WrittenChanges>>>()
  before(async () => {
    if (skip) return
    stage = await openWritesStage()
    await prepareOperations(stage)
  })
  after(() => stage?.close())

  for (const maker of ['go', 'holdfast'] as const)
    test(`${maker} expands, modifies, takes snapshots and deletes them`, { skip, timeout: 600_000 }, () =>
      stage.telling(async () => {
        await stage.use(maker)
        const ofMaker = new Map<string, Record<Compared, WrittenChanges>>()
        for (const { name, run } of operationsOf(stage, maker)) ofMaker.set(name, await stage.record(run))
        recorded.set(maker, ofMaker)
      }),
    )

  test(`they differ as ${PAGE} says, and it says why`, { skip }, () => {
    const measured = differencesOf(recorded.get('go') ?? new Map(), recorded.get('holdfast') ?? new Map())
    if (process.env['HOLDFAST_SHOW_WRITES'])
      for (const row of measured) process.stderr.write(`| ${row.join(' | ')} |\n`)
    const { rows, unexplained } = readTable()
    deepEqual(measured.toSorted(), rows.toSorted())
    deepEqual(unexplained, [])
  })
})
