import type { Api } from '../../api/api.ts'
import type { Urgency } from '../../base/adaptive-limit.ts'

/** The API, with this urgency for every request that changes or reads one object. */
export const withUrgency = (api: Api, urgency: Urgency): Api => ({
  ...api,
  get: (type, ref, options) => api.get(type, ref, { ...options, urgency }),
  create: (type, object, options) => api.create(type, object, { ...options, urgency }),
  update: (type, object, options) => api.update(type, object, { ...options, urgency }),
  patch: (type, ref, patch, options) => api.patch(type, ref, patch, { ...options, urgency }),
  delete: (type, ref, options) => api.delete(type, ref, { ...options, urgency }),
  createSubresource: (type, ref, subresource, body, options) =>
    api.createSubresource(type, ref, subresource, body, { ...options, urgency }),
})
