import type { Reason } from '../../api/reason.ts'

/**
 * Why a volume can't be asked for now.
 * - `refuse`: the user is told, and it is tried again later; nothing reached the driver.
 * - `reschedule`: it can't be done on the node that was picked, so another one has to be.
 */
export type Obstacle =
  | { readonly kind: 'refuse'; readonly reason: Reason }
  | { readonly kind: 'reschedule'; readonly reason: Reason }

/** What was worked out, or what stands in the way. */
export type Decision<T> = { readonly kind: 'ok'; readonly value: T } | Obstacle

export const ok = <T>(value: T): Decision<T> => ({ kind: 'ok', value })
export const refuse = (reason: Reason): Obstacle => ({ kind: 'refuse', reason })
export const reschedule = (reason: Reason): Obstacle => ({ kind: 'reschedule', reason })
