import type { Clock } from '../base/clock.ts'
import type { CaseInfo } from './case.ts'
import type { OpenCase } from './case-context.ts'
import { findMissing } from './find-missing.ts'
import { measureCalls } from './measure-calls.ts'
import type { RpcLoad } from './measure-calls.ts'
import { runCase } from './run-case.ts'
import type { Phase } from './run-check.ts'
import { attach, createVolume, detach, publish, stage, unpublish, unstage } from './volume-steps.ts'
import type { CheckedVolume } from './volume-steps.ts'

export type LoadOptions = {
  /** Volumes that are taken through their life. */
  readonly volumes: number
  readonly parallel: number
  onReport(loads: readonly RpcLoad[]): void
}

export const MOST_LOAD_VOLUMES = 1000
// No new volume is begun after this time.
const LONGEST_MS = 5 * 60_000

export const loadCase = (volumes: number, parallel: number): CaseInfo => ({
  id: 'load/lives',
  title: `${volumes} volumes are created, used and deleted, ${parallel} at a time`,
  clause:
    'Any of the RPCs defined in this spec MAY timeout and MAY be retried. The CO MAY choose the maximum time it is willing to wait for a call, how long it waits between retries, and how many time it retries (these values are not negotiated between plugin and CO).',
  section: 'Timeouts',
  needs: ['controller:CREATE_DELETE_VOLUME'],
  volumes: parallel,
  alone: true,
})

/** The opt-in phase that measures. It is limited in number and time, because the driver may be the front of a real storage system. */
export function createLoadPhase({ volumes, parallel, onReport }: LoadOptions): Phase {
  const one = loadCase(volumes, parallel)
  return {
    cases: [one],
    run: async ({ parts, offer, firstNumber, listener }) => {
      const stopped = listener.signal
      if (stopped?.aborted) return []
      const reason = findMissing(one.needs, offer)
      const act = async (opened: OpenCase, signal: AbortSignal): Promise<void> => {
        const startedMs = parts.clock.monotonicMs()
        try {
          await runLives(opened, {
            volumes,
            parallel,
            clock: parts.clock,
            signal: stopped ? AbortSignal.any([signal, stopped]) : signal,
          })
        } finally {
          onReport(measureCalls(opened.calls, parts.clock.monotonicMs() - startedMs))
        }
      }
      const result =
        reason === undefined
          ? await runCase({ case: one, number: firstNumber, act }, parts)
          : { case: one, outcome: { kind: 'not-applicable', reason } as const, tookMs: 0 }
      listener.onResult(result)
      return [result]
    },
  }
}

async function runLives(
  { context: check }: OpenCase,
  { volumes, parallel, clock, signal }: { volumes: number; parallel: number; clock: Clock; signal: AbortSignal },
): Promise<void> {
  const endMs = clock.monotonicMs() + LONGEST_MS
  let next = 0
  const worker = async (): Promise<void> => {
    for (let number = (next += 1); number <= volumes; number = next += 1) {
      if (signal.aborted || clock.monotonicMs() > endMs) return
      const volume = await createVolume(check, `load-${number}`)
      if (check.nodes.length > 0) await useOnce(check, volume, `load-${number}`)
      await check.driver.deleteVolume({ volumeId: volume.volumeId })
    }
  }
  await Promise.all(Array.from({ length: parallel }, worker))
}

async function useOnce(check: OpenCase['context'], volume: CheckedVolume, label: string): Promise<void> {
  const { node } = check
  const context = await attach(check, volume, node)
  await stage(check, volume, node, context)
  const path = await publish(check, volume, { label, context })
  await unpublish(check, volume, path)
  await unstage(check, volume, node)
  await detach(check, volume, node)
}
