import type { Case, CaseInfo, CaseResult } from './case.ts'
import { findMissing } from './find-missing.ts'
import type { Offer } from './find-missing.ts'
import type { OpenCase } from './case-context.ts'
import { runCase } from './run-case.ts'
import type { RunCaseParts } from './run-case.ts'

export type RunCasesOptions = {
  readonly cases: readonly Case[]
  readonly offer: Offer
  readonly parts: RunCaseParts
  readonly parallel: number
  readonly onStart?: (one: Case) => void
  readonly onResult: (result: CaseResult) => void
  readonly signal?: AbortSignal
}

/** Runs the cases, first those that tolerate company, several at a time, then the others. Results are in the order of the cases. */
export async function runCases({
  cases,
  offer,
  parts,
  parallel,
  onStart,
  onResult,
  signal,
}: RunCasesOptions): Promise<CaseResult[]> {
  const results = new Map<CaseInfo, CaseResult>()
  const numbers = new Map(cases.map((one, index) => [one, index + 1]))
  const report = (result: CaseResult): void => {
    results.set(result.case, result)
    onResult(result)
  }
  const runOne = async (one: Case): Promise<void> => {
    onStart?.(one)
    const act = ({ context }: OpenCase): Promise<void> => one.run(context)
    report(await runCase({ case: one, number: numbers.get(one) ?? 0, act }, parts))
  }
  const applicable = cases.filter((one) => {
    const reason = findMissing(one.needs, offer)
    if (reason !== undefined) report({ case: one, outcome: { kind: 'not-applicable', reason }, tookMs: 0 })
    return reason === undefined
  })
  const waiting = applicable.filter(({ alone }) => !alone)
  const worker = async (): Promise<void> => {
    for (let next = waiting.shift(); next && !signal?.aborted; next = waiting.shift()) await runOne(next)
  }
  await Promise.all(Array.from({ length: parallel }, worker))
  for (const one of applicable.filter(({ alone }) => alone)) if (!signal?.aborted) await runOne(one)
  return cases.flatMap((one) => results.get(one) ?? [])
}
