import type { Core } from '../core/core.ts'
import type { ResourceRequest, ResourceResponse } from '../core/resource-request.ts'

/** Executes a request whose content is known already. */
export async function executeRequest(core: Core, request: ResourceRequest): Promise<ResourceResponse> {
  const { user, kind, namespace, name, subresource, source, ...content } = request
  const { group, version, plural } = kind.type
  const { verb } = content
  const attributes = {
    user,
    verb,
    isResource: true,
    group,
    version,
    resource: plural,
    subresource,
    namespace,
    name,
  } as const
  const { response } = await core.execute({ attributes, source }, () => content)
  return response
}
