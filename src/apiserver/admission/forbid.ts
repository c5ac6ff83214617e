import type { ApiError } from '../../api/api-error.ts'
import type { StatusCause } from '../../api/object.ts'
import { metaOf } from '../core/drafts.ts'
import { forbidden } from '../core/refusals.ts'
import type { AdmissionRequest } from './admission.ts'

/** The refusal of a step, in the name of the object that was to be written; one without a name is called by what its name begins with. */
export function forbid(request: AdmissionRequest, why: string, causes?: readonly StatusCause[]): ApiError {
  const { generateName } = request.object ? metaOf(request.object) : {}
  return forbidden(request.kind.type, request.name || generateName || 'Unknown', why, causes)
}
