import { decodeObject } from '../core/decode-object.ts'
import { badRequest } from '../core/refusals.ts'
import type { ResourceRequest } from '../core/resource-request.ts'
import { findSchema } from '../schema/find-schema.ts'

// The API group of each body whose kind is not that of the object in the path.
const GROUPS = { Binding: '', Eviction: 'policy', Namespace: '', Scale: 'autoscaling' } as const

type Named = { metadata: { name?: string; namespace?: string } }

/** The body of a POST or PUT to a subresource, decoded as its kind. Its name must be that of the path, or absent. */
export function readBody<T extends Named>(
  request: Extract<ResourceRequest, { body: unknown }>,
  kind: keyof typeof GROUPS,
): T {
  const { body, namespace, name, options } = request
  const group = GROUPS[kind]
  const schema = findSchema(group, 'v1', kind)
  if (!schema) throw new Error(`there is no schema of ${kind}`)
  const type = { group, version: 'v1', kind, plural: '', namespaced: true }
  // T is the type of the kind's schema.
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

// Older clients send evictions in a version with the same form.
function asV1(kind: string, body: unknown): unknown {
  const isOld =
    kind === 'Eviction' && (body as { apiVersion?: unknown } | null | undefined)?.apiVersion === 'policy/v1beta1'
  return isOld ? { ...(body as object), apiVersion: 'policy/v1' } : body
}
