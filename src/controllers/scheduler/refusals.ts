import { backoffDelayMs } from '../../base/backoff.ts'
import type { BackoffOptions } from '../../base/backoff.ts'
import type { RoleWorld } from '../../kube/process/role-world.ts'
import type { NodeView } from './node-entry.ts'

/** A provisioner rejected a claim: nodes of these segments are not tried again before `untilMs`. */
export type Refusal = {
  /** See `segmentOf`. */
  readonly segments: ReadonlySet<string>
  readonly claim: string
  readonly untilMs: number
}

/** The nodes that a driver does not distinguish: if it cannot create a volume for one of them, it cannot for any. */
export function segmentOf(driver: string, { name, labels, drivers }: NodeView): string {
  const keys = drivers.get(driver)?.topologyKeys ?? []
  const values = keys.toSorted().map((key) => [key, labels[key] ?? null])
  return JSON.stringify(values.length === 0 ? [driver, name] : [driver, values])
}

export type Refusals = ReturnType<typeof createRefusals>

/** Where provisioners could not create volumes for a pod. */
export function createRefusals({ clock, random }: Pick<RoleWorld, 'clock' | 'random'>, backoff: BackoffOptions) {
  const refusals = new Map<string, Refusal & { readonly count: number }>()
  return {
    find: (podKey: string): Refusal | undefined => refusals.get(podKey),
    add: (podKey: string, { claim, segment }: { claim: string; segment: string }): void => {
      const before = refusals.get(podKey)
      const nowMs = clock.monotonicMs()
      const isRecent = before !== undefined && before.untilMs > nowMs
      // A round through all segments counts once: only the next round waits longer.
      const count = (before?.count ?? 0) + (isRecent ? 0 : 1)
      const segments = new Set([...(isRecent ? before.segments : []), segment])
      refusals.set(podKey, { segments, claim, untilMs: nowMs + backoffDelayMs(backoff, count, random), count })
    },
    forget: (podKey: string): void => void refusals.delete(podKey),
  }
}
