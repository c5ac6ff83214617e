import type { CaseResult } from '../case.ts'
import type { OpenCase } from '../case-context.ts'
import { Unexpected } from '../expectation.ts'
import { findMissing } from '../find-missing.ts'
import { runCase } from '../run-case.ts'
import type { Phase, PhaseParts } from '../run-check.ts'
import type { ClusterCase } from './cluster-case.ts'
import { createClasses, deleteEverything } from './cluster-steps.ts'
import { findLasting, findLeft, listNow } from './find-left.ts'
import { openCluster } from './open-cluster.ts'

/** The phase in which the driver is used by a cluster. One case at a time, each in a cluster of its own. */
export const createClusterPhase = (cases: readonly ClusterCase[]): Phase => ({
  cases,
  run: async (parts) => {
    const results: CaseResult[] = []
    for (const [index, one] of cases.entries()) {
      if (parts.listener.signal?.aborted) break
      const result = await runOne(one, parts.firstNumber + index, parts)
      results.push(result)
      parts.listener.onResult(result)
    }
    return results
  },
})

async function runOne(one: ClusterCase, number: number, phase: PhaseParts): Promise<CaseResult> {
  const reason = findMissing(one.needs, phase.offer)
  if (reason !== undefined) return { case: one, outcome: { kind: 'not-applicable', reason }, tookMs: 0 }
  phase.listener.onStart?.(one)
  const act = (opened: OpenCase, signal: AbortSignal): Promise<void> => inCluster(one, phase, opened, signal)
  return runCase({ case: one, number, act }, phase.parts)
}

// The sidecars repeat a call that takes too long, so a wait is longer than a call.
const CALLS_IN_A_WAIT = 2

async function inCluster(
  one: ClusterCase,
  { parts, random }: PhaseParts,
  opened: OpenCase,
  signal: AbortSignal,
): Promise<void> {
  const { context: check } = opened
  const before = await listNow(check)
  const cluster = await openCluster(parts, random, opened)
  signal.addEventListener('abort', () => cluster.kill(), { once: true })
  const context = { check, cluster, calls: opened.calls, limitMs: CALLS_IN_A_WAIT * parts.settings.callTimeoutMs }
  try {
    await createClasses(context)
    await one.run(context)
    await deleteEverything(context)
    const left = await findLasting(check.clock, signal, () => findLeft(check, cluster.api, before))
    if (left.length > 0)
      throw new Unexpected('nothing is left once the claims and pods are deleted', `left: ${left.join(', ')}`)
  } finally {
    // Kills first: after a failure, calls may be running that nobody waits for.
    cluster.kill()
    await cluster.stop()
  }
}
