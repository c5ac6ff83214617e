import type { SecretRead } from '../../storage/read-secret.ts'
import { REASONS } from './reasons.ts'
import type { ResizerReason } from './reasons.ts'

/** Why the driver cannot be given this secret; undefined: it can. */
export function secretProblemOf(
  secret: SecretRead,
  ref: { readonly namespace: string; readonly name: string },
): ResizerReason | undefined {
  switch (secret.kind) {
    case 'read':
      return undefined
    case 'missing':
      return REASONS.secretMissing(ref)
    case 'forbidden':
      return REASONS.secretForbidden(ref)
    case 'not-text':
      return REASONS.secretNotText(ref, secret.key)
  }
}
