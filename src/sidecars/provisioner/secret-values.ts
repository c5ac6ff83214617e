import type { Secret } from '../../api/kinds/secret.ts'
import { keyOf } from '../../api/object-key.ts'
import { decodeSecret } from '../../storage/read-secret.ts'
import type { SecretValues } from '../../storage/read-secret.ts'
import { ok, refuse } from './decision.ts'
import type { Decision } from './decision.ts'

/** All entries of a secret as the text that CSI takes. One that is no UTF-8 is refused by its name: its value is never told. */
export function secretValues(secret: Secret): Decision<SecretValues> {
  const decoded = decodeSecret(secret)
  if (decoded.kind === 'read') return ok(decoded.values)
  const cure = 'Store binary data in a text form that the driver documents, such as base64.'
  return refuse({ code: 'SecretNotText', detail: { secret: keyOf(secret), key: decoded.key }, cure })
}
