import { isForbidden, isNotFound } from '../api/api-error.ts'
import type { Api } from '../api/api.ts'
import { SECRETS } from '../api/kinds/secret.ts'
import type { Secret } from '../api/kinds/secret.ts'

export type SecretValues = Readonly<Record<string, string>>

/** `not-text`: the value of the key is not valid UTF-8, and the driver would receive a different one. */
export type SecretRead =
  | { readonly kind: 'read'; readonly values: SecretValues }
  | { readonly kind: 'missing' }
  /** With the server's message, which says who may not read the secret. */
  | { readonly kind: 'forbidden'; readonly message?: string }
  | { readonly kind: 'not-text'; readonly key: string }

/** The secret as a driver receives it. It is read for each call, never stored, and its values are never shown. */
export async function readSecret(
  api: Api,
  ref: { readonly namespace: string; readonly name: string },
  signal?: AbortSignal,
): Promise<SecretRead> {
  try {
    return decodeSecret(await api.get(SECRETS, ref, signal ? { signal } : {}))
  } catch (error) {
    if (isNotFound(error)) return { kind: 'missing' }
    if (isForbidden(error)) return { kind: 'forbidden', message: error.message }
    throw error
  }
}

/** The values of a secret as text. */
export function decodeSecret({ data }: Pick<Secret, 'data'>): Extract<SecretRead, { kind: 'read' | 'not-text' }> {
  const values: Record<string, string> = {}
  for (const [key, value] of Object.entries(data ?? {})) {
    const text = decodeText(value)
    if (text === undefined) return { kind: 'not-text', key }
    values[key] = text
  }
  return { kind: 'read', values }
}

function decodeText(base64: string): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.from(base64, 'base64'))
  } catch {
    return undefined
  }
}
