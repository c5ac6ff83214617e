import { abandonOnAbort, startDeadline } from '../base/abort.ts'
import { removeTree } from '../base/host/index.ts'
import type { Host } from '../base/host/index.ts'
import type { CaseInfo, CaseResult, Failure, Outcome } from './case.ts'
import type { RecordedCall } from './recorded-call.ts'
import { openCase } from './case-context.ts'
import type { CheckParts, OpenCase } from './case-context.ts'
import { NotApplicable, Unexpected } from './expectation.ts'
import { undoEntry } from './undo-entry.ts'

/** The log of the driver, to show what it wrote during a failed case. */
export type DriverLog = { mark(): Promise<bigint>; since(mark: bigint): Promise<string> }

export type RunCaseParts = CheckParts & {
  readonly caseTimeoutMs: number
  readonly log?: DriverLog
  /** Called with what could not be removed after a case. */
  readonly onLeft: (what: string) => void
}

// More would hide the decisive one.
const MOST_CALLS = 12

/** What a case does. The signal aborts when it takes too long. */
export type CaseAction = (opened: OpenCase, signal: AbortSignal) => Promise<void>

export type NumberedCase = { readonly case: CaseInfo; readonly number: number; readonly act: CaseAction }

/** Runs one case and removes everything that it made. */
export async function runCase({ case: one, number, act }: NumberedCase, parts: RunCaseParts): Promise<CaseResult> {
  const { clock } = parts
  const startedMs = clock.monotonicMs()
  const mark = await parts.log?.mark()
  const opened = openCase(parts, number)
  const outcome = await judge(one, act, opened, parts)
  await tidy(opened, parts)
  const tookMs = Math.round(clock.monotonicMs() - startedMs)
  if (outcome.kind !== 'failed' || mark === undefined) return { case: one, outcome, tookMs }
  const log = (await parts.log?.since(mark)) ?? ''
  return { case: one, outcome: { ...outcome, failure: { ...outcome.failure, log } }, tookMs }
}

async function judge(one: CaseInfo, act: CaseAction, opened: OpenCase, parts: RunCaseParts): Promise<Outcome> {
  const seconds = Math.round(parts.caseTimeoutMs / 1000)
  using deadline = startDeadline(
    parts.clock,
    parts.caseTimeoutMs,
    () => new Unexpected(`the case ends within ${seconds} s`, 'a call that is still running'),
  )
  try {
    await abandonOnAbort(act(opened, deadline.signal), deadline.signal)
    return { kind: 'passed' }
  } catch (error) {
    if (error instanceof NotApplicable) return { kind: 'not-applicable', reason: error.message }
    return { kind: 'failed', failure: failureOf(one, error, opened.calls) }
  }
}

function failureOf(one: CaseInfo, error: unknown, calls: readonly RecordedCall[]): Failure {
  const last = calls.slice(-MOST_CALLS)
  if (error instanceof Unexpected) return { expected: error.expected, found: error.found, calls: last }
  return { expected: one.title, found: error instanceof Error ? error.message : String(error), calls: last }
}

async function tidy({ context, entries }: OpenCase, parts: RunCaseParts): Promise<void> {
  const { journal, clock, host, onLeft } = parts
  const undo = {
    journal,
    driver: context.driver,
    nodeAt: (endpoint: string) => context.nodes.find((node) => node.endpoint === endpoint)?.driver,
    clock,
    host,
  }
  // Undoing can add entries, for objects whose reply was lost.
  for (let index = entries.length - 1; index >= 0; index--) {
    const present = journal.all().find(({ number }) => number === entries[index]?.number)
    const left = present && (await undoEntry(present, undo))
    if (left !== undefined) onLeft(left)
  }
  for (const left of await removeDirectory(host, context.directory)) onLeft(left)
}

/** Removes a directory of this run with the mounts in it, which the driver should have removed. */
export async function removeDirectory({ files, mounts }: Host, directory: string): Promise<string[]> {
  if (!(await files.findStat(directory))) return []
  const real = await files.resolve(directory)
  try {
    for (const { target } of (await mounts.list()).toReversed())
      if (target === real || target.startsWith(`${real}/`)) await mounts.unmount(target)
    await removeTree({ files, mounts }, directory)
    return []
  } catch (error) {
    return [error instanceof Error ? error.message : String(error)]
  }
}
