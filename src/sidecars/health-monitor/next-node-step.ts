import { keyOf } from '../../api/object-key.ts'
import type { ClaimUsers, NodeView } from './node-view.ts'
import { REASONS } from './reasons.ts'
import type { HealthMonitorReason } from './reasons.ts'

export type NodeStep =
  | { readonly kind: 'wait'; readonly reason: HealthMonitorReason; readonly retryInMs?: number }
  | { readonly kind: 'tell-failed'; readonly users: readonly ClaimUsers[] }
  | { readonly kind: 'tell-recovered' }

/** A node that is not ready for longer has failed. */
const FAILED_AFTER_MS = 5 * 60_000

/** What to report on the claims whose pods are on this node. */
export function nextNodeStep({ seen: { state, users }, held: { nowMs, told } }: NodeView): NodeStep {
  if (state.kind === 'ready')
    return told.size > 0 ? { kind: 'tell-recovered' } : { kind: 'wait', reason: REASONS.NodeReady }
  if (state.kind === 'unknown') return { kind: 'wait', reason: REASONS.NodeNotReady }
  const failsInMs = state.kind === 'gone' ? 0 : state.sinceMs + FAILED_AFTER_MS - nowMs
  // A node whose clock is ahead does not get more time than others.
  if (failsInMs > 0)
    return { kind: 'wait', reason: REASONS.NodeNotReady, retryInMs: Math.min(failsInMs, FAILED_AFTER_MS) }
  const news = users.filter(({ claim }) => told.get(keyOf(claim)) !== claim.metadata.uid)
  return news.length > 0 ? { kind: 'tell-failed', users: news } : { kind: 'wait', reason: REASONS.NodeFailed }
}
