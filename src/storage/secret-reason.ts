import { SECRETS } from '../api/kinds/secret.ts'
import { quoteGo } from '../api/quote-go.ts'
import { objectAwaited, reason } from '../api/reason.ts'
import type { SecretRead } from './read-secret.ts'

export type SecretRef = { readonly namespace: string; readonly name: string }
export type UnreadableSecret = Exclude<SecretRead, { kind: 'read' }>

/** The provisioner finds the reference in a StorageClass, the others in a PersistentVolume: it is immutable in both. */
type SecretReader = 'provisioner' | 'attacher' | 'resizer'

/** Why a driver cannot be given a secret. `who` reads it; `begin` is the start of upstream's message. */
export function secretReason(
  secret: UnreadableSecret,
  ref: SecretRef,
  who: SecretReader,
  begin = `error getting secret ${ref.name} in namespace ${ref.namespace}`,
) {
  const waitsFor = objectAwaited(SECRETS, ref)
  const of = `${begin}: secrets ${quoteGo(ref.name)}`
  switch (secret.kind) {
    case 'missing':
      return reason('SecretMissing', `${of} not found`, {
        waitsFor,
        cure:
          who === 'provisioner'
            ? `Create Secret ${ref.namespace}/${ref.name}.`
            : `Create Secret ${ref.namespace}/${ref.name}: the reference to it in the PersistentVolume cannot be changed.`,
      })
    // Watching it would not help: that is forbidden as well.
    case 'forbidden':
      return reason('SecretForbidden', secret.message ? `${begin}: ${secret.message}` : `${of} is forbidden`, {
        cure: `Allow the ${who} to get this secret.`,
      })
    case 'not-text':
      return reason('SecretNotText', `${begin}: the value of key ${quoteGo(secret.key)} is not valid UTF-8`, {
        waitsFor,
        cure: 'Store binary data in a text form that the driver documents, such as base64.',
      })
  }
}
