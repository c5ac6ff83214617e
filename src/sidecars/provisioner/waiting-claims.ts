import type { Reason } from '../../api/reason.ts'
import { createAwaitedObjects } from './awaited-objects.ts'
import type { AwaitedParts } from './awaited-objects.ts'
import { UNCACHED_TYPES } from './read-wanted.ts'

/** Claims that can't go on, each with what it waits for, so that the change that ends the wait brings it back at once. */
export interface WaitingClaims {
  wait(uid: string, reason: Reason): void
  /** It is looked at again, or needs nothing more. */
  end(uid: string): void
  /** Brings those back that wait for such a reason. */
  wake(isEnded: (reason: Reason) => boolean): void
  stop(): void
}

export function createWaitingClaims(parts: AwaitedParts): WaitingClaims {
  const reasons = new Map<string, Reason>()
  const awaited = createAwaitedObjects(parts)
  const wait = (uid: string, reason: Reason): void => {
    reasons.set(uid, reason)
    const { waitsFor } = reason
    if (waitsFor?.kind !== 'object') return
    const type = UNCACHED_TYPES[waitsFor.kindName]
    if (type) awaited.wait(type, waitsFor, uid)
  }
  const end = (uid: string): void => {
    if (reasons.delete(uid)) awaited.cancel(uid)
  }
  const wake = (isEnded: (reason: Reason) => boolean): void => {
    for (const [uid, reason] of reasons) if (isEnded(reason)) parts.wake(uid)
  }
  return { wait, end, wake, stop: awaited.stop }
}
