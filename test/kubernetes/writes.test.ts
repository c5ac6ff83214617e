import { deepEqual, ok } from 'node:assert/strict'
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
const NOTHING = 'none'

/** By operation. */
type Recorded = ReadonlyMap<string, ReadonlyMap<Compared, WrittenChanges>>

// How often the Go programs write the same depends on their retries, which depend on time.
const ASPECTS: Readonly<Record<string, (changes: WrittenChanges) => readonly string[]>> = {
  writes: ({ writes }) => [...writes.keys()],
  finalizers: ({ finalizers }) => finalizers,
  annotations: ({ annotations }) => annotations,
  labels: ({ labels }) => labels,
  'owner references': ({ owners }) => owners,
  events: ({ events }) => events,
}

/** Rows of the first table on the page: operation, program, what, Go, Holdfast. */
function differencesOf(go: Recorded, holdfast: Recorded): string[][] {
  return [...go].flatMap(([operation, theirs]) =>
    COMPARED.flatMap((program) =>
      Object.entries(ASPECTS).flatMap(([what, entriesOf]): string[][] => {
        const textOf = (changes: WrittenChanges | undefined): string =>
          (changes && entriesOf(changes).toSorted().join(', ')) || NOTHING
        const [one, other] = [textOf(theirs.get(program)), textOf(holdfast.get(operation)?.get(program))]
        return one === other ? [] : [[operation, program, what, one, other]]
      }),
    ),
  )
}

/** How many writes but events the operation took, of all programs together. */
const countOf = (recorded: Recorded, operation: string): number =>
  [...(recorded.get(operation)?.values() ?? [])]
    .flatMap(({ writes }) => [...writes.values()])
    .reduce((sum, times) => sum + times, 0)

/** The cells of the table below a heading. */
function readTable(heading: string): string[][] {
  const section =
    readFileSync(join(ROOT, PAGE), 'utf8')
      .split(`${heading}\n`)[1]
      ?.split(/\n##+ /)[0] ?? ''
  const rows = section.split('\n').filter((line) => line.startsWith('|'))
  return rows.slice(2).map((row) =>
    row
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim().replaceAll('`', '')),
  )
}

const formatRows = (rows: readonly (readonly string[])[]): string =>
  rows.map((row) => `| ${row.join(' | ')} |`).join('\n')

describe('the writes of the sidecars on kube-apiserver, and those of the Go sidecars', () => {
  const skip = skipWithout(...COMPARED)
  let stage: WritesStage
  const recorded = new Map<Maker, Recorded>()
  const recordedBy = (maker: Maker): Recorded => {
    const found = recorded.get(maker)
    ok(found, `${maker} was recorded`)
    return found
  }
  before(async () => {
    if (skip) return
    stage = await openWritesStage()
    await prepareOperations(stage)
  })
  after(() => stage?.close())

  for (const maker of ['go', 'holdfast'] as const)
    test(`${maker} expands, modifies, takes snapshots and reports health`, { skip, timeout: 600_000 }, () =>
      stage.telling(async () => {
        await stage.use(maker)
        const ofMaker = new Map<string, ReadonlyMap<Compared, WrittenChanges>>()
        for (const { name, run } of operationsOf(stage, maker)) ofMaker.set(name, await stage.record(run))
        recorded.set(maker, ofMaker)
      }),
    )

  test('they differ as the page says, and it says why', { skip }, () => {
    const measured = differencesOf(recordedBy('go'), recordedBy('holdfast'))
    const rows = readTable('### How writes differ from the Go sidecars')
    const described = rows.map((row) => row.slice(0, 5))
    deepEqual(
      measured.map(String).toSorted(),
      described.map(String).toSorted(),
      `the page has other rows than these:\n${formatRows(measured)}`,
    )
    deepEqual(
      rows.filter((row) => !row[5]),
      [],
      'each has a reason',
    )
  })

  test('ours take as many writes as the page says, and never more than the Go sidecars', { skip }, () => {
    const [go, holdfast] = [recordedBy('go'), recordedBy('holdfast')]
    const measured = [...holdfast.keys()]
      .map((operation) => [operation, String(countOf(go, operation)), String(countOf(holdfast, operation))])
      .filter(([, theirs, ours]) => theirs !== '0' || ours !== '0')
    const rows = readTable('### How many writes an operation takes')
    deepEqual(
      measured.map(([operation, , ours]) => [operation, ours]),
      rows.map(([operation, , ours]) => [operation, ours]),
      `measured:\n${formatRows(measured)}`,
    )
    for (const [operation, theirs, ours] of measured)
      ok(Number(ours) <= Number(theirs), `${operation}: ${ours} > ${theirs}`)
  })
})
