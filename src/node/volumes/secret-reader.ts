import type { Api } from '../../api/api.ts'
import type { SecretReference } from '../../api/kinds/references.ts'
import type { Clock } from '../../base/clock.ts'
import { within } from '../../kube/within.ts'
import { readSecret } from '../../storage/read-secret.ts'
import type { SecretRead, SecretValues } from '../../storage/read-secret.ts'

/** Secrets for calls. Nothing of them is ever written down. */
export interface SecretReader {
  /** `mayBeKept`: one that was read a moment ago will do, for calls that come many times a second. */
  read(
    ref: SecretReference | undefined,
    options: { mayBeKept: boolean },
    signal: AbortSignal,
  ): Promise<Readonly<Record<string, string>>>
}

export function createSecretReader({ api, clock, keepMs }: { api: Api; clock: Clock; keepMs: number }): SecretReader {
  const kept = new Map<string, { values: Readonly<Record<string, string>>; untilMs: number }>()
  const dropOld = (): void => {
    for (const [key, { untilMs }] of kept) if (untilMs <= clock.monotonicMs()) kept.delete(key)
  }
  const read: SecretReader['read'] = async (ref, { mayBeKept }, signal) => {
    if (!ref?.name) return {}
    dropOld()
    const key = `${ref.namespace ?? ''}/${ref.name}`
    const present = mayBeKept ? kept.get(key) : undefined
    if (present) return present.values
    const values = valuesOf(
      ref,
      await within(clock, signal, (until) =>
        readSecret(api, { namespace: ref.namespace ?? '', name: ref.name ?? '' }, until),
      ),
    )
    if (mayBeKept) kept.set(key, { values, untilMs: clock.monotonicMs() + keepMs })
    return values
  }
  return { read }
}

// It never says more of a secret than names.
function valuesOf(ref: SecretReference, read: SecretRead): SecretValues {
  const problem = (what: string): Error => new Error(`secret ${ref.namespace ?? ''}/${ref.name ?? ''} ${what}`)
  switch (read.kind) {
    case 'read':
      return read.values
    case 'missing':
      throw problem('is missing')
    case 'forbidden':
      throw problem('may not be read by this node')
    case 'not-text':
      throw problem(`has no text in UTF-8 under the key ${JSON.stringify(read.key)}`)
  }
}
