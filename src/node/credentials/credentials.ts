import type { TokenRequest } from '../../api/kinds/authentication.ts'
import type { CSIDriverTokenRequest } from '../../api/kinds/csi-driver.ts'
import type { Pod } from '../../api/kinds/pod.ts'
import type { SecretReference } from '../../api/kinds/references.ts'
import { SERVICE_ACCOUNTS } from '../../api/kinds/service-account.ts'
import { findTimestamp } from '../../api/timestamps.ts'
import { getOrAdd } from '../../base/get-or-add.ts'
import type { RoleWorld } from '../../kube/process/role-world.ts'
import type { DriverPolicy } from '../../storage/driver-policy.ts'
import { readSecret } from '../../storage/read-secret.ts'
import type { SecretRead, SecretValues } from '../../storage/read-secret.ts'
import type { DriverVolume } from '../volumes/volume-table.ts'

const TOKENS_KEY = 'csi.storage.k8s.io/serviceAccount.tokens'

type CredentialSources = { readonly secrets: SecretReader; readonly tokens: TokenCache }

type CredentialFacts = {
  readonly pod: Pod
  readonly wish: DriverVolume
  readonly policy: Pick<DriverPolicy, 'republish' | 'tokens'>
  readonly isBlock: boolean
  /** The volume is published, and the driver wants to be called again. */
  readonly isRepeat: boolean
}

/** Secrets and tokens for NodePublishVolume. They are read for each call and written nowhere. */
export async function readCredentials(
  { secrets, tokens }: CredentialSources,
  { pod, wish, policy: { republish, tokens: wanted }, isBlock, isRepeat }: CredentialFacts,
) {
  const read = await secrets.read(publishSecretOf(pod, wish), isRepeat && republish === 'eachLoop')
  if (isBlock || wanted.requests.length === 0) return { secrets: { ...read }, attributes: {} }
  const { byAudience, renewAtMs: tokensDueAtMs } = await tokens.get(pod, wanted.requests)
  const issued = { [TOKENS_KEY]: formatTokens(byAudience, wanted.withExpiry) }
  return wanted.passedIn === 'secrets'
    ? { secrets: { ...read, ...issued }, attributes: {}, tokensDueAtMs }
    : { secrets: { ...read }, attributes: issued, tokensDueAtMs }
}

/** The secret for NodePublishVolume, with its namespace. */
function publishSecretOf(pod: Pod, wish: DriverVolume): SecretReference | undefined {
  if (wish.kind === 'csi') return wish.volume.csi.nodePublishSecretRef
  const name = wish.source.nodePublishSecretRef?.name
  // A pod can only name secrets of its own namespace.
  return name ? { name, ...(pod.metadata.namespace ? { namespace: pod.metadata.namespace } : {}) } : undefined
}

type SecretReader = ReturnType<typeof createSecretReader>

/** Secrets for calls of a driver. They are never written anywhere. */
export function createSecretReader({ api, clock }: Pick<RoleWorld, 'api' | 'clock'>, keepMs: number) {
  const kept = new Map<string, { values: SecretValues; untilMs: number }>()
  /** `mayBeKept`: a recent copy is enough, for calls that are made many times a second. */
  const read = async (ref: SecretReference | undefined, mayBeKept = false): Promise<SecretValues> => {
    const { namespace = '', name } = ref ?? {}
    if (!name) return {}
    for (const [key, { untilMs }] of kept) if (untilMs <= clock.monotonicMs()) kept.delete(key)
    const key = `${namespace}/${name}`
    const present = mayBeKept ? kept.get(key) : undefined
    if (present) return present.values
    const values = valuesOf(`secret ${key}`, await readSecret(api, { namespace, name }))
    if (mayBeKept) kept.set(key, { values, untilMs: clock.monotonicMs() + keepMs })
    return values
  }
  return { read }
}

// An error names the secret and never its values.
function valuesOf(secret: string, read: SecretRead): SecretValues {
  if (read.kind === 'read') return read.values
  if (read.kind === 'not-text')
    throw new Error(`${secret} is not valid UTF-8 under the key ${JSON.stringify(read.key)}`)
  throw new Error(`${secret} ${read.kind === 'missing' ? 'not found' : 'cannot be read by this node'}`)
}

type Token = { readonly token: string; readonly expirationTimestamp: string }

/** Both times are on the monotonic clock. */
type Entry = { readonly token: Token; readonly renewAtMs: number; readonly expiresAtMs: number }

const LONGEST_KEPT_MS = 24 * 3600 * 1000
const MOST_JITTER_SECONDS = 10
// Renewed after this fraction of their lifetime.
const KEPT_SHARE = 0.8

type TokenCache = ReturnType<typeof createTokenCache>

/** Requests tokens and keeps them until they are due for renewal. */
export function createTokenCache({ api, clock, random, log }: Pick<RoleWorld, 'api' | 'clock' | 'random' | 'log'>) {
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
function formatTokens(byAudience: Readonly<Record<string, Token>>, withExpiry: boolean): string {
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
