import { apiVersionOf } from '../../api/resource-type.ts'
import type { KindDefinition } from '../core/kind-definition.ts'
import type { KindRegistry } from '../core/kind-registry.ts'
import { JSON_TYPE } from './answer.ts'
import type { Answer } from './answer.ts'
import { byRevision } from './by-revision.ts'
import { answerDocument, createDocument } from './cached-document.ts'
import type { CachedDocument } from './cached-document.ts'
import { compareText } from './group-order.ts'
import { minimalOpenApi } from './minimal-openapi.ts'
import { parseAccept } from './negotiate.ts'
import { notAcceptable } from './refusals.ts'

/** Creates the documents. */
export type OpenApiSource = {
  /** Version 3, for all kinds of one group and version. */
  v3(kinds: readonly KindDefinition[]): object
  /** Version 2 of all kinds, as protobuf; an empty document is valid. */
  v2(kinds: readonly KindDefinition[]): Uint8Array
  /** The same as JSON. */
  v2Json(kinds: readonly KindDefinition[]): object
}

export interface OpenApi {
  /** The response for a path below `/openapi`; undefined if there is none. */
  answer(
    segments: readonly string[],
    query: URLSearchParams,
    headers: { accept?: string | undefined; 'if-none-match'?: string | undefined },
  ): Answer | undefined
}

const V2_TYPE = 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf'
// Clients use both; only the second is a valid media type.
const V2_TYPES = new Set([V2_TYPE, 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf'])
const JSON_TYPES = new Set([JSON_TYPE, 'application/*', '*/*'])

/** Documents are built on first use, once for each state of the kinds. */
export function createOpenApi(kinds: KindRegistry, source: OpenApiSource = minimalOpenApi): OpenApi {
  const documents = byRevision(kinds, () => createDocuments(kinds.all(), source))
  return {
    answer: (segments, query, { accept, 'if-none-match': ifNoneMatch }) => {
      const [, version, ...rest] = segments
      if (version === 'v2' && rest.length === 0)
        return answerDocument(documents().v2(chooseType(accept, [JSON_TYPES, V2_TYPES])), ifNoneMatch)
      if (version !== 'v3') return undefined
      chooseType(accept, [JSON_TYPES])
      if (rest.length === 0) return answerDocument(documents().root(), ifNoneMatch)
      const path = rest.join('/')
      const document = documents().v3(path)
      return document && answerVersioned(path, document, query.get('hash'), ifNoneMatch)
    },
  }
}

/** A document with its hash in the URL never changes; with an old hash, the client is redirected to the current URL. */
function answerVersioned(
  path: string,
  document: CachedDocument,
  hash: string | null,
  ifNoneMatch: string | undefined,
): Answer {
  if (!hash) return answerDocument(document, ifNoneMatch)
  if (hash !== document.hash) return { status: 301, headers: { location: addressOf(path, document) } }
  return answerDocument(document, ifNoneMatch, { 'cache-control': 'public, immutable' })
}

const addressOf = (path: string, { hash }: CachedDocument): string => `/openapi/v3/${path}?hash=${hash}`

function createDocuments(kinds: readonly KindDefinition[], source: OpenApiSource) {
  const byPath = new Map<string, KindDefinition[]>()
  for (const kind of kinds) {
    const path = `${kind.type.group === '' ? 'api' : 'apis'}/${apiVersionOf(kind.type)}`
    byPath.set(path, [...(byPath.get(path) ?? []), kind])
  }
  const made = new Map<string, CachedDocument>()
  const once = (key: string, make: () => CachedDocument): CachedDocument => {
    const document = made.get(key) ?? make()
    made.set(key, document)
    return document
  }
  const json = (value: object): CachedDocument => createDocument(JSON_TYPE, JSON.stringify(value))
  const v3 = (path: string): CachedDocument | undefined => {
    const members = byPath.get(path)
    return members && once(path, () => json(source.v3(members)))
  }
  const root = (): CachedDocument =>
    once('', () =>
      json({ paths: Object.fromEntries([...byPath.keys()].sort(compareText).map((path) => [path, entryOf(path)])) }),
    )
  const entryOf = (path: string): object => {
    const document = v3(path)
    return document ? { serverRelativeURL: addressOf(path, document) } : {}
  }
  const v2 = (types: ReadonlySet<string>): CachedDocument =>
    types === V2_TYPES
      ? once('v2', () => createDocument(V2_TYPE, source.v2(kinds)))
      : once('v2 json', () => json(source.v2Json(kinds)))
  return { root, v3, v2 }
}

function chooseType(accept: string | undefined, offers: readonly ReadonlySet<string>[]): ReadonlySet<string> {
  const clauses = accept ? parseAccept(accept) : [{ type: '*/*' }]
  for (const { type } of clauses) {
    const offer = offers.find((types) => types.has(type))
    if (offer) return offer
  }
  throw notAcceptable(offers.flatMap((types) => [...types].slice(0, 1)))
}
