import type { ApiError } from '../../api/api-error.ts'
import type { StatusCause } from '../../api/object.ts'
import { metaOf } from '../core/drafts.ts'
import { forbidden } from '../core/refusals.ts'
import type { AdmissionRequest } from './admission.ts'

/** The rejection of a write, with the name of the object; for an object without a name, with its generateName. */
export function forbid(request: AdmissionRequest, why: string, causes?: readonly StatusCause[]): ApiError {
  const { generateName } = request.object ? metaOf(request.object) : {}
  return forbidden(request.kind.type, request.name || generateName || 'Unknown', why, causes)
}
