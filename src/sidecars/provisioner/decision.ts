import type { ProvisionerReason } from './reasons.ts'

/**
 * Why a volume can't be requested now.
 * - `refuse`: reported to the user and retried later, or when one of `wakeOn` is reported; nothing has reached the driver.
 * - `reschedule`: not possible on the selected node, so another one has to be selected.
 */
export type Obstacle =
  | { readonly kind: 'refuse'; readonly reason: ProvisionerReason; readonly wakeOn?: readonly string[] }
  | { readonly kind: 'reschedule'; readonly reason: ProvisionerReason }

/** A result, or what prevents it. */
export type Decision<T> = { readonly kind: 'ok'; readonly value: T } | Obstacle

/** Topics that bring back what was refused because of them. */
export const NODES_CHANGED = ['nodes changed']
export const GRANTS_CHANGED = ['reference grants changed']

export const ok = <T>(value: T): Decision<T> => ({ kind: 'ok', value })
export const refuse = (reason: ProvisionerReason, wakeOn?: readonly string[]): Obstacle => ({
  kind: 'refuse',
  reason,
  ...(wakeOn ? { wakeOn } : {}),
})
export const reschedule = (reason: ProvisionerReason): Obstacle => ({ kind: 'reschedule', reason })
