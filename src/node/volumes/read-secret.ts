import { isForbidden, isNotFound } from '../../api/api-error.ts'
import type { Api } from '../../api/api.ts'
import { SECRETS } from '../../api/kinds/secret.ts'
import type { SecretReference } from '../../api/kinds/references.ts'

/** A secret that a call needs can't be had. It never says more of it than names. */
export class SecretError extends Error {
  constructor(ref: SecretReference, problem: string, cause?: unknown) {
    super(`secret ${ref.namespace ?? ''}/${ref.name ?? ''} ${problem}`, cause === undefined ? {} : { cause })
    this.name = 'SecretError'
  }
}

/** The secret as the driver gets it, every key of it. Read anew for each call: it is not kept, least of all on disk. */
export async function readSecret(api: Api, ref: SecretReference | undefined, signal: AbortSignal): Promise<Record<string, string>> {
  if (!ref?.name) return {}
  const { name, namespace = '' } = ref
  try {
    const { data = {} } = await api.get(SECRETS, { namespace, name }, { signal })
    return Object.fromEntries(Object.entries(data).map(([key, value]) => [key, decode(ref, key, value)]))
  } catch (error) {
    if (isNotFound(error)) throw new SecretError(ref, 'is missing', error)
    if (isForbidden(error)) throw new SecretError(ref, 'may not be read by this node', error)
    throw error
  }
}

// What is no text would arrive as another one.
function decode(ref: SecretReference, key: string, value: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.from(value, 'base64'))
  } catch {
    throw new SecretError(ref, `has no text in UTF-8 under the key ${JSON.stringify(key)}`)
  }
}
