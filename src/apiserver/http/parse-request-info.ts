import type { Verb } from '../core/kind-definition.ts'
import { selectedName } from '../core/selected-name.ts'
import type { RequestTarget } from './parse-target.ts'
import { isSet, textOf } from './query-values.ts'

/** The target of a request, from its method and URL alone. */
export type RequestInfo = ResourceInfo | { readonly isResource: false; readonly verb: string; readonly path: string }

export type ResourceInfo = {
  readonly isResource: true
  /** Empty for a method that has no meaning for resources. */
  readonly verb: Verb | ''
  /** Empty for the core group. */
  readonly group: string
  readonly version: string
  readonly resource: string
  /** For a Namespace object: its own name, so that permissions in the namespace count. */
  readonly namespace: string
  /** Whether the path is inside a namespace, and not that of the namespace itself. */
  readonly isInNamespace: boolean
  /** For a list or watch: the single name that its selector requires, for authorization. */
  readonly name: string
  readonly subresource: string
  /** Whether the name is in the path; otherwise it comes from a selector. */
  readonly isNamed: boolean
  /** Whether the path has more segments than expected. */
  readonly hasMore: boolean
}

const NAMESPACE_SUBRESOURCES = new Set(['status', 'finalize'])

const VERBS: ReadonlyMap<string, Verb> = new Map([
  ['GET', 'get'],
  ['HEAD', 'get'],
  ['POST', 'create'],
  ['PUT', 'update'],
  ['PATCH', 'patch'],
  ['DELETE', 'delete'],
])

/** Parses paths like upstream, so that the authorized request is the one that is performed. */
export function parseRequestInfo(method: string, { path, segments, query }: RequestTarget): RequestInfo {
  const place = findGroup(segments)
  if (!place) return { isResource: false, verb: method.toLowerCase(), path }
  const { group, version, rest } = place
  const isOldWatch = rest[0] === 'watch' && rest.length > 1
  const { namespace, isInNamespace, parts } = findNamespace(isOldWatch ? rest.slice(1) : rest)
  const [resource = '', name = '', subresource = ''] = parts
  const base = {
    isResource: true,
    group,
    version,
    resource,
    namespace,
    isInNamespace,
    name,
    subresource,
    isNamed: name !== '',
    hasMore: parts.length > 3,
  } as const
  if (isOldWatch) return { ...base, verb: VERBS.get(method) === 'get' ? 'watch' : '' }
  const verb = VERBS.get(method) ?? ''
  if (name !== '') return { ...base, verb }
  if (verb === 'get')
    return {
      ...base,
      verb: isSet(query, 'watch') ? 'watch' : 'list',
      name: selectedName(textOf(query, 'fieldSelector')),
    }
  return { ...base, verb: verb === 'delete' ? 'deletecollection' : verb }
}

function findGroup(
  segments: readonly string[],
): { group: string; version: string; rest: readonly string[] } | undefined {
  const [prefix, second = '', third = ''] = segments
  if (prefix === 'api' && segments.length >= 3) return { group: '', version: second, rest: segments.slice(2) }
  if (prefix === 'apis' && segments.length >= 4) return { group: second, version: third, rest: segments.slice(3) }
  return undefined
}

function findNamespace(rest: readonly string[]): {
  namespace: string
  isInNamespace: boolean
  parts: readonly string[]
} {
  const [first, namespace = '', next] = rest
  if (first !== 'namespaces') return { namespace: '', isInNamespace: false, parts: rest }
  const isInNamespace = next !== undefined && !NAMESPACE_SUBRESOURCES.has(next)
  return { namespace, isInNamespace, parts: isInNamespace ? rest.slice(2) : rest }
}
