import type { RequestAttributes } from '../core/request.ts'
import type { User } from '../core/user.ts'
import type { RequestInfo } from './parse-request-info.ts'
import { textOf } from './query-values.ts'

/** What authorization and the audit log are told of a request that nothing but its head is known of. */
export function requestAttributes(info: RequestInfo, query: URLSearchParams, user: User): RequestAttributes {
  if (!info.isResource) return { user, ...info }
  const { verb, group, version, resource, subresource, namespace, name } = info
  const [fieldSelector, labelSelector] = [textOf(query, 'fieldSelector'), textOf(query, 'labelSelector')]
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
