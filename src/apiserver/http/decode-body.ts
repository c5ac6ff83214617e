import { parseJsonPatch, JsonPatchSyntaxError } from '../../api/parse-json-patch.ts'
import type { Patch } from '../../api/api.ts'
import { ApiError } from '../../api/api-error.ts'
import { badRequest } from '../core/refusals.ts'
import { parseApiVersion } from '../../api/resource-type.ts'
import { decodeProtobuf } from '../schema/decode-protobuf.ts'
import { findSchema } from '../schema/find-schema.ts'
import { JsonSyntaxError } from '../schema/json-syntax-error.ts'
import { parseJson } from '../schema/parse-json.ts'
import { ProtobufError } from '../schema/protobuf-reader.ts'
import { bodyTooLarge, unsupportedMediaType } from './refusals.ts'
import { parseYaml } from './yaml.ts'
import type { ParseYaml } from './yaml-threads.ts'

/** A decoded body, not yet validated. */
export type DecodedBody = {
  readonly value: unknown
  /** Field paths that occur twice in the text. */
  readonly duplicateFields: readonly string[]
}

export type EncodedBody = {
  /** The value of the header, with parameters. */
  readonly contentType: string | undefined
  readonly contentEncoding?: string | undefined
  readonly bytes: Uint8Array
}

const PROTOBUF = 'application/vnd.kubernetes.protobuf'
const OBJECT_TYPES = ['application/json', 'application/yaml', PROTOBUF]

/** The only place where bodies of objects and options become values, by their media type. Without a type they are JSON. */
export async function decodeBody(
  { contentType, contentEncoding, bytes }: EncodedBody,
  parse: ParseYaml = parseYaml,
): Promise<DecodedBody> {
  checkEncoding(contentEncoding, OBJECT_TYPES)
  switch (mediaTypeOf(contentType) || 'application/json') {
    case 'application/json':
      return decodeJson(bytes)
    case 'application/yaml':
      return decodeYaml(bytes, parse)
    case PROTOBUF:
      return { value: decodeProtobufObject(bytes), duplicateFields: [] }
    default:
      throw unsupportedMediaType(OBJECT_TYPES)
  }
}

// Only built-in kinds have a protobuf form; DeleteOptions may have the name of any group.
function decodeProtobufObject(bytes: Uint8Array): unknown {
  try {
    return decodeProtobuf(bytes, (apiVersion, kind) => {
      const { group, version } = kind === 'DeleteOptions' ? { group: '', version: 'v1' } : parseApiVersion(apiVersion)
      return findSchema(group, version, kind)
    }).value
  } catch (error) {
    if (error instanceof ProtobufError) throw badRequest(error.message)
    throw error
  }
}

const PATCH_TYPES = {
  json: 'application/json-patch+json',
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  apply: 'application/apply-patch+yaml',
} as const

export type DecodedPatch = { readonly patch: Patch; readonly duplicateFields: readonly string[] }

/** A patch by its media type. Custom resources do not support strategic merge patches: their lists have no merge keys that every client knows. */
export async function decodePatch(
  { contentType, contentEncoding, bytes }: EncodedBody,
  { strategic, force = false, parse = parseYaml }: { strategic: boolean; force?: boolean; parse?: ParseYaml },
): Promise<DecodedPatch> {
  const accepted = Object.values(PATCH_TYPES).filter((type) => strategic || type !== PATCH_TYPES.strategic)
  checkEncoding(contentEncoding, accepted)
  const mediaType = mediaTypeOf(contentType)
  const type = accepted.find((candidate) => candidate === mediaType)
  if (type === undefined) throw unsupportedMediaType(accepted)
  const { value, duplicateFields } = type === PATCH_TYPES.apply ? await decodeYaml(bytes, parse) : decodeJson(bytes)
  if (type === PATCH_TYPES.json) return { patch: { type: 'json', operations: operationsOf(value) }, duplicateFields }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw badRequest('the patch is not an object')
  if (type === PATCH_TYPES.apply) return { patch: { type: 'apply', value, force }, duplicateFields }
  return { patch: { type: type === PATCH_TYPES.merge ? 'merge' : 'strategic', value }, duplicateFields }
}

function operationsOf(value: unknown): ReturnType<typeof parseJsonPatch> {
  try {
    return parseJsonPatch(value)
  } catch (error) {
    if (error instanceof JsonPatchSyntaxError) throw badRequest(error.message)
    throw error
  }
}

const mediaTypeOf = (contentType = ''): string => (contentType.split(';', 1)[0] ?? '').trim().toLowerCase()

function checkEncoding(contentEncoding: string | undefined, accepted: readonly string[]): void {
  if (contentEncoding !== undefined && contentEncoding.toLowerCase() !== 'identity')
    throw unsupportedMediaType(accepted)
}

const textOf = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8')

function decodeJson(bytes: Uint8Array): DecodedBody {
  if (bytes.length === 0) throw badRequest('the body of the request is empty')
  try {
    return parseJson(textOf(bytes))
  } catch (error) {
    if (error instanceof JsonSyntaxError) throw badRequest(`the body of the request is not JSON: ${error.message}`)
    throw error
  }
}

// A megabyte of YAML takes a minute, and some texts much longer.
const YAML_LIMIT_BYTES = 128 * 1024

async function decodeYaml(bytes: Uint8Array, parse: ParseYaml): Promise<DecodedBody> {
  if (bytes.length === 0) throw badRequest('the body of the request is empty')
  const text = textOf(bytes)
  const json = findJson(text)
  if (json) return json
  if (bytes.length > YAML_LIMIT_BYTES) throw bodyTooLarge(YAML_LIMIT_BYTES)
  try {
    return await parse(text)
  } catch (error) {
    if (error instanceof ApiError) throw error
    throw badRequest(`the body of the request is not YAML: ${error instanceof Error ? error.message : String(error)}`)
  }
}

// JSON is valid YAML, and is often sent with its media type.
function findJson(text: string): DecodedBody | undefined {
  if (!text.startsWith('{')) return undefined
  try {
    return parseJson(text)
  } catch (error) {
    if (error instanceof ApiError) throw error
    return undefined
  }
}
