import type { KindDefinition } from './core/kind-definition.ts'
import type { OpenApiSource } from './http/openapi.ts'
import type { OpenApiKind } from './schema/openapi-definitions.ts'
import { openApiV2Document, openApiV2Json } from './schema/openapi-v2.ts'
import { openApiV3Document } from './schema/openapi-v3.ts'
import { readDescriptions } from './schema/read-descriptions.ts'

/**
 * OpenAPI documents, created from the same schemas that validate requests. The descriptions are half a megabyte of text, which nothing needs before a
 * client asks for a document.
 */
export async function loadOpenApiSource(version: string): Promise<OpenApiSource> {
  const { DESCRIPTIONS } = await import('./schema/generated/descriptions.ts')
  const descriptions = readDescriptions(DESCRIPTIONS)
  return {
    v3: (kinds) => openApiV3Document(kinds.flatMap(toOpenApiKind), version, descriptions),
    v2: (kinds) => openApiV2Document(kinds.flatMap(toOpenApiKind), version, descriptions),
    v2Json: (kinds) => openApiV2Json(kinds.flatMap(toOpenApiKind), version, descriptions),
  }
}

const toOpenApiKind = ({ type, schema }: KindDefinition): OpenApiKind[] =>
  schema.type === 'object' ? [{ ...type, schema }] : []
