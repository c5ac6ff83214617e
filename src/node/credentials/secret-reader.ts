import type { Api } from '../../api/api.ts'
import type { SecretReference } from '../../api/kinds/references.ts'
import type { Clock } from '../../base/clock.ts'
import { readSecret } from '../../storage/read-secret.ts'
import type { SecretRead, SecretValues } from '../../storage/read-secret.ts'

export type SecretReader = ReturnType<typeof createSecretReader>

/** Secrets for calls of a driver. They are never written anywhere. */
export function createSecretReader({ api, clock, keepMs }: { api: Api; clock: Clock; keepMs: number }) {
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
