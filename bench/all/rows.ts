import type { PartName } from './parts.ts'
import { readCell, readUp } from './read-output.ts'
import type { Results } from './results.ts'

/** One row of the summary. Values are undefined if they were not measured. */
export type Row = {
  readonly what: string
  readonly ours: string | undefined
  readonly theirs: string | undefined
  /** Above 1: Holdfast is better. Undefined if nothing is compared. */
  readonly ratio: number | undefined
  readonly goal: string
  /** Undefined if it was not measured. */
  readonly isMet: boolean | undefined
}

const numberOf = (text: string | undefined): number | undefined =>
  text === undefined ? undefined : Number.parseFloat(text)
// A quick run proves nothing: its rows are not measured.
const outputsOf = (results: Results, name: PartName): readonly string[] => {
  const result = results[name]
  return !result || result.isQuick ? [] : result.outputs
}
const outputOf = (results: Results, name: PartName): string => outputsOf(results, name).join('\n')

/** A row of `compare`. `required` is the least ratio; without it, the row has to be no worse than Go. */
function compared(results: Results, row: string, what: string, unit = '', required = 1): Row {
  const output = outputOf(results, 'compare')
  const title = /^\d+ rounds(?= )/m.exec(output)?.[0] ?? ''
  const read = (column: string): string | undefined => readCell(output, { title, row, column, nameWidth: 26 })
  const ratio = numberOf(read('ratio'))
  const withUnit = (text: string | undefined): string | undefined => text && `${text}${unit}`
  return {
    what,
    ours: withUnit(read('Holdfast')),
    theirs: withUnit(read('Go, tuned')),
    ratio,
    goal: `≥ ${required.toFixed(2)}×`,
    isMet: ratio === undefined ? undefined : ratio >= required,
  }
}

/** A row of `apiserver`, against kube-apiserver with etcd. */
function served(results: Results, title: string, column: string, what: string, required: number): Row {
  const output = outputOf(results, 'apiserver')
  const [ours, theirs] = ['holdfast', 'kube-apiserver + etcd'].map((row) => readCell(output, { title, row, column }))
  const ratio = numberOf(readCell(output, { title, row: 'holdfast', column: 'ratio' }))
  return {
    what,
    ours,
    theirs,
    ratio,
    goal: `≥ ${required}×`,
    isMet: theirs === undefined || ratio === undefined ? undefined : ratio >= required,
  }
}

/** A value with a limit of its own. */
function limited(
  what: string,
  value: number | undefined,
  unit: string,
  goal: { most: number } | { least: number },
): Row {
  const isMet = value === undefined ? undefined : 'most' in goal ? value <= goal.most : value >= goal.least
  return {
    what,
    ours: value === undefined ? undefined : `${Number(value.toPrecision(3))} ${unit}`,
    theirs: undefined,
    ratio: undefined,
    goal: 'most' in goal ? `≤ ${goal.most} ${unit}` : `≥ ${goal.least} ${unit}`,
    isMet,
  }
}

/** Everything that was promised, in the order of the page. */
export function rowsOf(results: Results): Row[] {
  const [apiserver, up, scale] = [outputOf(results, 'apiserver'), outputOf(results, 'up'), outputOf(results, 'scale')]
  const objects = /^memory, (\d+) objects/m.exec(apiserver)?.[1] ?? '20000'
  const others = /^(\d+) volumes {2}/m.exec(outputOf(results, 'memory'))?.[1] ?? '10000'
  const listed = /^list of \d+/m.exec(apiserver)?.[0] ?? 'list of 10000'
  const mounted = (disk: string): number | undefined => numberOf(readUp(up, disk, 'claim and pod applied to mounted'))
  const slowest = outputsOf(results, 'scheduling').map((output) =>
    numberOf(readCell(output, { title: schedulingTitle(output), row: 'whole cluster', column: 'pods a second' })),
  )
  const allRoles = readCell(outputOf(results, 'memory'), {
    title: `${others} volumes`,
    row: 'holdfast sidecar, all roles',
    column: 'MiB',
  })
  const served1 = (title: string, column: string): number | undefined =>
    numberOf(readCell(apiserver, { title, row: 'holdfast', column }))
  return [
    compared(results, 'provision a second', 'provision a second'),
    compared(results, 'attach a second', 'attach a second, own volumes', '', 1.4),
    compared(results, 'attach others a second', 'attach a second, volumes made by others'),
    compared(results, 'detach a second', 'detach a second, own volumes', '', 1.2),
    compared(results, 'detach others a second', 'detach a second, volumes made by others'),
    compared(results, 'delete a second', 'delete a second', '', 1.2),
    compared(results, 'provision a second, cold', 'provision a second, cold'),
    compared(results, 'attach a second, cold', 'attach a second, cold'),
    compared(results, 'CPU of a life, µs', 'CPU for the life of a volume', ' µs', 0.91),
    compared(results, 'provision alone, p50 ms', 'one volume alone: provision, p50', ' ms'),
    compared(results, 'attach alone, p50 ms', 'one volume alone: attach, p50', ' ms'),
    compared(results, 'detach alone, p50 ms', 'one volume alone: detach, p50', ' ms'),
    compared(results, 'delete alone, p50 ms', 'one volume alone: delete, p50', ' ms'),
    limited(`memory of the sidecars, all roles, ${others} volumes`, numberOf(allRoles), 'MiB', { most: 160 }),
    served(results, 'create, 64 in flight', 'a second', 'API server: creates a second, 64 in flight', 3),
    served(results, 'patch status, 64 in flight', 'a second', 'API server: status patches a second, 64 in flight', 4),
    served(results, listed, 'a second', `API server: ${listed}, a second`, 3),
    served(results, `memory, ${objects} objects`, 'MiB', `API server: memory with ${objects} objects, MiB`, 1),
    limited('the same, in itself', served1(`memory, ${objects} objects`, 'MiB'), 'MiB', { most: 200 }),
    limited(
      'API server: creates a second, one after the other',
      served1('create, 1 in flight', 'a second'),
      'a second',
      { least: 1000 },
    ),
    limited('API server: start to ready', served1('start, nothing stored', 'ready ms'), 'ms', { most: 500 }),
    limited('`up`: claim and pod applied to mounted, p50', mounted('as it is'), 'ms', { most: 50 }),
    limited('the same with 5 ms added to each sync', mounted('+5 ms each sync'), 'ms', { most: 150 }),
    limited('scheduler with 5,000 nodes, slowest run', smallest(slowest), 'pods/s', { least: 500 }),
    scaledRow(scale),
  ]
}

const schedulingTitle = (output: string): string => /^\d+ pods, \d+ nodes/m.exec(output)?.[0] ?? ''

const smallest = (values: readonly (number | undefined)[]): number | undefined => {
  const known = values.filter((value) => value !== undefined)
  return known.length > 0 && known.length === values.length ? Math.min(...known) : undefined
}

/** The CPU of one volume at 100,000, as a multiple of the same at 1,000. */
function scaledRow(output: string): Row {
  const cpuAt = (volumes: number): number | undefined => {
    const row = new RegExp(`^${volumes} volumes, \\d+ nodes`, 'm').exec(output)?.[0] ?? ''
    return numberOf(readCell(output, { title: 'by volumes, 20 on each node', row, column: 'CPU µs' }))
  }
  const [small, large] = [cpuAt(1000), cpuAt(100_000)]
  const times = small !== undefined && large !== undefined ? large / small : undefined
  return limited('CPU per volume at 100,000 volumes against 1,000', times, '×', { most: 1.2 })
}
