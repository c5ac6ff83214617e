import type { JsonObject } from './json.ts'
import { collectDefinitions, definitionNameOf } from './openapi-definitions.ts'
import type { OpenApiKind } from './openapi-definitions.ts'
import type { Descriptions } from './read-descriptions.ts'

/** `api/v1`, `apis/storage.k8s.io/v1`: the name of a document in the index, and its path below `/openapi/v3/`. */
export const openApiV3Path = (group: string, version: string): string =>
  group === '' ? `api/${version}` : `apis/${group}/${version}`

/** The response of `/openapi/v3`: the list of documents, each with the hash of its bytes so that clients may cache it indefinitely. */
export function openApiV3Index(hashes: ReadonlyMap<string, string>): JsonObject {
  const entries = [...hashes].map(([path, hash]) => [path, { serverRelativeURL: `/openapi/v3/${path}?hash=${hash}` }])
  return { paths: Object.fromEntries(entries) as JsonObject }
}

/**
 * The document of one group version: a path for each kind with what clients look up before they send (the patch parameters, the kind), and the
 * schemas. `version` is the server's version.
 */
export function openApiV3Document(
  kinds: readonly OpenApiKind[],
  version: string,
  descriptions: Descriptions,
): JsonObject {
  const paths: JsonObject = {}
  for (const kind of kinds) Object.assign(paths, describePaths(kind))
  return {
    openapi: '3.0.0',
    info: { title: 'Kubernetes', version },
    paths,
    components: { schemas: Object.fromEntries(collectDefinitions(kinds, 'v3', descriptions)) },
  }
}

const query = (name: string, type = 'string'): JsonObject => ({
  name,
  in: 'query',
  schema: { type, uniqueItems: true },
})

const WRITE_PARAMETERS = [query('dryRun'), query('fieldManager'), query('fieldValidation'), query('pretty')]
const READ_PARAMETERS = [query('pretty')]
const PATCH_TYPES = ['application/json-patch+json', 'application/merge-patch+json']
const STRATEGIC_PATCH = 'application/strategic-merge-patch+json'

function describePaths(kind: OpenApiKind): JsonObject {
  const { group, version, plural, namespaced, schema } = kind
  const base = `/${openApiV3Path(group, version)}${namespaced ? '/namespaces/{namespace}' : ''}/${plural}`
  const body = { $ref: `#/components/schemas/${definitionNameOf(kind)}` }
  const identity = { group: kind.group, kind: kind.kind, version: kind.version }
  const operation = (
    action: string,
    parameters: readonly JsonObject[],
    contentTypes: readonly string[] = [],
  ): JsonObject => ({
    'x-kubernetes-action': action,
    'x-kubernetes-group-version-kind': identity,
    parameters,
    ...(contentTypes.length > 0 && {
      requestBody: { required: true, content: contentOf(contentTypes, action === 'patch' ? PATCH_BODY : body) },
    }),
    responses: { 200: { description: 'OK', content: contentOf(['application/json'], body) } },
  })
  const patchTypes = schema.name === undefined ? PATCH_TYPES : [...PATCH_TYPES, STRATEGIC_PATCH]
  const names = namespaced ? [pathParameter('namespace')] : []
  return {
    [base]: { post: operation('post', WRITE_PARAMETERS, ['application/json']), parameters: names },
    [`${base}/{name}`]: {
      get: operation('get', READ_PARAMETERS),
      put: operation('put', WRITE_PARAMETERS, ['application/json']),
      patch: operation('patch', WRITE_PARAMETERS, patchTypes),
      delete: operation('delete', [
        query('dryRun'),
        query('gracePeriodSeconds', 'integer'),
        query('propagationPolicy'),
        query('pretty'),
      ]),
      parameters: [pathParameter('name'), ...names],
    },
  }
}

const PATCH_BODY: JsonObject = { type: 'object' }
const pathParameter = (name: string): JsonObject => ({
  name,
  in: 'path',
  required: true,
  schema: { type: 'string', uniqueItems: true },
})
const contentOf = (types: readonly string[], schema: JsonObject): JsonObject =>
  Object.fromEntries(types.map((type) => [type, { schema }]))
