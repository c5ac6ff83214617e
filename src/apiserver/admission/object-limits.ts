import { formatExactJson } from '../../api/exact-json.ts'
import { ApiError } from '../../api/api-error.ts'
import type { AdmissionPlugin } from './admission.ts'

/** Maximum size of one stored object: a little less than the request limit of etcd. */
export const MOST_OBJECT_BYTES = 1.5 * 1024 * 1024

/** Rejects an object of this size, if its text is already available. */
export function refuseLargeObject(bytes: number): void {
  if (bytes > MOST_OBJECT_BYTES) throw new ApiError('RequestEntityTooLarge', 'etcdserver: request is too large')
}

/** Limits the size of single objects: every watcher of the kind pays for them. */
export const objectLimits: AdmissionPlugin = {
  name: 'ObjectLimits',
  validate({ object }) {
    if (object) refuseLargeObject(Buffer.byteLength(formatExactJson(object)))
  },
}
