import type { AuthorizationDecision } from '../core/request.ts'

/** Leaves the decision to the next authorizer; the reason is shown if no authorizer allows the request. */
export type NoOpinion = { readonly kind: 'no-opinion'; readonly reason?: string }

/** A decision, with a reason even if there is no opinion. */
export type Opinion = Exclude<AuthorizationDecision, { kind: 'no-opinion' }> | NoOpinion

export const allow = (reason = ''): Opinion => ({ kind: 'allow', reason })

export const noOpinion = (reason = ''): NoOpinion =>
  reason === '' ? { kind: 'no-opinion' } : { kind: 'no-opinion', reason }

/** The reason, if there is one; otherwise empty. */
export function reasonOf(decision: AuthorizationDecision): string {
  return 'reason' in decision && typeof decision.reason === 'string' ? decision.reason : ''
}
