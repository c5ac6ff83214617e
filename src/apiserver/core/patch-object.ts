import type { Patch } from '../../api/api.ts'
import { applyJsonPatch } from '../../api/json-patch.ts'
import { JsonPatchError } from '../../api/json-patch-error.ts'
import { applyMergePatch } from '../../api/merge-patch.ts'
import { ApiError } from '../../api/api-error.ts'
import { strategicMerge } from '../schema/strategic-merge.ts'
import { decodeObject } from './decode-object.ts'
import type { Draft } from './kind-definition.ts'
import { badRequest } from './refusals.ts'
import type { ServerParts } from './server-parts.ts'
import type { StoredObject } from './stored-object.ts'
import { changeObject } from './update-object.ts'
import type { WriteRequest } from './write-request.ts'

const MOST_OPERATIONS = 10_000

/** Applies a patch to the newest state and stores the result like an update. */
export function patchObject(parts: ServerParts, request: WriteRequest, patch: Patch): Promise<StoredObject> {
  return changeObject(parts, request, (current) => {
    const patched = applyPatch(request, current, patch)
    return decodeObject(request.kind, patched, request.fieldValidation, request.warnings, request.duplicateFields)
  })
}

function applyPatch({ kind, name }: WriteRequest, current: Draft, patch: Patch): unknown {
  switch (patch.type) {
    case 'json':
      if (patch.operations.length > MOST_OPERATIONS) {
        throw new ApiError('RequestEntityTooLarge', `The allowed maximum operations in a JSON patch is ${MOST_OPERATIONS}, got ${patch.operations.length}`)
      }
      try {
        return applyJsonPatch(current, patch.operations)
      } catch (error) {
        if (!(error instanceof JsonPatchError)) throw error
        throw new ApiError('Invalid', `the server rejected our request due to an error in our request: ${error.message}`, {
          details: { name, kind: kind.type.plural, ...(kind.type.group === '' ? {} : { group: kind.type.group }) },
          cause: error,
        })
      }
    case 'merge':
      return applyMergePatch(current, patch.value)
    case 'strategic':
      try {
        return strategicMerge(kind.schema, current, patch.value)
      } catch (error) {
        throw badRequest(error instanceof Error ? error.message : String(error))
      }
  }
}
