import type { Api } from '../../api/api.ts'

/** The API up to the moment the signal aborts: then every further request fails, whoever still holds it. */
export function fenceApi(api: Api, signal: AbortSignal): Api {
  const pass = async <T>(ask: () => Promise<T>): Promise<T> => {
    signal.throwIfAborted()
    return ask()
  }
  return {
    get: (type, ref, options) => pass(() => api.get(type, ref, options)),
    list: (type, options) => pass(() => api.list(type, options)),
    watch: (type, options) => {
      signal.throwIfAborted()
      return api.watch(type, options)
    },
    create: (type, object, options) => pass(() => api.create(type, object, options)),
    update: (type, object, options) => pass(() => api.update(type, object, options)),
    patch: (type, ref, patch, options) => pass(() => api.patch(type, ref, patch, options)),
    delete: (type, ref, options) => pass(() => api.delete(type, ref, options)),
    deleteCollection: (type, options) => pass(() => api.deleteCollection(type, options)),
    createSubresource: (type, ref, subresource, body, options) =>
      pass(() => api.createSubresource(type, ref, subresource, body, options)),
    review: (type, body, options) => pass(() => api.review(type, body, options)),
  }
}
