import { ApiError } from '../../api/api-error.ts'
import type { Api, ListOptions, Patch, WatchEvent, WatchOptions, WriteOptions } from '../../api/api.ts'
import { deepFreeze } from '../../api/freeze.ts'
import { applyMergePatch } from '../../api/merge-patch.ts'
import { keyOf, keyOfRef } from '../../api/object-key.ts'
import type { KubeObject, ObjectRef } from '../../api/object.ts'
import type { ResourceType } from '../../api/resource-type.ts'
import { abandonOnAbort } from '../../base/abort.ts'
import type { Clock } from '../../base/clock.ts'

type CallOptions = ListOptions & Omit<WatchOptions, 'resourceVersionMatch'>

export type ApiCall = {
  readonly verb: 'get' | 'list' | 'watch' | 'create' | 'update' | 'patch' | 'delete'
  readonly plural: string
  readonly options: CallOptions
}

/**
 * A small server in memory whose failures the test controls. It has no rules for any kind: tests on it prove the behaviour of the client side, not of
 * a server.
 */
export interface ScriptedApi {
  readonly api: Api
  readonly calls: ApiCall[]
  /** Runs before a call takes effect: throw to reject it, wait to delay it. A caller that gives up does not undo the effect. */
  before: (call: ApiCall) => void | Promise<void>
  /** Runs after the call took effect: throw to lose the response. */
  after: (call: ApiCall) => void | Promise<void>
  /** Maximum number of items per page, whatever is requested. */
  pageSize: number
  /** False: watches never end, as on a server that has lost the connection. */
  endsWatches: boolean
  /** Writes without a call. The server sets the version. */
  put<T extends KubeObject>(type: ResourceType<T>, object: T): T
  remove(type: ResourceType, ref: ObjectRef): void
  objects(type: ResourceType): KubeObject[]
  revision(): number
  watches(): number
  /** Sends a bookmark to open watches. */
  bookmark(): void
  /** Sends an incorrect or outdated event to open watches. */
  tell(event: WatchEvent<KubeObject>): void
  endWatches(): void
  failWatches(error: Error): void
  /** Drops the history: earlier watches have expired. */
  compact(): void
}

type Change = { readonly plural: string; readonly revision: number; readonly event: WatchEvent<KubeObject> }
type Stream = { readonly plural: string; push(event: WatchEvent<KubeObject>): void; end(error?: Error): void }

export function createScriptedApi(clock: Clock): ScriptedApi {
  const stores = new Map<string, Map<string, KubeObject>>()
  const streams = new Set<Stream>()
  let history: Change[] = []
  let revision = 100
  let forgotten = 0
  let uids = 0

  const storeOf = (plural: string): Map<string, KubeObject> => {
    const store = stores.get(plural) ?? new Map<string, KubeObject>()
    stores.set(plural, store)
    return store
  }
  const report = (plural: string, event: WatchEvent<KubeObject>): void => {
    history.push({ plural, revision, event })
    for (const stream of streams) if (stream.plural === plural) stream.push(event)
  }
  const put = <T extends KubeObject>({ plural }: ResourceType<T>, object: T): T => {
    const before = storeOf(plural).get(keyOf(object))
    const uid = before?.metadata.uid ?? `uid-${++uids}`
    const stored = deepFreeze(
      structuredClone({ ...object, metadata: { ...object.metadata, uid, resourceVersion: String(++revision) } }),
    )
    storeOf(plural).set(keyOf(object), stored)
    report(plural, { type: before ? 'MODIFIED' : 'ADDED', object: stored })
    return stored
  }
  const remove = ({ plural }: ResourceType, ref: ObjectRef): KubeObject => {
    const before = find(plural, ref)
    storeOf(plural).delete(keyOfRef(ref))
    const last = deepFreeze({ ...before, metadata: { ...before.metadata, resourceVersion: String(++revision) } })
    report(plural, { type: 'DELETED', object: last })
    return last
  }
  const find = (plural: string, ref: ObjectRef): KubeObject => {
    const found = storeOf(plural).get(keyOfRef(ref))
    if (!found) throw new ApiError('NotFound', `${plural} "${ref.name}" not found`)
    return found
  }
  const update = <T extends KubeObject>(type: ResourceType<T>, object: T): T => {
    const before = find(type.plural, refOf(object))
    const { resourceVersion } = object.metadata
    if (resourceVersion && resourceVersion !== before.metadata.resourceVersion)
      throw new ApiError('Conflict', `${type.plural} "${before.metadata.name}" has been modified`)
    return put(type, object)
  }
  const create = <T extends KubeObject>(type: ResourceType<T>, object: T): T => {
    if (storeOf(type.plural).has(keyOf(object)))
      throw new ApiError('AlreadyExists', `${type.plural} "${object.metadata.name}" already exists`)
    return put(type, object)
  }
  const listAll = (plural: string, options: ListOptions): KubeObject[] =>
    [...storeOf(plural).values()].filter(
      ({ metadata }) => !options.namespace || options.namespace === metadata.namespace,
    )

  const self: ScriptedApi = {
    api: undefined as unknown as Api,
    calls: [],
    before: () => {},
    after: () => {},
    pageSize: 10,
    endsWatches: true,
    put,
    remove,
    objects: ({ plural }) => [...storeOf(plural).values()],
    revision: () => revision,
    watches: () => streams.size,
    bookmark: () => {
      for (const stream of streams)
        stream.push({ type: 'BOOKMARK', resourceVersion: String(revision), initialEventsEnd: false })
    },
    tell: (event) => {
      for (const stream of streams) stream.push(event)
    },
    endWatches: () => {
      for (const stream of streams) stream.end()
    },
    failWatches: (error) => {
      for (const stream of streams) stream.end(error)
    },
    compact: () => {
      history = []
      forgotten = revision
    },
  }

  const call = <R>(verb: ApiCall['verb'], { plural }: ResourceType, options: CallOptions, act: () => R): Promise<R> => {
    const made = { verb, plural, options }
    const perform = async (): Promise<R> => {
      options.signal?.throwIfAborted()
      self.calls.push(made)
      await self.before(made)
      const result = act()
      await self.after(made)
      return result
    }
    return abandonOnAbort(perform(), options.signal)
  }
  const openStream = (
    { plural }: ResourceType,
    options: WatchOptions,
  ): { stream: Stream; next(): Promise<WatchEvent<KubeObject> | undefined> } => {
    const waiting: WatchEvent<KubeObject>[] = []
    let ended: { error?: Error } | undefined
    let wake = (): void => {}
    const stream: Stream = {
      plural,
      push: (event) => {
        waiting.push(event)
        wake()
      },
      end: (error) => {
        ended = error ? { error } : {}
        streams.delete(stream)
        wake()
      },
    }
    const since = Number(options.resourceVersion ?? 0)
    if (since > 0 && since < forgotten)
      throw new ApiError('Expired', `too old resource version: ${since} (${revision})`)
    if (since === 0) for (const object of listAll(plural, options)) stream.push({ type: 'ADDED', object })
    else
      for (const change of history) if (change.plural === plural && change.revision > since) stream.push(change.event)
    if (options.sendInitialEvents)
      stream.push({ type: 'BOOKMARK', resourceVersion: String(revision), initialEventsEnd: true })
    streams.add(stream)
    const next = async (): Promise<WatchEvent<KubeObject> | undefined> => {
      while (waiting.length === 0 && !ended) await new Promise<void>((resolve) => void (wake = resolve))
      if (waiting.length === 0 && ended?.error) throw ended.error
      return waiting.shift()
    }
    return { stream, next }
  }
  const watch = async function* <T extends KubeObject>(
    type: ResourceType<T>,
    options: WatchOptions = {},
  ): AsyncGenerator<WatchEvent<T>, void> {
    const { stream, next } = await call('watch', type, options, () => openStream(type, options))
    const { timeoutSeconds = Number.POSITIVE_INFINITY, signal } = options
    const timer = clock.setTimer(self.endsWatches ? timeoutSeconds * 1000 : Number.POSITIVE_INFINITY, () =>
      stream.end(),
    )
    try {
      for (let event = await abandonOnAbort(next(), signal); event; event = await abandonOnAbort(next(), signal))
        yield event as WatchEvent<T>
    } finally {
      timer.cancel()
      streams.delete(stream)
    }
  }

  const unscripted = (): Promise<never> => Promise.reject(new Error('not scripted'))
  const api: Api = {
    get: (type, ref, options = {}) => call('get', type, options, () => find(type.plural, ref)) as Promise<never>,
    list: <T extends KubeObject>(type: ResourceType<T>, options: ListOptions = {}) =>
      call('list', type, options, () => {
        const all = listAll(type.plural, options) as unknown as T[]
        const from = Number(options.continueToken ?? 0)
        const to = from + Math.min(options.limit ?? Number.POSITIVE_INFINITY, self.pageSize)
        return {
          items: all.slice(from, to),
          resourceVersion: String(revision),
          ...(to < all.length ? { continueToken: String(to) } : {}),
        }
      }),
    watch,
    create: (type, object, options: WriteOptions = {}) => call('create', type, options, () => create(type, object)),
    update: (type, object, options: WriteOptions = {}) => call('update', type, options, () => update(type, object)),
    patch: (type, ref, patch: Patch, options: WriteOptions = {}) =>
      call('patch', type, options, () => {
        if (patch.type !== 'merge') throw new Error('only merge patches are scripted')
        return put(type, applyMergePatch(find(type.plural, ref), patch.value) as never)
      }),
    delete: (type, ref, options = {}) =>
      call('delete', type, { ...(options.signal ? { signal: options.signal } : {}) }, () =>
        remove(type, ref),
      ) as Promise<never>,
    deleteCollection: unscripted,
    createSubresource: unscripted,
    review: unscripted,
  }
  return Object.assign(self, { api })
}

const refOf = ({ metadata: { namespace, name = '' } }: KubeObject): ObjectRef => ({
  name,
  ...(namespace ? { namespace } : {}),
})
