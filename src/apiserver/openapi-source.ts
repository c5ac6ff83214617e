import type { KindDefinition } from './core/kind-definition.ts'
import type { OpenApiSource } from './http/openapi.ts'
import type { OpenApiKind } from './schema/openapi-definitions.ts'
import { openApiV2Document, openApiV2Json } from './schema/openapi-v2.ts'
import { openApiV3Document } from './schema/openapi-v3.ts'

/** OpenAPI documents, created from the same schemas that validate requests. */
export function createOpenApiSource(version: string): OpenApiSource {
  return {
    v3: (kinds) => openApiV3Document(kinds.flatMap(toOpenApiKind), version),
    v2: (kinds) => openApiV2Document(kinds.flatMap(toOpenApiKind), version),
    v2Json: (kinds) => openApiV2Json(kinds.flatMap(toOpenApiKind), version),
  }
}

const toOpenApiKind = ({ type, schema }: KindDefinition): OpenApiKind[] =>
  schema.type === 'object' ? [{ ...type, schema }] : []
