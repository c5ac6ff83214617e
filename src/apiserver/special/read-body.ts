import { decodeObject } from '../core/decode-object.ts'
import { badRequest } from '../core/refusals.ts'
import type { ResourceRequest } from '../core/resource-request.ts'
import { findSchema } from '../schema/find-schema.ts'

// Where bodies come from that are of another kind than the object of the path.
const GROUPS = { Binding: '', Eviction: 'policy', Namespace: '', Scale: 'autoscaling' } as const

type Named = { metadata: { name?: string; namespace?: string } }

/** The body of a POST or PUT to a sub-resource, decoded as its kind. It names the object of the path, or none. */
export function readBody<T extends Named>(
  request: Extract<ResourceRequest, { body: unknown }>,
  kind: keyof typeof GROUPS,
): T {
  const { body, namespace, name, options } = request
  const group = GROUPS[kind]
  const schema = findSchema(group, 'v1', kind)
  if (!schema) throw new Error(`there is no schema of ${kind}`)
  const type = { group, version: 'v1', kind, plural: '', namespaced: true }
  // T is what the schema of the kind says.
  const given = decodeObject(
    { type, schema },
    asV1(kind, body),
    options.fieldValidation,
    [],
    options.duplicateFields,
  ) as unknown as T
  const { metadata } = given
  if (metadata.name && metadata.name !== name) throw badRequest(`name in URL does not match name in ${kind} object`)
  if (metadata.namespace && metadata.namespace !== namespace)
    throw badRequest(`namespace in URL does not match namespace in ${kind} object`)
  return given
}

// Older clients evict in a version that had the same form.
function asV1(kind: string, body: unknown): unknown {
  const isOld =
    kind === 'Eviction' && (body as { apiVersion?: unknown } | null | undefined)?.apiVersion === 'policy/v1beta1'
  return isOld ? { ...(body as object), apiVersion: 'policy/v1' } : body
}
