import { formatQuantity } from '../../base/quantity.ts'
import type { CaseInfo, CaseResult } from '../case.ts'
import type { RecordedCall } from '../recorded-call.ts'
import type { RunPlan } from '../plan-run.ts'
import type { RunReport } from '../run-check.ts'
import type { RpcLoad } from '../measure-calls.ts'

/** How to repeat one case, as the user would type it. */
export type Repeat = (one: CaseInfo) => string

const bytes = (value: bigint): string => formatQuantity(value, 'binary')

/** How to remove what a run left behind, as the user would type it. */
export type Clean = (run: string) => string

/** What is going to happen, before it does. */
export function formatPlan(plan: RunPlan, run: string, clean: Clean): string {
  const volumes =
    plan.created === 0
      ? 'It creates no volumes.'
      : `It creates ${plan.created} volumes of ${bytes(plan.sizeBytes)} (some up to ${bytes(plan.largestBytes)}), at most ${plan.volumes} at a time, all named holdfast-check-${run}-*, and deletes them.`
  return `Run ${run}: ${plan.cases} cases. ${volumes}\nIf it is interrupted, remove what is left with: ${clean(run)}\n\n`
}

const MARKS = { passed: 'ok  ', failed: 'FAIL', 'not-applicable': 'n/a ' } as const

/** One line for a case that has ended. */
export function formatResult({ case: one, outcome, tookMs }: CaseResult): string {
  const detail = outcome.kind === 'not-applicable' ? `: ${outcome.reason}` : ` (${tookMs} ms)`
  return `${MARKS[outcome.kind]}  ${one.id}  ${one.title}${detail}\n`
}

/** Everything about the cases that failed. */
export function formatFailures(results: readonly CaseResult[], repeat: Repeat): string {
  return results.map((result) => formatFailure(result, repeat)).join('')
}

function formatFailure({ case: one, outcome }: CaseResult, repeat: Repeat): string {
  if (outcome.kind !== 'failed') return ''
  const { expected, found, calls, log } = outcome.failure
  return [
    '',
    `FAIL ${one.id}: ${one.title}`,
    `  specification  ${one.section}: "${one.clause}"`,
    `  expected       ${expected}`,
    `  found          ${found}`,
    ...calls.flatMap(formatCall),
    ...(log ? ['  log of the driver', ...log.split('\n').map((line) => `    ${line}`)] : []),
    `  repeat         ${repeat(one)}`,
    '',
  ].join('\n')
}

function formatCall({ rpc, node, request, response, code, error, tookMs }: RecordedCall): string[] {
  const place = node === undefined ? '' : ` on ${node}`
  return [
    `  call           ${rpc}${place} ${JSON.stringify(request)}`,
    `                 → ${code}${error === undefined ? '' : `: ${error}`}${response === undefined ? '' : ` ${JSON.stringify(response)}`} (${tookMs} ms)`,
  ]
}

/** Rate and latency of each RPC under load. */
export function formatLoad(loads: readonly RpcLoad[]): string {
  const cells = loads.map(({ rpc, calls, failed, perSecond, p50Ms, p99Ms }) => [
    rpc,
    String(calls),
    String(failed),
    perSecond.toFixed(1),
    `${p50Ms} ms`,
    `${p99Ms} ms`,
  ])
  const rows = [['RPC', 'calls', 'failed', 'per second', 'p50', 'p99'], ...cells]
  const widthOf = (column: number): number => Math.max(...rows.map((row) => row[column]?.length ?? 0))
  const widths = [0, 1, 2, 3, 4, 5].map(widthOf)
  const line = (row: readonly string[]): string =>
    row.map((cell, index) => (index === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[index] ?? 0))).join('  ')
  return `\n${rows.map((row) => `${line(row)}\n`).join('')}`
}

export type Counts = { passed: number; failed: number; notApplicable: number }

export function countResults(results: readonly CaseResult[]): Counts {
  const count = (kind: CaseResult['outcome']['kind']): number =>
    results.filter(({ outcome }) => outcome.kind === kind).length
  return { passed: count('passed'), failed: count('failed'), notApplicable: count('not-applicable') }
}

/** The verdict, in one line, and what is left. */
export function formatVerdict(
  driver: { name: string; version: string },
  { results, left, run, tookMs, isInterrupted = false }: RunReport,
  clean: Clean,
): string {
  const { passed, failed, notApplicable } = countResults(results)
  const verdict = isInterrupted ? 'INTERRUPTED' : failed === 0 && left.length === 0 ? 'PASSED' : 'FAILED'
  const rest = left.map((what) => `left behind: ${what}\n`).join('')
  const cure = left.length === 0 ? '' : `Remove it with: ${clean(run)}\n`
  const took = `${(tookMs / 1000).toFixed(1)} s`
  return `\n${rest}${cure}${verdict}: ${driver.name} ${driver.version}: ${passed} passed, ${failed} failed, ${notApplicable} not applicable, in ${took}\n`
}
