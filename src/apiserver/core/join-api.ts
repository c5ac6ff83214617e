import type { Api, DeleteOptions, ListOptions, Patch, WatchEvent, WatchOptions, WriteOptions } from '../../api/api.ts'
import type { KubeObject, ObjectRef, Status } from '../../api/object.ts'
import type { ResourceType } from '../../api/resource-type.ts'
import { deepFreeze } from '../../api/freeze.ts'
import type { KindDefinition } from './kind-definition.ts'
import type { KindRegistry } from './kind-registry.ts'
import { noSuchPath } from './refusals.ts'
import type { BodyOptions, ResourceRequest, ResourceResponse } from './resource-request.ts'
import type { StoredObject } from './stored-object.ts'
import { objectOf } from './drafts.ts'
import { isShownAsStored, presentedDraft } from './update-object.ts'
import type { User } from './user.ts'
import type { StreamEvent, WatchStream } from './watch-stream.ts'

/** What a core has to offer to be joined. */
export type RequestExecutor = {
  readonly kinds: KindRegistry
  execute(request: ResourceRequest): Promise<ResourceResponse>
}

/** The `Api` of a core in the same process: the same rules as over HTTPS. What goes in is copied, what comes out is frozen. */
export function joinApi(core: RequestExecutor, user: User, userAgent: string): Api {
  const kindOf = ({ group, version, plural }: ResourceType): KindDefinition => {
    const kind = core.kinds.findByResource(group, version, plural)
    if (!kind) throw noSuchPath()
    return kind
  }
  const base = (type: ResourceType, ref: Partial<ObjectRef>, subresource = '') => ({
    user,
    kind: kindOf(type),
    namespace: type.namespaced ? (ref.namespace ?? '') : '',
    name: ref.name ?? '',
    subresource,
    source: { requestUri: `joined:${type.plural}`, userAgent, sourceIps: [] },
  })
  const execute = async (request: ResourceRequest, signal: AbortSignal | undefined): Promise<ResourceResponse> => {
    signal?.throwIfAborted()
    return core.execute(request)
  }
  const executeForObject = async <T>(request: ResourceRequest, signal: AbortSignal | undefined): Promise<T> => {
    const response = await execute(request, signal)
    if (response.kind === 'object') return present(request.kind, response.stored) as T
    if (response.kind === 'value') return deepFreeze(structuredClone(response.value)) as T
    throw new Error(`unexpected ${response.kind} in answer to ${request.verb}`)
  }

  return {
    get: async (type, ref, { subresource, resourceVersion = '', signal } = {}) =>
      executeForObject({ ...base(type, ref, subresource), verb: 'get', resourceVersion }, signal),
    list: async <T extends KubeObject>(type: ResourceType<T>, options: ListOptions = {}) => {
      const request: ResourceRequest = { ...base(type, { namespace: options.namespace ?? '' }), verb: 'list', options }
      const response = await execute(request, options.signal)
      if (response.kind !== 'list') throw new Error(`unexpected ${response.kind} in answer to list`)
      const items = response.items.map((stored) => present(request.kind, stored) as T)
      return { items, resourceVersion: String(response.revision) }
    },
    watch: <T extends KubeObject>(type: ResourceType<T>, options: WatchOptions = {}) =>
      watchEvents<T>(async () => {
        const request: ResourceRequest = {
          ...base(type, { namespace: options.namespace ?? '' }),
          verb: 'watch',
          options,
        }
        const response = await execute(request, options.signal)
        if (response.kind !== 'watch') throw new Error(`unexpected ${response.kind} in answer to watch`)
        return { kind: request.kind, stream: response.stream }
      }, options.signal),
    create: async (type, object, options = {}) =>
      executeForObject(
        {
          ...base(type, { namespace: object.metadata.namespace ?? '' }),
          verb: 'create',
          body: copy(object),
          options: bodyOptions(options),
        },
        options.signal,
      ),
    update: async (type, object, options = {}) =>
      executeForObject(
        {
          ...base(type, refOf(object), options.subresource),
          verb: 'update',
          body: copy(object),
          options: bodyOptions(options),
        },
        options.signal,
      ),
    patch: async (type, ref, patch: Patch, options = {}) =>
      executeForObject(
        { ...base(type, ref, options.subresource), verb: 'patch', patch: copy(patch), options: bodyOptions(options) },
        options.signal,
      ),
    delete: async <T extends KubeObject>(type: ResourceType<T>, ref: ObjectRef, options: DeleteOptions = {}) =>
      executeForObject<T | Status>({ ...base(type, ref), verb: 'delete', options }, options.signal),
    deleteCollection: async (type, options = {}) => {
      await execute(
        { ...base(type, { namespace: options.namespace ?? '' }), verb: 'deletecollection', options },
        options.signal,
      )
    },
    createSubresource: async (type, ref, subresource, body, options = {}) =>
      executeForObject(
        { ...base(type, ref, subresource), verb: 'create', body: copy(body), options: bodyOptions(options) },
        options.signal,
      ),
    review: async (type, body, options = {}) =>
      executeForObject(
        {
          ...base(type, { namespace: options.namespace ?? '' }),
          verb: 'create',
          body: copy(body),
          options: bodyOptions({}),
        },
        options.signal,
      ),
  }
}

const refOf = ({ metadata: { namespace = '', name = '' } }: KubeObject): ObjectRef => ({ namespace, name })

// As it would arrive over a wire: members that are undefined are not there.
const copy = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T

const bodyOptions = ({ dryRun = false, fieldManager, fieldValidation = 'Strict' }: WriteOptions): BodyOptions => ({
  dryRun,
  fieldValidation,
  ...(fieldManager === undefined ? {} : { fieldManager }),
  duplicateFields: [],
})

/** The stored object itself where its version is the one that was asked for. */
function present(kind: KindDefinition, stored: StoredObject): KubeObject {
  if (isShownAsStored(kind, stored)) return stored.object
  return deepFreeze(objectOf(presentedDraft(kind, stored)))
}

async function* watchEvents<T extends KubeObject>(
  open: () => Promise<{ kind: KindDefinition; stream: WatchStream }>,
  signal: AbortSignal | undefined,
): AsyncGenerator<WatchEvent<T>, void> {
  const { kind, stream } = await open()
  const onAbort = (): void => stream.close()
  // It may have aborted while the watch was opened.
  if (signal?.aborted) onAbort()
  signal?.addEventListener('abort', onAbort, { once: true })
  try {
    for (let event = await stream.next(); event; event = await stream.next()) yield toWatchEvent<T>(kind, event)
    signal?.throwIfAborted()
  } finally {
    signal?.removeEventListener('abort', onAbort)
    stream.close()
  }
}

function toWatchEvent<T extends KubeObject>(kind: KindDefinition, event: StreamEvent): WatchEvent<T> {
  switch (event.type) {
    case 'ERROR':
      throw event.error
    case 'BOOKMARK':
      return { type: 'BOOKMARK', resourceVersion: String(event.revision), initialEventsEnd: event.initialEventsEnd }
    default:
      // The resource type that was asked for says what T is.
      return { type: event.type, object: present(kind, event.stored) as T }
  }
}
