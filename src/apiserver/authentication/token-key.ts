import { createHash, createPrivateKey, createPublicKey, generateKeyPair, sign, verify } from 'node:crypto'
import type { JsonWebKey, KeyObject } from 'node:crypto'
import { promisify } from 'node:util'

/** A key that verifies tokens. */
export type VerifyingKey = { readonly keyId: string; readonly algorithm: TokenAlgorithm; readonly publicKey: KeyObject }

/** A key that also signs tokens. */
export type SigningKey = VerifyingKey & { readonly privateKey: KeyObject }

export type TokenAlgorithm = 'ES256' | 'RS256'

/** A new key on the curve P-256: faster to create and to sign with than RSA, and its tokens are shorter. */
export async function createSigningKey(): Promise<SigningKey> {
  const { privateKey } = await promisify(generateKeyPair)('ec', { namedCurve: 'P-256' })
  return signingKeyOf(privateKey)
}

/** From a file: the PEM of a private key, P-256 or RSA. */
export const parseSigningKey = (pem: string): SigningKey => signingKeyOf(createPrivateKey(pem))

/** From a file: the PEM of a public or private key, or of a certificate. For keys of old tokens. */
export const parseVerifyingKey = (pem: string): VerifyingKey => verifyingKeyOf(createPublicKey(pem))

/** For a file that `parseSigningKey` reads. */
export const formatSigningKey = ({ privateKey }: SigningKey): string =>
  privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()

const signingKeyOf = (privateKey: KeyObject): SigningKey => ({
  ...verifyingKeyOf(createPublicKey(privateKey)),
  privateKey,
})

function verifyingKeyOf(publicKey: KeyObject): VerifyingKey {
  const keyId = createHash('sha256')
    .update(publicKey.export({ type: 'spki', format: 'der' }))
    .digest('base64url')
  return { keyId, algorithm: algorithmOf(publicKey), publicKey }
}

function algorithmOf({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject): TokenAlgorithm {
  if (asymmetricKeyType === 'rsa') return 'RS256'
  if (asymmetricKeyType === 'ec' && asymmetricKeyDetails?.namedCurve === 'prime256v1') return 'ES256'
  const given = asymmetricKeyDetails?.namedCurve ?? asymmetricKeyType
  throw new Error(`tokens are signed with RSA or on the curve P-256, not with a key of type ${given}`)
}

export const signText = ({ privateKey }: SigningKey, text: string): Buffer =>
  sign('sha256', Buffer.from(text), keyOptions(privateKey))

export const verifyText = ({ publicKey }: VerifyingKey, text: string, signature: Uint8Array): boolean =>
  verify('sha256', Buffer.from(text), keyOptions(publicKey), signature)

// Tokens contain the two numbers of an elliptic-curve signature side by side; RSA ignores the option.
const keyOptions = (key: KeyObject): { key: KeyObject; dsaEncoding: 'ieee-p1363' } => ({
  key,
  dsaEncoding: 'ieee-p1363',
})

export type KeySet = { readonly keys: readonly JsonWebKey[] }

/** The public keys, for programs that verify tokens without calling the server. */
export const formatKeySet = (keys: readonly VerifyingKey[]): KeySet => ({
  keys: keys.map(({ keyId, algorithm, publicKey }) => ({
    use: 'sig',
    ...publicKey.export({ format: 'jwk' }),
    kid: keyId,
    alg: algorithm,
  })),
})

export type OpenIdConfiguration = {
  readonly issuer: string
  readonly jwks_uri: string
  readonly response_types_supported: readonly string[]
  readonly subject_types_supported: readonly string[]
  readonly id_token_signing_alg_values_supported: readonly string[]
}

export const OPENID_CONFIGURATION_PATH = '/.well-known/openid-configuration'
export const KEY_SET_PATH = '/openid/v1/jwks'

/** Where the keys of an issuer are: the first document that a verifier reads. */
export const formatOpenIdConfiguration = (
  issuer: string,
  keySetUrl: string,
  keys: readonly VerifyingKey[],
): OpenIdConfiguration => ({
  issuer,
  jwks_uri: keySetUrl,
  response_types_supported: ['id_token'],
  subject_types_supported: ['public'],
  id_token_signing_alg_values_supported: [...new Set(keys.map(({ algorithm }) => algorithm))].sort(),
})
