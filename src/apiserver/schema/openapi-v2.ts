import type { JsonObject } from './json.ts'
import { isJsonObject } from './json.ts'
import { collectDefinitions, membersOf } from './openapi-definitions.ts'
import type { OpenApiKind } from './openapi-definitions.ts'
import { openApiV3Path } from './openapi-v3.ts'
import { ProtobufWriter } from './protobuf-writer.ts'
import type { Descriptions } from './read-descriptions.ts'

/** The content type of `openApiV2Document`. */
export const OPENAPI_V2_TYPE = 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf'

/**
 * The whole API as an OpenAPI 2 document in protobuf (the messages of gnostic), which older kubectl reads first: a patch operation for each kind, for
 * its parameters, and all definitions.
 */
export function openApiV2Document(
  kinds: readonly OpenApiKind[],
  version: string,
  descriptions: Descriptions,
): Uint8Array {
  return new ProtobufWriter()
    .text(1, '2.0')
    .message(2, (info) => info.text(1, 'Kubernetes').text(2, version))
    .message(8, (paths) => {
      for (const kind of kinds) paths.message(2, (named) => writePath(named, kind))
    })
    .message(9, (definitions) => {
      for (const [name, schema] of collectDefinitions(kinds, 'v2', descriptions))
        definitions.message(1, (named) => writeNamedSchema(named, name, schema))
    })
    .finish()
}

/** The same as JSON, for clients that do not ask for protobuf. */
export function openApiV2Json(kinds: readonly OpenApiKind[], version: string, descriptions: Descriptions): JsonObject {
  const operation = ({ group, version: ofKind, kind }: OpenApiKind): JsonObject => ({
    patch: {
      parameters: PARAMETERS.map((name) => ({ in: 'query', name, type: 'string', uniqueItems: true })),
      responses: { 200: { description: 'OK' } },
      'x-kubernetes-action': 'patch',
      'x-kubernetes-group-version-kind': { group, kind, version: ofKind },
    },
  })
  return {
    swagger: '2.0',
    info: { title: 'Kubernetes', version },
    paths: Object.fromEntries(kinds.map((kind) => [pathOf(kind), operation(kind)])),
    definitions: Object.fromEntries(collectDefinitions(kinds, 'v2', descriptions)),
  }
}

const PARAMETERS = ['dryRun', 'fieldManager', 'fieldValidation', 'pretty']

const pathOf = ({ group, version, plural, namespaced }: OpenApiKind): string =>
  `/${openApiV3Path(group, version)}${namespaced ? '/namespaces/{namespace}' : ''}/${plural}/{name}`

function writePath(named: ProtobufWriter, openApiKind: OpenApiKind): void {
  const { group, version, kind } = openApiKind
  named.text(1, pathOf(openApiKind))
  named.message(2, (item) =>
    item.message(8, (patch) => {
      for (const parameter of PARAMETERS) {
        patch.message(8, (entry) => writeQuery(entry, parameter))
      }
      patch.message(9, (responses) => responses.message(1, writeResponse))
      writeExtension(patch, 13, 'x-kubernetes-group-version-kind', { group, kind, version })
    }),
  )
}

// A query parameter, as opposed to the body: it takes three nested messages.
function writeQuery(entry: ProtobufWriter, name: string): void {
  entry.message(1, (parameter) =>
    parameter.message(2, (nonBody) =>
      nonBody.message(3, (query) => query.text(2, 'query').text(4, name).text(6, 'string')),
    ),
  )
}

const writeResponse = (named: ProtobufWriter): void =>
  void named.text(1, '200').message(2, (value) => value.message(1, (response) => response.text(1, 'OK')))

function writeNamedSchema(named: ProtobufWriter, name: string, schema: JsonObject): void {
  named.text(1, name).message(2, (value) => writeSchema(value, schema))
}

// The field numbers of gnostic's message Schema.
function writeSchema(writer: ProtobufWriter, schema: JsonObject): void {
  const { $ref, format, description, required, additionalProperties, type, items } = schema
  if (typeof $ref === 'string') writer.text(1, $ref)
  if (typeof format === 'string') writer.text(2, format)
  if (typeof description === 'string') writer.text(4, description)
  if (Array.isArray(required)) for (const name of required) writer.text(19, String(name))
  if (isJsonObject(additionalProperties))
    writer.message(21, (item) => item.message(1, (inner) => writeSchema(inner, additionalProperties)))
  if (typeof type === 'string') writer.message(22, (item) => item.text(1, type))
  if (isJsonObject(items)) writer.message(23, (item) => item.message(1, (inner) => writeSchema(inner, items)))
  const properties = membersOf(schema, 'properties')
  const names = Object.keys(properties)
  if (names.length > 0) {
    writer.message(25, (list) => {
      for (const name of names) list.message(1, (named) => writeNamedSchema(named, name, membersOf(properties, name)))
    })
  }
  for (const [name, value] of Object.entries(schema)) {
    if (name.startsWith('x-')) writeExtension(writer, 31, name, value)
  }
}

// JSON is also YAML.
function writeExtension(writer: ProtobufWriter, number: number, name: string, value: unknown): void {
  writer.message(number, (named) => named.text(1, name).message(2, (any) => any.text(2, JSON.stringify(value))))
}
