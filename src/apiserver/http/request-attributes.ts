import type { ResourceAttributes } from '../core/request.ts'
import type { User } from '../core/user.ts'
import type { ResourceInfo } from './parse-request-info.ts'
import { textOf } from './query-values.ts'

const SELECTING: readonly string[] = ['list', 'watch', 'deletecollection']

/** The attributes of a resource request, from its head alone: for authorization, for the audit log, and for performing it. */
export function resourceAttributes(info: ResourceInfo, query: URLSearchParams, user: User): ResourceAttributes {
  const { verb, group, version, resource, subresource, name } = info
  // The old form of a watch on one namespace: permission to watch inside a namespace is not permission to watch the Namespace object.
  const namespace = verb === 'watch' && !info.isInNamespace ? '' : info.namespace
  const selector = (parameter: string): string | undefined =>
    SELECTING.includes(verb) ? textOf(query, parameter) : undefined
  const [fieldSelector, labelSelector] = [selector('fieldSelector'), selector('labelSelector')]
  return {
    user,
    verb,
    isResource: true,
    group,
    version,
    resource,
    subresource,
    namespace,
    name,
    ...(fieldSelector === undefined ? {} : { fieldSelector }),
    ...(labelSelector === undefined ? {} : { labelSelector }),
  }
}
