import { createHash } from 'node:crypto'
import { TOKEN_REVIEWS } from 'holdfast/api'
import type { Api, TokenReview } from 'holdfast/api'
import type { Clock } from 'holdfast/base'
import { CsiError } from 'holdfast/csi'
import type { PodToken } from './find-token.ts'

/** Whose token it is. */
export type Identity = { readonly namespace: string; readonly account: string; readonly podUid: string }

export type ReviewToken = (token: PodToken, signal: AbortSignal) => Promise<Identity>

export type ReviewParts = {
  /** Needs the right to create TokenReviews, and no other. */
  readonly api: Api
  readonly audience: string
  readonly clock: Clock
  /** How long a good answer holds: with `requiresRemount` the same token comes ten times a second. Default 10 s. */
  readonly keepMs?: number
}

/** Asks the API server about tokens: a signature alone does not tell that pod and account still exist. */
export function createTokenReviewer({ api, audience, clock, keepMs = 10_000 }: ReviewParts): ReviewToken {
  // By their digest, so that no token is held longer than its call.
  const kept = new Map<string, { readonly identity: Identity; readonly untilMs: number }>()

  return async ({ token, expiresMs }, signal) => {
    const nowMs = clock.nowMs()
    for (const [digest, { untilMs }] of kept) if (untilMs <= nowMs) kept.delete(digest)
    const digest = createHash('sha256').update(token).digest('base64')
    const known = kept.get(digest)
    if (known) return known.identity
    const body: TokenReview = {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenReview',
      metadata: {},
      spec: { token, audiences: [audience] },
    }
    const { status } = await api.review<TokenReview>(TOKEN_REVIEWS, body, { signal }).catch((cause: unknown) => {
      throw new CsiError(
        'UNAVAILABLE',
        `the API server did not review the token: ${cause instanceof Error ? cause.message : String(cause)}`,
      )
    })
    const identity = identityOf(status, audience)
    kept.set(digest, { identity, untilMs: Math.min(nowMs + keepMs, expiresMs) })
    return identity
  }
}

const ACCOUNT = /^system:serviceaccount:([^:]+):([^:]+)$/

function identityOf(status: TokenReview['status'], audience: string): Identity {
  if (!status?.authenticated)
    throw new CsiError('UNAUTHENTICATED', `the token is not good for the audience ${audience}, or its time has passed`)
  // A server that knows no audiences leaves them out; its yes then says nothing about ours.
  if (!status.audiences?.includes(audience))
    throw new CsiError('UNAUTHENTICATED', `the token is not for the audience ${audience}`)
  const [, namespace, account] = ACCOUNT.exec(status.user?.username ?? '') ?? []
  const [podUid] = status.user?.extra?.['authentication.kubernetes.io/pod-uid'] ?? []
  if (namespace === undefined || account === undefined || podUid === undefined)
    throw new CsiError('UNAUTHENTICATED', 'the token is not that of a pod')
  return { namespace, account, podUid }
}
