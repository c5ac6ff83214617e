import type { Api } from '../../api/api.ts'
import type { ResourceType } from '../../api/resource-type.ts'

/** One request as a decorator sees it. */
export type ApiRequest = {
  readonly verb: Exclude<keyof Api, 'watch'>
  readonly type: ResourceType
  readonly options: { readonly signal?: AbortSignal; readonly dryRun?: boolean }
}

export type ApiDecorator = {
  /** `send` passes the request on, with the caller's signal unless another one is given. */
  request<T>(request: ApiRequest, send: (signal?: AbortSignal) => Promise<T>): Promise<T>
  /** Called before each watch; throws to reject it. */
  beforeWatch?(): void
}

/** An `Api` that sends every request through one function. */
export function decorateApi(api: Api, { request, beforeWatch }: ApiDecorator): Api {
  const through = <Options extends ApiRequest['options'], T>(
    verb: ApiRequest['verb'],
    type: ResourceType,
    options: Options | undefined,
    ask: (options: Options | undefined) => Promise<T>,
  ): Promise<T> =>
    // All members of `options` are kept; only the signal may be replaced.
    request({ verb, type, options: options ?? {} }, (signal) =>
      ask(signal ? ({ ...options, signal } as Options) : options),
    )
  return {
    get: (type, ref, options) => through('get', type, options, (given) => api.get(type, ref, given)),
    list: (type, options) => through('list', type, options, (given) => api.list(type, given)),
    watch: (type, options) => {
      beforeWatch?.()
      return api.watch(type, options)
    },
    create: (type, object, options) => through('create', type, options, (given) => api.create(type, object, given)),
    update: (type, object, options) => through('update', type, options, (given) => api.update(type, object, given)),
    patch: (type, ref, patch, options) =>
      through('patch', type, options, (given) => api.patch(type, ref, patch, given)),
    delete: (type, ref, options) => through('delete', type, options, (given) => api.delete(type, ref, given)),
    deleteCollection: (type, options) =>
      through('deleteCollection', type, options, (given) => api.deleteCollection(type, given)),
    createSubresource: (type, ref, subresource, body, options) =>
      through('createSubresource', type, options, (given) =>
        api.createSubresource(type, ref, subresource, body, given),
      ),
    review: (type, body, options) => through('review', type, options, (given) => api.review(type, body, given)),
  }
}
