import { ApiError } from '../../api/api-error.ts'
import { escapeFieldValue } from '../../api/field-selector.ts'
import { qualifiedResource } from '../../api/resource-type.ts'
import { nextTurn } from '../../base/next-turn.ts'
import type { KindDefinition } from '../core/kind-definition.ts'
import { badRequest, noSuchPath } from '../core/refusals.ts'
import type { RequestContent } from '../core/resource-request.ts'
import type { BodyLimits } from './collect-body.ts'
import { decodeBody, decodePatch } from './decode-body.ts'
import type { EncodedBody } from './decode-body.ts'
import type { Exchange } from './exchange.ts'
import { parseDeleteOptions } from './parse-delete-options.ts'
import { parseBodyOptions, parseListOptions, parseWatchOptions } from './parse-options.ts'
import type { ResourceInfo } from './parse-request-info.ts'
import type { RequestTarget } from './parse-target.ts'
import { isSet } from './query-values.ts'
import type { ParseYaml } from './yaml-threads.ts'

/** Rejects a path that the kind does not have, or a method on the wrong path: namespaced kinds are in a namespace, or listed across all. */
export function checkPath({ type }: KindDefinition, info: ResourceInfo): void {
  const { namespace, verb, isNamed } = info
  if (info.hasMore) throw noSuchPath()
  if (type.namespaced) {
    if (namespace === '' && isNamed) throw noSuchPath()
    if (namespace === '' && verb !== 'list' && verb !== 'watch') throw notOnThisPath(type, verb)
  } else if (info.isInNamespace) throw noSuchPath()
  const isMisplaced = isNamed ? verb === 'create' && info.subresource === '' : verb === 'update' || verb === 'patch'
  if (isMisplaced) throw notOnThisPath(type, verb)
}

const notOnThisPath = (type: KindDefinition['type'], verb: string): ApiError =>
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
  readonly parseYaml: ParseYaml
  readonly bodyLimits: BodyLimits
}

/** Reads parameters and body into the content that the core performs. The core calls this only once the request is authorized. */
export async function readContent(
  kind: KindDefinition,
  { exchange, target: { query }, info, parseYaml, bodyLimits }: ResourceExchange,
): Promise<RequestContent> {
  const { verb } = info
  switch (verb) {
    case 'get':
      return { verb, resourceVersion: query.get('resourceVersion') ?? '' }
    case 'list':
      return { verb, options: parseListOptions(query) }
    case 'watch':
      return { verb, options: { ...watchOptionsOf(info, query), signal: exchange.signal } }
    case 'create':
    case 'update': {
      const options = parseBodyOptions(query, verb === 'create' ? 'CreateOptions' : 'UpdateOptions')
      const { value, duplicateFields } = await decodeInTurn(await readEncoded(exchange, bodyLimits), (encoded) =>
        decodeBody(encoded, parseYaml),
      )
      return { verb, body: value, options: { ...options, duplicateFields } }
    }
    case 'patch': {
      const { patch, duplicateFields } = await decodeInTurn(await readEncoded(exchange, bodyLimits), (encoded) =>
        decodePatch(encoded, { strategic: isBuiltIn(kind), force: isSet(query, 'force'), parse: parseYaml }),
      )
      const optionsKind = patch.type === 'apply' ? 'ApplyOptions' : 'PatchOptions'
      return { verb, patch, options: { ...parseBodyOptions(query, optionsKind), duplicateFields } }
    }
    case 'delete':
      return { verb, options: parseDeleteOptions(query, await readOptionalBody(exchange, parseYaml, bodyLimits)) }
    case 'deletecollection': {
      const options = parseListOptions(query)
      const body = await readOptionalBody(exchange, parseYaml, bodyLimits)
      return { verb, options: { ...parseDeleteOptions(query, body), ...options } }
    }
    case '':
      throw notOnThisPath(kind.type, verb)
  }
}

// The old form of a watch has the name in its path. Names in the selector apply in addition: only the name in the path was authorized.
function watchOptionsOf({ name, isNamed }: ResourceInfo, query: URLSearchParams): ReturnType<typeof parseWatchOptions> {
  const options = parseWatchOptions(query)
  if (!isNamed) return options
  const term = `metadata.name=${escapeFieldValue(name)}`
  return { ...options, fieldSelector: options.fieldSelector ? `${options.fieldSelector},${term}` : term }
}

// Only built-in structs have names.
const isBuiltIn = ({ schema }: KindDefinition): boolean => schema.type === 'object' && schema.name !== undefined

async function readEncoded(exchange: Exchange, limits: BodyLimits): Promise<EncodedBody> {
  const { 'content-type': contentType, 'content-encoding': contentEncoding } = exchange.headers
  return { contentType, contentEncoding, bytes: await exchange.readBody(limits) }
}

const LARGE_BODY_BYTES = 64 * 1024

// Decoding and processing a large body takes long: other requests are served in between.
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
