import { ApiError } from '../../api/api-error.ts'
import { qualifiedResource } from '../../api/resource-type.ts'
import { nextTurn } from '../../base/next-turn.ts'
import { applyObject } from './apply-object.ts'
import { createObject } from './create-object.ts'
import { deleteObject, deletionStatus } from './delete-object.ts'
import { patchObject } from './patch-object.ts'
import { checkNotAhead, getObject, listObjects } from './read-objects.ts'
import type { RequestOf, ResourceRequest, ResourceResponse } from './resource-request.ts'
import type { ServerParts } from './server-parts.ts'
import type { StoredObject } from './stored-object.ts'
import { updateObject } from './update-object.ts'
import { watchObjects } from './watch-objects.ts'
import type { WriteRequest } from './write-request.ts'

/** Serves one verb of a subresource, or of a kind that is answered and not stored. */
export type Handle<Verb extends ResourceRequest['verb']> = (
  request: RequestOf<Verb>,
  parts: ServerParts,
) => Promise<ResourceResponse>

/** One function for each verb that the kind offers there. */
export type SpecialHandler = {
  readonly get?: Handle<'get'>
  readonly create?: Handle<'create'>
  readonly update?: Handle<'update'>
  readonly patch?: Handle<'patch'>
}

export type PerformParts = ServerParts & {
  /** By `storage/subresource`, by `*` and a subresource for all kinds that have it, or by `storage` for kinds that are not stored. */
  readonly handlers: ReadonlyMap<string, SpecialHandler>
  /** Throws Forbidden unless a user who updates a missing object may also create it. */
  authorizeCreation(request: RequestOf<'update' | 'patch'>): void
}

/** Performs an authorized request whose kind offers its verb. */
export function performRequest(parts: PerformParts, request: ResourceRequest): Promise<ResourceResponse> {
  const { kind, subresource } = request
  const handler =
    subresource === ''
      ? parts.handlers.get(kind.storage)
      : (parts.handlers.get(`${kind.storage}/${subresource}`) ?? parts.handlers.get(`*/${subresource}`))
  // Without a handler: the object itself and its status. Every other subresource needs one.
  const isPlain = !handler && (subresource === '' || subresource === 'status')
  const response = isPlain ? performOnObject(parts, request) : handler && handle(handler, request, parts)
  if (response) return response
  throw new ApiError('NotFound', `${qualifiedResource(kind.type)}/${subresource} is not served by this version`, {
    details: {},
  })
}

function handle(
  handler: SpecialHandler,
  request: ResourceRequest,
  parts: ServerParts,
): Promise<ResourceResponse> | undefined {
  switch (request.verb) {
    case 'get':
      return handler.get?.(request, parts)
    case 'create':
      return handler.create?.(request, parts)
    case 'update':
      return handler.update?.(request, parts)
    case 'patch':
      return handler.patch?.(request, parts)
    case 'list':
    case 'watch':
    case 'delete':
    case 'deletecollection':
      return undefined
  }
}

async function performOnObject(parts: PerformParts, request: ResourceRequest): Promise<ResourceResponse> {
  const { kind, namespace, name } = request
  switch (request.verb) {
    case 'get':
      checkNotAhead(parts, request.resourceVersion ?? '')
      return { kind: 'object', code: 200, stored: getObject(parts, kind, namespace, name), warnings: [] }
    case 'list':
      return { kind: 'list', ...(await listObjects(parts, kind, { ...request.options, namespace })), warnings: [] }
    case 'watch':
      return { kind: 'watch', stream: await watchObjects(parts, kind, { ...request.options, namespace }), warnings: [] }
    case 'create': {
      const write = writeRequest(request, request.options)
      return {
        kind: 'object',
        code: 201,
        stored: await createObject(parts, write, request.body),
        warnings: write.warnings,
      }
    }
    case 'update': {
      const write = writeRequest(request, request.options)
      const { stored, created } = await updateObject(parts, write, request.body, () => parts.authorizeCreation(request))
      return { kind: 'object', code: created ? 201 : 200, stored, warnings: write.warnings }
    }
    case 'patch': {
      const write = writeRequest(request, request.options)
      const { patch } = request
      const { stored, created } =
        patch.type === 'apply'
          ? await applyObject(parts, write, patch, () => parts.authorizeCreation(request))
          : { stored: await patchObject(parts, write, patch), created: false }
      return { kind: 'object', code: created ? 201 : 200, stored, warnings: write.warnings }
    }
    case 'delete': {
      const write = writeRequest(request, request.options)
      const { stored, gone } = await deleteObject(parts, write, request.options)
      // An object that still exists is always returned, so that the caller sees what holds it.
      if (kind.deleteAnswer === 'object' || !gone)
        return { kind: 'object', code: 200, stored, warnings: write.warnings }
      return { kind: 'value', code: 200, value: deletionStatus(kind, stored), warnings: write.warnings }
    }
    case 'deletecollection': {
      const write = writeRequest(request, request.options)
      const { limit: _all, ...options } = request.options
      const { items, revision } = await listObjects(parts, kind, { ...options, namespace })
      await deleteAll(parts, write, items, request.options)
      return { kind: 'list', items, revision, warnings: write.warnings }
    }
  }
}

// Deletions that are decided in one turn share a commit; other requests are served before the next turn.
const DELETIONS_EACH_TURN = 200

async function deleteAll(
  parts: PerformParts,
  write: WriteRequest,
  items: readonly StoredObject[],
  options: object,
): Promise<void> {
  const turns: Promise<PromiseSettledResult<void>[]>[] = []
  for (let start = 0; start < items.length; start += DELETIONS_EACH_TURN) {
    if (start > 0) await nextTurn()
    turns.push(
      Promise.allSettled(
        items
          .slice(start, start + DELETIONS_EACH_TURN)
          .map(({ object }) => deleteListed(parts, write, object.metadata, options)),
      ),
    )
  }
  for (const deletion of (await Promise.all(turns)).flat()) if (deletion.status === 'rejected') throw deletion.reason
}

async function deleteListed(
  parts: PerformParts,
  write: WriteRequest,
  { namespace = '', name = '' }: { namespace?: string; name?: string },
  options: object,
): Promise<void> {
  try {
    await deleteObject(parts, { ...write, namespace, name }, options)
  } catch (error) {
    // Already deleted is the requested result.
    if (!(error instanceof ApiError) || error.reason !== 'NotFound') throw error
  }
}

type AnyOptions = {
  dryRun?: boolean
  fieldValidation?: WriteRequest['fieldValidation']
  fieldManager?: string
  duplicateFields?: readonly string[]
}

/** The part of a request that the write path needs. */
export function writeRequest(
  { kind, user, namespace, name, subresource, source }: ResourceRequest,
  options: AnyOptions,
): WriteRequest {
  return {
    kind,
    user,
    namespace,
    name,
    subresource,
    dryRun: options.dryRun ?? false,
    fieldValidation: options.fieldValidation ?? 'Ignore',
    warnings: [],
    duplicateFields: options.duplicateFields ?? [],
    fieldManager: options.fieldManager,
    userAgent: source.userAgent,
  }
}

/** An object in a response. */
export const objectResponse = (stored: StoredObject, code: 200 | 201 = 200): ResourceResponse => ({
  kind: 'object',
  code,
  stored,
  warnings: [],
})
