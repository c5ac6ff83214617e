import { formatExactJson } from '../../api/exact-json.ts'
import { ApiError } from '../../api/api-error.ts'
import type { AdmissionPlugin } from './admission.ts'

/** What one object may take in the store: a little less than etcd lets one request be. */
export const MOST_OBJECT_BYTES = 1.5 * 1024 * 1024

/** Refuses an object of this many bytes, where its text is at hand already. */
export function refuseLargeObject(bytes: number): void {
  if (bytes > MOST_OBJECT_BYTES) throw new ApiError('RequestEntityTooLarge', 'etcdserver: request is too large')
}

/** Keeps single objects from growing without end: everyone who watches their kind pays for them. */
export const objectLimits: AdmissionPlugin = {
  name: 'ObjectLimits',
  validate({ object }) {
    if (object) refuseLargeObject(Buffer.byteLength(formatExactJson(object)))
  },
}
