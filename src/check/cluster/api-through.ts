import type { Api, WatchEvent } from '../../api/api.ts'
import type { KubeObject } from '../../api/object.ts'
import type { ResourceType } from '../../api/resource-type.ts'
import { ProcessKilled } from '../../base/life.ts'
import type { Life } from '../../base/life.ts'

/** The API as one process sees it: after the end of its life, requests have no effect and watches end. */
export function apiThrough(api: Api, life: Life): Api {
  const watch = async function* <T extends KubeObject>(
    type: ResourceType<T>,
    options: Parameters<Api['watch']>[1] = {},
  ): AsyncGenerator<WatchEvent<T>, void> {
    if (life.isOver()) throw new ProcessKilled()
    const ended = new AbortController()
    life.onEnd(() => ended.abort(new ProcessKilled()))
    const signal = options.signal ? AbortSignal.any([options.signal, ended.signal]) : ended.signal
    yield* api.watch(type, { ...options, signal })
  }
  return {
    get: (...request) => life.call(() => api.get(...request)),
    list: (...request) => life.call(() => api.list(...request)),
    watch,
    create: (...request) => life.call(() => api.create(...request)),
    update: (...request) => life.call(() => api.update(...request)),
    patch: (...request) => life.call(() => api.patch(...request)),
    delete: (...request) => life.call(() => api.delete(...request)),
    deleteCollection: (...request) => life.call(() => api.deleteCollection(...request)),
    createSubresource: (...request) => life.call(() => api.createSubresource(...request)),
    review: (...request) => life.call(() => api.review(...request)),
  }
}
