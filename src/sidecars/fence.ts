import type { Api } from '../api/api.ts'
import { CsiError } from '../csi/csi-error.ts'
import type { Driver } from '../csi/rpc.ts'

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
    createSubresource: (type, ref, subresource, body, options) => pass(() => api.createSubresource(type, ref, subresource, body, options)),
    review: (type, body, options) => pass(() => api.review(type, body, options)),
  }
}

/** The driver up to the moment the signal aborts. Calls under way end as they would; later ones are not sent. */
export function fenceDriver(driver: Driver, signal: AbortSignal): Driver {
  type Call = (request: object, options?: object) => unknown
  const fenced = Object.entries(driver).map(([name, call]): [string, Call] => [
    name,
    (request, options) => {
      if (!signal.aborted) return (call as Call)(request, options)
      const refused = new CsiError('CANCELLED', 'not sent: the role has ended', { rpc: name, cause: signal.reason })
      return isStream(name) ? refusedStream(refused) : Promise.reject(refused)
    },
  ])
  // The same names, with calls of the same shape.
  return Object.freeze(Object.fromEntries(fenced)) as unknown as Driver
}

const STREAMS: ReadonlySet<string> = new Set<keyof Driver>(['getMetadataAllocated', 'getMetadataDelta'])
const isStream = (name: string): boolean => STREAMS.has(name)

// oxlint-disable-next-line require-yield
async function* refusedStream(error: Error): AsyncGenerator<never, void> {
  throw error
}
