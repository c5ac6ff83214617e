import type { Api } from '../../api/api.ts'
import type { TokenRequest } from '../../api/kinds/authentication.ts'
import type { CSIDriverTokenRequest } from '../../api/kinds/csi-driver.ts'
import type { Pod } from '../../api/kinds/pod.ts'
import { SERVICE_ACCOUNTS } from '../../api/kinds/service-account.ts'
import { findTimestamp } from '../../api/timestamps.ts'
import type { Clock } from '../../base/clock.ts'
import { getOrAdd } from '../../base/get-or-add.ts'
import type { Logger } from '../../base/logger.ts'
import type { Random } from '../../base/random.ts'

type Token = { readonly token: string; readonly expirationTimestamp: string }

/** Both times are on the monotonic clock. */
type Entry = { readonly token: Token; readonly renewAtMs: number; readonly expiresAtMs: number }

const LONGEST_KEPT_MS = 24 * 3600 * 1000
const MOST_JITTER_SECONDS = 10
// Renewed after this fraction of their lifetime.
const KEPT_SHARE = 0.8

type TokenCacheParts = { api: Api; clock: Clock; random: Random; log: Logger }

export type TokenCache = ReturnType<typeof createTokenCache>

/** Requests tokens and keeps them until they are due for renewal. */
export function createTokenCache({ api, clock, random, log }: TokenCacheParts) {
  const entries = new Map<string, Map<string, Entry>>()
  const asked = new Map<string, Promise<Entry>>()

  const getOne = async (pod: Pod, request: CSIDriverTokenRequest): Promise<Entry> => {
    const { uid = '' } = pod.metadata
    const key = JSON.stringify([pod.spec.serviceAccountName ?? '', request.audience, request.expirationSeconds ?? 0])
    const present = entries.get(uid)?.get(key)
    if (present && clock.monotonicMs() < present.renewAtMs) return present
    const askKey = `${uid} ${key}`
    const asking = asked.get(askKey) ?? ask(pod, request).finally(() => void asked.delete(askKey))
    asked.set(askKey, asking)
    try {
      const entry = await asking
      getOrAdd(entries, uid, () => new Map()).set(key, entry)
      return entry
    } catch (error) {
      if (!present || clock.monotonicMs() >= present.expiresAtMs) throw error
      const { name, namespace } = pod.metadata
      const { audience } = request
      log.warn('token not renewed: the present one is still valid', { pod: name, namespace, audience, error })
      return present
    }
  }
  const ask = async (
    { metadata, spec }: Pod,
    { audience, expirationSeconds }: CSIDriverTokenRequest,
  ): Promise<Entry> => {
    const { namespace = '', name = '', uid = '' } = metadata
    const body: TokenRequest = {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenRequest',
      metadata: {},
      spec: {
        // An empty audience means the API server's own.
        audiences: audience === '' ? [] : [audience],
        ...(expirationSeconds === undefined ? {} : { expirationSeconds }),
        boundObjectRef: { apiVersion: 'v1', kind: 'Pod', name, uid },
      },
    }
    const ref = { namespace, name: spec.serviceAccountName || 'default' }
    const answer = await api.createSubresource<TokenRequest>(SERVICE_ACCOUNTS, ref, 'token', body)
    const { token, expirationTimestamp } = answer.status ?? {}
    if (!token || !expirationTimestamp)
      throw new Error(`the API server returned no token for service account ${namespace}/${ref.name}`)
    // The lifetime counts from the arrival of the response, so that a jump of the wall clock does not age a token.
    const seconds = answer.spec.expirationSeconds
    const lifeMs = seconds ? seconds * 1000 : (findTimestamp(expirationTimestamp) ?? clock.nowMs()) - clock.nowMs()
    const receivedMs = clock.monotonicMs()
    const jitterMs = random.below(MOST_JITTER_SECONDS) * 1000
    const keptMs = Math.max(0, Math.min(lifeMs * KEPT_SHARE, LONGEST_KEPT_MS) - jitterMs)
    return {
      token: { token, expirationTimestamp },
      renewAtMs: receivedMs + keptMs,
      expiresAtMs: receivedMs + lifeMs,
    }
  }
  /** Tokens of the pod's service account, each bound to the pod, by audience. */
  const get = async (pod: Pod, requests: readonly CSIDriverTokenRequest[]) => {
    const found = await Promise.all(
      requests.map(async (request) => [request.audience, await getOne(pod, request)] as const),
    )
    return {
      byAudience: Object.fromEntries(found.map(([audience, { token }]) => [audience, token])),
      /** When to renew the first of them, on the monotonic clock. Infinite without any. */
      renewAtMs: Math.min(Number.POSITIVE_INFINITY, ...found.map(([, { renewAtMs }]) => renewAtMs)),
    }
  }
  return {
    get,
    /** The pod no longer has any volume. */
    forget: (podUid: string): void => void entries.delete(podUid),
    size: () => entries.size,
  }
}

/** The JSON text that drivers get, with sorted audiences. `withExpiry`: the end also as `expiry`, as in the alpha API. */
export function formatTokens(byAudience: Readonly<Record<string, Token>>, withExpiry: boolean): string {
  const sorted = Object.entries(byAudience).sort(([a], [b]) => (a < b ? -1 : 1))
  return JSON.stringify(
    Object.fromEntries(
      sorted.map(([audience, { token, expirationTimestamp }]) => [
        audience,
        { token, expirationTimestamp, ...(withExpiry ? { expiry: expirationTimestamp } : {}) },
      ]),
    ),
  )
}
