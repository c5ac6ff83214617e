import { isForbidden, isNotFound } from '../../api/api-error.ts'
import type { Api } from '../../api/api.ts'
import { SECRETS } from '../../api/kinds/secret.ts'
import type { SecretRef } from './target.ts'

export type SecretRead = { readonly kind: 'read'; readonly values: Readonly<Record<string, string>> } | { readonly kind: 'missing' | 'forbidden' }

/** The secret as the driver gets it. Read anew for each call: it is never kept. */
export async function readSecret(api: Api, ref: SecretRef, signal: AbortSignal): Promise<SecretRead> {
  try {
    const { data = {} } = await api.get(SECRETS, ref, { signal })
    return { kind: 'read', values: Object.fromEntries(Object.entries(data).map(([key, value]) => [key, Buffer.from(value, 'base64').toString('utf8')])) }
  } catch (error) {
    if (isNotFound(error)) return { kind: 'missing' }
    if (isForbidden(error)) return { kind: 'forbidden' }
    throw error
  }
}
