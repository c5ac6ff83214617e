import type { RunReport } from '../run-check.ts'
import { countResults } from './format-text.ts'
import type { Repeat } from './format-text.ts'

export type DriverName = { readonly name: string; readonly version: string }

/** The whole result of a run, for programs. */
export function formatJson(driver: DriverName, report: RunReport, repeat: Repeat): string {
  const { run, results, left, startedAtMs, tookMs, load } = report
  const cases = results.map(({ case: one, outcome, tookMs: caseMs }) => ({
    id: one.id,
    title: one.title,
    section: one.section,
    clause: one.clause,
    result: outcome.kind,
    tookMs: caseMs,
    ...(outcome.kind === 'not-applicable' ? { reason: outcome.reason } : {}),
    ...(outcome.kind === 'failed' ? { failure: outcome.failure, repeat: repeat(one) } : {}),
  }))
  const startedAt = new Date(startedAtMs).toISOString()
  const { name, version } = driver
  const value = {
    driver: { name, version },
    run,
    startedAt,
    tookMs,
    ...countResults(results),
    left,
    cases,
    ...(load ? { load } : {}),
  }
  return `${JSON.stringify(value, undefined, 2)}\n`
}
