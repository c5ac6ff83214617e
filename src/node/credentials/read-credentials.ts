import type { Pod } from '../../api/kinds/pod.ts'
import type { SecretReference } from '../../api/kinds/references.ts'
import type { DriverPolicy } from '../../storage/driver-policy.ts'
import type { DriverVolume } from '../volumes/volume-table.ts'
import type { SecretReader } from './secret-reader.ts'
import { formatTokens } from './token-cache.ts'
import type { TokenCache } from './token-cache.ts'

const TOKENS_KEY = 'csi.storage.k8s.io/serviceAccount.tokens'

export type CredentialSources = { readonly secrets: SecretReader; readonly tokens: TokenCache }

export type CredentialFacts = {
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
