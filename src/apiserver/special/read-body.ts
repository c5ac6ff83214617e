import { badRequest } from '../core/refusals.ts'
import type { ResourceRequest } from '../core/resource-request.ts'

/** The body of a POST or PUT to a sub-resource, which is of another kind than the object. It names the object of the path, or none. */
export function readBody<T extends { metadata?: { name?: string; namespace?: string } }>(request: Extract<ResourceRequest, { body: unknown }>, kind: string): T {
  const { body, namespace, name } = request
  if (typeof body !== 'object' || body === null || Array.isArray(body)) throw badRequest(`the body of the request is not an object of kind ${kind}`)
  const given = body as { kind?: unknown; metadata?: { name?: unknown; namespace?: unknown } | null }
  if (given.kind !== undefined && given.kind !== kind) throw badRequest(`the object provided is unrecognized (must be of type ${kind}): its kind is ${JSON.stringify(given.kind)}`)
  const metadata = given.metadata ?? {}
  if (typeof metadata !== 'object') throw badRequest(`${kind} cannot be handled: metadata has the wrong type`)
  if (metadata.name && metadata.name !== name) throw badRequest(`name in URL does not match name in ${kind} object`)
  if (metadata.namespace && metadata.namespace !== namespace) throw badRequest(`namespace in URL does not match namespace in ${kind} object`)
  // Checked as far as it matters here; each reader looks at its own members.
  return { ...given, metadata } as T
}
