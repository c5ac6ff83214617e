import type { Secret } from '../../api/kinds/secret.ts'
import { keyOf } from '../../api/object-key.ts'
import { ok, refuse } from './decision.ts'
import type { Decision } from './decision.ts'

/** All entries of a secret as the text that CSI takes. One that is no UTF-8 is refused by its name: its value is never told. */
export function secretValues(secret: Secret): Decision<Readonly<Record<string, string>>> {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  const values: Record<string, string> = {}
  for (const [key, base64] of Object.entries(secret.data ?? {})) {
    try {
      values[key] = decoder.decode(Buffer.from(base64, 'base64'))
    } catch {
      const cure = 'Store binary data in a text form that the driver documents, such as base64.'
      return refuse({ code: 'SecretNotText', detail: { secret: keyOf(secret), key }, cure })
    }
  }
  return ok(values)
}
