import type { ObjectMeta } from '../object.ts'
import type { ResourceType } from '../resource-type.ts'

export type Secret = {
  readonly apiVersion: 'v1'
  readonly kind: 'Secret'
  readonly metadata: ObjectMeta
  readonly type?: string
  readonly immutable?: boolean
  /** Values are base64. */
  readonly data?: Readonly<Record<string, string>>
  /** Plain text, only on the way in: the server puts it into `data`. */
  readonly stringData?: Readonly<Record<string, string>>
}

export const SECRETS: ResourceType<Secret> = {
  group: '',
  version: 'v1',
  kind: 'Secret',
  plural: 'secrets',
  namespaced: true,
}
