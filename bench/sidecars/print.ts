import type { AuditedRequest } from '../../test/kubernetes/start-audited-server.ts'
import { formatTable } from '../apiserver/table.ts'
import { countCalls, median } from './measure.ts'
import type { Calls, PhaseNumbers, RunNumbers } from './measure.ts'
import { titleOf } from './subjects.ts'
import type { SubjectName, SubjectSet } from './subjects.ts'

/** All runs of all subjects in one section. */
export type Measured<P extends string> = {
  readonly set: SubjectSet
  readonly phases: readonly P[]
  /** The title of the row that ratios refer to. */
  readonly reference: string
  readonly subjects: readonly { readonly name: SubjectName; readonly runs: RunNumbers<P>[] }[]
}

export const write = (line: string): void => void process.stdout.write(`${line}\n`)

const middle = <P extends string>(runs: readonly RunNumbers<P>[], of: (run: RunNumbers<P>) => number): number =>
  median(runs.map(of))

export function printPhases<P extends string>(title: string, { set, phases, reference, subjects }: Measured<P>): void {
  const column = (phase: P, key: keyof PhaseNumbers) => (runs: readonly RunNumbers<P>[]) =>
    middle(runs, (run) => run.phases[phase][key])
  for (const phase of phases) {
    const cells = (['perSecond', 'p50Ms', 'p99Ms', 'cpuMicros', 'aloneP50Ms', 'aloneP99Ms'] as const).map((key) =>
      column(phase, key),
    )
    const rows = subjects.map(({ name, runs }) => ({
      name: titleOf(name, set),
      cells: cells.map((cell) => cell(runs)),
    }))
    write('')
    process.stdout.write(
      formatTable(
        {
          title: `${phase}, ${title}`,
          columns: ['a second', 'p50 ms', 'p99 ms', 'CPU µs', 'alone p50', 'alone p99'],
          rows,
        },
        { to: reference, better: 'more' },
      ),
    )
  }
  const rows = subjects.map(({ name, runs }) => ({
    name: titleOf(name, set),
    cells: [middle(runs, ({ lifeMicros }) => lifeMicros), ...phases.map((phase) => column(phase, 'cpuMicros')(runs))],
  }))
  write('')
  process.stdout.write(
    formatTable(
      { title: `CPU a volume, ${title}`, columns: [set === 'changes' ? 'all µs' : 'life µs', ...phases], rows },
      { to: reference, better: 'less' },
    ),
  )
}

/** What the last run of each asked of the server. */
export function printCalls<P extends string>(
  { set, phases, subjects }: Measured<P>,
  requests: readonly AuditedRequest[],
): void {
  const counted = subjects.flatMap(({ name, runs }) => {
    const last = runs.at(-1)
    return last ? [{ name, calls: countCalls(requests, last) }] : []
  })
  for (const phase of phases) {
    write('')
    write(`${phase}, API calls a volume`)
    for (const { name, calls } of counted)
      write(`${titleOf(name, set).padEnd(30)}${formatCalls(calls.get(phase) ?? new Map())}`)
  }
}

function formatCalls(calls: Calls): string {
  const shown = [...calls].filter(([, count]) => count >= 0.005).toSorted(([, a], [, b]) => b - a)
  return shown.length === 0 ? 'none' : shown.map(([call, count]) => `${call} ${count.toFixed(2)}`).join(', ')
}
