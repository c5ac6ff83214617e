import { backoffDelayMs } from '../../base/backoff.ts'
import type { BackoffOptions } from '../../base/backoff.ts'
import type { Clock } from '../../base/clock.ts'
import type { Random } from '../../base/random.ts'
import type { Refusal } from './placement-view.ts'

/** Where provisioners could not make volumes for a pod, and until when that is believed. */
export interface Refusals {
  find(podKey: string): Refusal | undefined
  add(podKey: string, refused: { readonly claim: string; readonly segment: string }): void
  forget(podKey: string): void
}

export function createRefusals({
  clock,
  random,
  backoff,
}: {
  clock: Clock
  random: Random
  backoff: BackoffOptions
}): Refusals {
  const refusals = new Map<string, Refusal & { readonly count: number }>()
  const add = (podKey: string, { claim, segment }: { claim: string; segment: string }): void => {
    const before = refusals.get(podKey)
    const nowMs = clock.monotonicMs()
    const isRecent = before !== undefined && before.untilMs > nowMs
    // A round through all places counts once: only the next one waits longer.
    const count = (before?.count ?? 0) + (isRecent ? 0 : 1)
    const untilMs = nowMs + backoffDelayMs(backoff, count, random)
    refusals.set(podKey, { segments: new Set([...(isRecent ? before.segments : []), segment]), claim, untilMs, count })
  }
  return { find: (podKey) => refusals.get(podKey), add, forget: (podKey) => void refusals.delete(podKey) }
}
