import { CsiError } from 'holdfast/csi'

export type PodToken = { readonly token: string; readonly expiresMs: number }

/** The members of NodePublishVolume in which tokens may come: the secrets, where the CSIDriver has `serviceAccountTokenInSecrets`. */
export type TokenCarrier = {
  readonly volumeContext: Readonly<Record<string, string>>
  readonly secrets: Readonly<Record<string, string>>
}

export const TOKENS_KEY = 'csi.storage.k8s.io/serviceAccount.tokens'

/** The pod's token for this audience. No text of an error repeats any of what came. */
export function findToken({ volumeContext, secrets }: TokenCarrier, audience: string): PodToken {
  const text = secrets[TOKENS_KEY] ?? volumeContext[TOKENS_KEY]
  if (text === undefined)
    throw new CsiError('FAILED_PRECONDITION', `no tokens came: the CSIDriver has to ask for the audience ${audience}`)
  const entry = memberOf(parseJson(text), audience)
  if (entry === undefined)
    throw new CsiError(
      'FAILED_PRECONDITION',
      `no token for the audience ${audience} came: the CSIDriver has to ask for it`,
    )
  const token = memberOf(entry, 'token')
  // The first design document calls it `expiry`.
  const expiresMs = Date.parse(String(memberOf(entry, 'expirationTimestamp') ?? memberOf(entry, 'expiry')))
  if (typeof token !== 'string' || token === '' || Number.isNaN(expiresMs))
    throw new CsiError('INVALID_ARGUMENT', `the token for the audience ${audience} can not be read`)
  return { token, expiresMs }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // Without its cause: the parser's message quotes the text.
    throw new CsiError('INVALID_ARGUMENT', `${TOKENS_KEY} is not JSON`)
  }
}

const memberOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Record<string, unknown>)[name]
    : undefined
