import { formatExactJson, parseExactJson } from '../../api/exact-json.ts'
import { ApiError } from '../../api/api-error.ts'
import type { Api, DeleteOptions, ListOptions, WatchEvent, WatchOptions, WriteOptions } from '../../api/api.ts'
import type { KubeObject, ObjectRef, Status } from '../../api/object.ts'
import { qualifiedResource } from '../../api/resource-type.ts'
import type { ResourceType } from '../../api/resource-type.ts'
import { deepFreeze } from '../../api/freeze.ts'
import type { KindDefinition, Verb } from './kind-definition.ts'
import { badRequest } from './refusals.ts'
import type { ResourceAttributes } from './request.ts'
import type { BodyOptions, ExecuteRequest, PerformedRequest, RequestContent } from './resource-request.ts'
import { selectedName } from './selected-name.ts'
import type { StoredObject } from './stored-object.ts'
import { objectOf } from './drafts.ts'
import { isShownAsStored, presentedDraft } from './update-object.ts'
import type { User } from './user.ts'
import type { StreamEvent, WatchStream } from './watch-stream.ts'

/** The `Api` of a core in the same process, with the same rules as over HTTPS. Arguments are copied; results are frozen. */
export function joinApi(executeAsked: ExecuteRequest, user: User, userAgent: string): Api {
  const execute = async (
    { type, ref, subresource = '', signal }: Place,
    read: () => RequestContent,
    verb: Verb,
    selectors: Pick<ListOptions, 'fieldSelector' | 'labelSelector'> = {},
  ): Promise<PerformedRequest> => {
    signal?.throwIfAborted()
    const { group, version, plural, namespaced } = type
    const namespace = namespaced ? (ref.namespace ?? '') : ''
    const { fieldSelector, labelSelector } = selectors
    const attributes: ResourceAttributes = {
      user,
      verb,
      isResource: true,
      group,
      version,
      resource: plural,
      subresource,
      namespace,
      name: ref.name ?? (verb === 'list' || verb === 'watch' ? selectedName(fieldSelector) : ''),
      ...(fieldSelector ? { fieldSelector } : {}),
      ...(labelSelector ? { labelSelector } : {}),
    }
    const source = { requestUri: `joined:${plural}`, userAgent, sourceIps: [] }
    return executeAsked({ attributes, source }, ({ type: served }) => {
      checkNamespace(served, verb, namespace)
      return read()
    })
  }
  const executeForObject = async <T>(place: Place, verb: Verb, read: () => RequestContent): Promise<T> => {
    const { request, response } = await execute(place, read, verb)
    if (response.kind === 'object') return present(request.kind, response.stored) as T
    if (response.kind === 'value') return deepFreeze(structuredClone(response.value)) as T
    throw new Error(`unexpected ${response.kind} in answer to ${verb}`)
  }
  const create = <T>(place: Place, body: object, options: WriteOptions): Promise<T> =>
    executeForObject(place, 'create', () => ({ verb: 'create', body: copy(body), options: bodyOptions(options) }))

  return {
    get: (type, ref, { subresource = '', resourceVersion = '', signal } = {}) =>
      executeForObject({ type, ref, subresource, signal }, 'get', () => ({ verb: 'get', resourceVersion })),
    list: async <T extends KubeObject>(type: ResourceType<T>, options: ListOptions = {}) => {
      const { request, response } = await execute(
        collection(type, options),
        () => ({ verb: 'list', options }),
        'list',
        options,
      )
      if (response.kind !== 'list') throw new Error(`unexpected ${response.kind} in answer to list`)
      const items = response.items.map((stored) => present(request.kind, stored) as T)
      const { revision, continueToken, remainingItemCount } = response
      return {
        items,
        resourceVersion: String(revision),
        ...(continueToken !== undefined && { continueToken }),
        ...(remainingItemCount !== undefined && { remainingItemCount }),
      }
    },
    watch: <T extends KubeObject>(type: ResourceType<T>, options: WatchOptions = {}) =>
      watchEvents<T>(async () => {
        const { request, response } = await execute(
          collection(type, options),
          () => ({ verb: 'watch', options }),
          'watch',
          options,
        )
        if (response.kind !== 'watch') throw new Error(`unexpected ${response.kind} in answer to watch`)
        return { kind: request.kind, stream: response.stream }
      }, options.signal),
    create: (type, object, options = {}) =>
      create({ type, ref: { namespace: object.metadata.namespace ?? '' }, signal: options.signal }, object, options),
    update: (type, object, options = {}) =>
      executeForObject(
        { type, ref: refOf(object), subresource: options.subresource, signal: options.signal },
        'update',
        () => ({ verb: 'update', body: copy(object), options: bodyOptions(options) }),
      ),
    patch: (type, ref, patch, options = {}) =>
      executeForObject({ type, ref, subresource: options.subresource, signal: options.signal }, 'patch', () => ({
        verb: 'patch',
        patch: copy(patch),
        options: bodyOptions(options),
      })),
    delete: <T extends KubeObject>(type: ResourceType<T>, ref: ObjectRef, options: DeleteOptions = {}) =>
      executeForObject<T | Status>({ type, ref, signal: options.signal }, 'delete', () => ({
        verb: 'delete',
        options,
      })),
    deleteCollection: async (type, options = {}) => {
      const read = (): RequestContent => ({ verb: 'deletecollection', options })
      await execute(collection(type, options), read, 'deletecollection', options)
    },
    createSubresource: (type, ref, subresource, body, options = {}) =>
      create({ type, ref, subresource, signal: options.signal }, body, options),
    review: (type, body, { namespace = '', signal } = {}) => create({ type, ref: { namespace }, signal }, body, {}),
  }
}

/** The target of a call. */
type Place = {
  readonly type: ResourceType
  readonly ref: Partial<ObjectRef>
  readonly subresource?: string | undefined
  readonly signal: AbortSignal | undefined
}

const collection = (type: ResourceType, { namespace = '', signal }: ListOptions): Place => ({
  type,
  ref: { namespace },
  signal,
})

// Across all namespaces, only reads are possible. HTTP has no path for anything else.
function checkNamespace(type: ResourceType, verb: Verb, namespace: string): void {
  if (!type.namespaced || namespace !== '') return
  if (verb === 'create') throw badRequest('an empty namespace may not be set during creation')
  if (verb === 'deletecollection')
    throw new ApiError(
      'MethodNotAllowed',
      `deletecollection is not supported over all namespaces on resources of kind "${qualifiedResource(type)}"`,
    )
}

const refOf = ({ metadata: { namespace = '', name = '' } }: KubeObject): ObjectRef => ({ namespace, name })

// As it would arrive over the network: without undefined members.
const copy = <T>(value: T): T => parseExactJson(formatExactJson(value)) as T

const bodyOptions = ({ dryRun = false, fieldManager, fieldValidation = 'Strict' }: WriteOptions): BodyOptions => ({
  dryRun,
  fieldValidation,
  ...(fieldManager === undefined ? {} : { fieldManager }),
  duplicateFields: [],
})

/** The stored object itself if its version is the requested one. */
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
      // The requested resource type determines T.
      return { type: event.type, object: present(kind, event.stored) as T }
  }
}
