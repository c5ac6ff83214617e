import { ApiError } from '../../api/api-error.ts'
import { escapeFieldValue } from '../../api/field-selector.ts'
import { qualifiedResource } from '../../api/resource-type.ts'
import { nextTurn } from '../../base/next-turn.ts'
import type { KindDefinition, Verb } from '../core/kind-definition.ts'
import { badRequest, noSuchPath } from '../core/refusals.ts'
import type { BodyOptions, RequestHead, RequestSource, ResourceRequest } from '../core/resource-request.ts'
import type { User } from '../core/user.ts'
import type { BodyLimits } from './collect-body.ts'
import { decodeBody, decodePatch } from './decode-body.ts'
import type { EncodedBody } from './decode-body.ts'
import type { Exchange } from './exchange.ts'
import { parseDeleteOptions } from './parse-delete-options.ts'
import { parseBodyOptions, parseListOptions, parseWatchOptions } from './parse-options.ts'
import type { ResourceInfo } from './parse-request-info.ts'
import type { RequestTarget } from './parse-target.ts'
import type { ParseYaml } from './yaml-threads.ts'

// Streams into a container, which there is none of.
const STREAMS: Readonly<Record<string, ReadonlySet<string>>> = {
  pods: new Set(['attach', 'exec', 'log', 'portforward', 'proxy']),
  services: new Set(['proxy']),
  nodes: new Set(['proxy']),
}

/** The kind that a path names, if it has it in that place: namespaced kinds below a namespace, or all of them together. */
export function findKind(
  kinds: { findByResource(group: string, version: string, plural: string): KindDefinition | undefined },
  info: ResourceInfo,
): KindDefinition {
  const { group, version, resource, namespace, verb, isNamed } = info
  const kind = kinds.findByResource(group, version, resource)
  if (!kind || info.hasMore) throw noSuchPath()
  if (group === '' && STREAMS[resource]?.has(info.subresource)) {
    throw new ApiError(
      'MethodNotAllowed',
      `${resource}/${info.subresource} is not served: this server runs no containers`,
    )
  }
  if (kind.type.namespaced) {
    if (namespace === '' && isNamed) throw noSuchPath()
    if (namespace === '' && verb !== 'list' && verb !== 'watch') throw notOffered(kind, verb)
  } else if (namespace !== '' && resource !== 'namespaces') throw noSuchPath()
  const isMisplaced = isNamed ? verb === 'create' && info.subresource === '' : verb === 'update' || verb === 'patch'
  if (isMisplaced || verb === '') throw notOffered(kind, verb)
  return kind
}

const notOffered = ({ type }: KindDefinition, verb: string): ApiError =>
  new ApiError(
    'MethodNotAllowed',
    `${verb || 'this method'} is not supported on this path of resources of kind "${qualifiedResource(type)}"`,
    {
      details: { ...(type.group !== '' && { group: type.group }), kind: type.plural },
    },
  )

export type ResourceExchange = {
  readonly exchange: Exchange
  readonly target: RequestTarget
  readonly info: ResourceInfo
  readonly kind: KindDefinition
  readonly user: User
  readonly source: RequestSource
  readonly parseYaml: ParseYaml
  readonly bodyLimits: BodyLimits
}

// Of a request that the core refuses without looking at them.
const REFUSED_ANYWAY: BodyOptions = { dryRun: true, fieldValidation: 'Ignore', duplicateFields: [] }

/**
 * Reads parameters and body into a request for the core. A body is only read where it can matter: the core refuses what is not
 * offered or not allowed without it.
 */
export async function readRequest(
  { exchange, target: { query }, info, kind, user, source, parseYaml, bodyLimits }: ResourceExchange,
  isAllowed: (head: RequestHead) => boolean,
): Promise<ResourceRequest> {
  const { verb, subresource } = info
  const base = { user, kind, namespace: namespaceOf(info, kind), name: info.name, subresource, source }
  switch (verb) {
    case 'get':
      return { ...base, verb, resourceVersion: query.get('resourceVersion') ?? '' }
    case 'list':
      return { ...base, verb, options: parseListOptions(query) }
    case 'watch':
      return { ...base, verb, options: { ...watchOptionsOf(info, query), signal: exchange.signal } }
    case 'create':
    case 'update': {
      const options = parseBodyOptions(query, verb === 'create' ? 'CreateOptions' : 'UpdateOptions')
      if (!isOffered(kind, subresource, verb) || !isAllowed({ ...base, verb }))
        return { ...base, verb, body: undefined, options: { ...options, duplicateFields: [] } }
      const { value, duplicateFields } = await decodeInTurn(await readEncoded(exchange, bodyLimits), (encoded) =>
        decodeBody(encoded, parseYaml),
      )
      return { ...base, verb, body: value, options: { ...options, duplicateFields } }
    }
    case 'patch': {
      if (!isOffered(kind, subresource, verb) || !isAllowed({ ...base, verb }))
        return { ...base, verb, patch: { type: 'merge', value: {} }, options: REFUSED_ANYWAY }
      // Before the parameters: an apply is refused for what it is, not for the parameters that only it may have.
      const { patch, duplicateFields } = await decodeInTurn(await readEncoded(exchange, bodyLimits), (encoded) =>
        decodePatch(encoded, { strategic: isBuiltIn(kind) }),
      )
      return { ...base, verb, patch, options: { ...parseBodyOptions(query, 'PatchOptions'), duplicateFields } }
    }
    case 'delete':
      if (!isAllowed({ ...base, verb })) return { ...base, verb, options: {} }
      return {
        ...base,
        verb,
        options: parseDeleteOptions(query, await readOptionalBody(exchange, parseYaml, bodyLimits)),
      }
    case 'deletecollection': {
      const options = parseListOptions(query)
      if (!isAllowed({ ...base, verb, options })) return { ...base, verb, options }
      return {
        ...base,
        verb,
        options: { ...parseDeleteOptions(query, await readOptionalBody(exchange, parseYaml, bodyLimits)), ...options },
      }
    }
    case '':
      throw notOffered(kind, verb)
  }
}

// A namespace object has no namespace. Rights within it count for the object itself, but not for what is selected by it.
const namespaceOf = ({ namespace, verb }: ResourceInfo, { type }: KindDefinition): string =>
  type.namespaced || (verb !== 'list' && verb !== 'watch') ? namespace : ''

// The old form of a watch has the name in its path. What the selector says of names comes on top: only the name in the path
// was authorized.
function watchOptionsOf({ name, isNamed }: ResourceInfo, query: URLSearchParams): ReturnType<typeof parseWatchOptions> {
  const options = parseWatchOptions(query)
  if (!isNamed) return options
  const term = `metadata.name=${escapeFieldValue(name)}`
  return { ...options, fieldSelector: options.fieldSelector ? `${options.fieldSelector},${term}` : term }
}

const isOffered = ({ verbs, subresources }: KindDefinition, subresource: string, verb: Verb): boolean =>
  (subresource === ''
    ? verbs
    : Object.hasOwn(subresources, subresource)
      ? (subresources[subresource]?.verbs ?? [])
      : []
  ).includes(verb)

// Only built-in structs have names.
const isBuiltIn = ({ schema }: KindDefinition): boolean => schema.type === 'object' && schema.name !== undefined

async function readEncoded(exchange: Exchange, limits: BodyLimits): Promise<EncodedBody> {
  const { 'content-type': contentType, 'content-encoding': contentEncoding } = exchange.headers
  return { contentType, contentEncoding, bytes: await exchange.readBody(limits) }
}

const LARGE_BODY_BYTES = 64 * 1024

// A large body takes long to decode, and what it says takes long to do: others are served in between.
async function decodeInTurn<T>(encoded: EncodedBody, decode: (encoded: EncodedBody) => T | Promise<T>): Promise<T> {
  const decoded = await decode(encoded)
  if (encoded.bytes.length > LARGE_BODY_BYTES) await nextTurn()
  return decoded
}

async function readOptionalBody(exchange: Exchange, parseYaml: ParseYaml, limits: BodyLimits): Promise<unknown> {
  const encoded = await readEncoded(exchange, limits)
  if (encoded.bytes.length === 0) return undefined
  const { value } = await decodeBody(encoded, parseYaml)
  if (value === undefined || value === null) throw badRequest('the body of a deletion is not an object')
  return value
}
