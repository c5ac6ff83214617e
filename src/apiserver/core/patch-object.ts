import type { JsonPatchOperation, Patch } from '../../api/api.ts'
import { applyJsonPatch } from '../../api/json-patch.ts'
import { JsonPatchError } from '../../api/json-patch-error.ts'
import { applyMergePatch } from '../../api/merge-patch.ts'
import { ApiError } from '../../api/api-error.ts'
import { qualifiedResource } from '../../api/resource-type.ts'
import { isDeeperThan } from '../schema/json.ts'
import { MOST_LEVELS } from '../schema/json-syntax-error.ts'
import { strategicMerge } from '../schema/strategic-merge.ts'
import { decodeObject, refuseManyValues } from './decode-object.ts'
import type { Draft, KindDefinition } from './kind-definition.ts'
import { badRequest, invalid } from './refusals.ts'
import type { ServerParts } from './server-parts.ts'
import type { StoredObject } from './stored-object.ts'
import { changeObject } from './update-object.ts'
import type { WriteRequest } from './write-request.ts'

const MOST_OPERATIONS = 10_000

/** A patch that describes changes, not the desired state. */
type PlainPatch = Exclude<Patch, { type: 'apply' }>

/** Applies a patch to the newest state and stores the result like an update. */
export function patchObject(parts: ServerParts, request: WriteRequest, patch: PlainPatch): Promise<StoredObject> {
  return changeObject(parts, request, (current) => {
    const patched = applyPatch(request, current, patch)
    refuseManyValues(request.kind, patched, current)
    return decodePatched(request, patched)
  })
}

// Upstream repeats the whole patched object in this message. It may hold secrets, so that we do not.
function decodePatched({ kind, fieldValidation, warnings, duplicateFields }: WriteRequest, patched: unknown): Draft {
  try {
    return decodeObject(kind, patched, fieldValidation, warnings, duplicateFields)
  } catch (error) {
    if (!(error instanceof ApiError) || error.reason !== 'BadRequest') throw error
    const detail = error.message.replace(/^\S+ in version "[^"]*" cannot be handled as a \S+: /, '')
    throw invalid({ group: '', kind: '' }, '', [
      { field: 'patch', type: 'FieldValueInvalid', value: '(patched object)', detail },
    ])
  }
}

function applyPatch(request: WriteRequest, current: Draft, patch: PlainPatch): unknown {
  switch (patch.type) {
    case 'json':
      return applyOperations(request, current, patch.operations)
    case 'merge':
      return applyMergePatch(current, patch.value)
    case 'strategic':
      return applyStrategic(request.kind, current, patch.value)
  }
}

/** Operations that cannot be applied are the client's fault. */
export function applyOperations(
  { kind, name }: Pick<WriteRequest, 'kind' | 'name'>,
  current: object,
  operations: readonly JsonPatchOperation[],
): unknown {
  if (operations.length > MOST_OPERATIONS) {
    throw new ApiError(
      'RequestEntityTooLarge',
      `The allowed maximum operations in a JSON patch is ${MOST_OPERATIONS}, got ${operations.length}`,
    )
  }
  try {
    const patched = applyJsonPatch(current, operations)
    // A body is not nested deeper, but operations could insert one into another.
    if (isDeeperThan(patched, MOST_LEVELS)) throw badRequest('exceeded max depth')
    return patched
  } catch (error) {
    if (!(error instanceof JsonPatchError)) throw error
    throw new ApiError('Invalid', `the server rejected our request due to an error in our request: ${error.message}`, {
      details: { name, kind: kind.type.plural, ...(kind.type.group === '' ? {} : { group: kind.type.group }) },
      cause: error,
    })
  }
}

function applyStrategic({ type, schema }: KindDefinition, current: Draft, value: object): unknown {
  // Only built-in structs have names, and only they define how their lists are merged.
  if (schema.type !== 'object' || schema.name === undefined) {
    throw new ApiError(
      'UnsupportedMediaType',
      `strategic merge patches are not supported for ${qualifiedResource(type)}: use a merge patch or a JSON patch`,
    )
  }
  try {
    return strategicMerge(schema, current, value)
  } catch (error) {
    throw badRequest(error instanceof Error ? error.message : String(error))
  }
}
