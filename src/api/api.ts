import type { KubeObject, ObjectList, ObjectRef, Status } from './object.ts'
import type { ResourceType } from './resource-type.ts'

/**
 * The Kubernetes API as every part of the program sees it: over HTTPS, or joined to the embedded server. Failures are
 * `ApiError`s. Objects that come out are frozen; what goes in is copied.
 */
export interface Api {
  get<T extends KubeObject>(type: ResourceType<T>, ref: ObjectRef, options?: GetOptions): Promise<T>
  list<T extends KubeObject>(type: ResourceType<T>, options?: ListOptions): Promise<ObjectList<T>>
  /**
   * Changes as they happen, until the server ends the stream (then the iteration ends), the signal aborts (then it throws
   * the signal's reason) or something is wrong (then it throws; `isExpired` means: list again).
   */
  watch<T extends KubeObject>(type: ResourceType<T>, options?: WatchOptions): AsyncIterable<WatchEvent<T>>
  create<T extends KubeObject>(type: ResourceType<T>, object: T, options?: WriteOptions): Promise<T>
  /** Replaces the object; refused with Conflict when its resourceVersion is no longer the current one. */
  update<T extends KubeObject>(
    type: ResourceType<T>,
    object: T,
    options?: WriteOptions & { subresource?: string },
  ): Promise<T>
  patch<T extends KubeObject>(
    type: ResourceType<T>,
    ref: ObjectRef,
    patch: Patch,
    options?: WriteOptions & { subresource?: string },
  ): Promise<T>
  /** The object as it was last seen, still there if it has finalizers; or a Status, for kinds whose server answers so. */
  delete<T extends KubeObject>(type: ResourceType<T>, ref: ObjectRef, options?: DeleteOptions): Promise<T | Status>
  deleteCollection<T extends KubeObject>(type: ResourceType<T>, options?: DeleteOptions & ListOptions): Promise<void>
  /** POST to a sub-resource: `token`, `binding`, `eviction`. */
  createSubresource<R extends object>(
    type: ResourceType,
    ref: ObjectRef,
    subresource: string,
    body: object,
    options?: WriteOptions,
  ): Promise<R>
  /** POST of a kind that is answered and not stored: the reviews. The ref has no name. */
  review<R extends object>(
    type: ResourceType,
    body: R,
    options?: { namespace?: string; signal?: AbortSignal },
  ): Promise<R>
}

export type GetOptions = { signal?: AbortSignal; resourceVersion?: string; subresource?: string }

export type ListOptions = {
  signal?: AbortSignal
  /** Left out: all namespaces. */
  namespace?: string
  labelSelector?: string
  fieldSelector?: string
  resourceVersion?: string
  resourceVersionMatch?: 'Exact' | 'NotOlderThan'
  /** Items a page; the server may give more. */
  limit?: number
  continueToken?: string
}

export type WatchOptions = {
  signal?: AbortSignal
  namespace?: string
  labelSelector?: string
  fieldSelector?: string
  /** Changes after this; left out: everything there is first, as ADDED. */
  resourceVersion?: string
  resourceVersionMatch?: 'NotOlderThan'
  allowBookmarks?: boolean
  /** Everything there is as ADDED, then a bookmark with `initialEventsEnd`. */
  sendInitialEvents?: boolean
  /** After which the server ends the stream. */
  timeoutSeconds?: number
}

export type WatchEvent<T> =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly object: T }
  | { readonly type: 'BOOKMARK'; readonly resourceVersion: string; readonly initialEventsEnd: boolean }

export type WriteOptions = {
  signal?: AbortSignal
  dryRun?: boolean
  fieldManager?: string
  fieldValidation?: 'Ignore' | 'Warn' | 'Strict'
}

export type Patch =
  | { readonly type: 'json'; readonly operations: readonly JsonPatchOperation[] }
  | { readonly type: 'merge'; readonly value: object }
  | { readonly type: 'strategic'; readonly value: object }
  /**
   * Server-side apply: the value has the fields that this `fieldManager` wants, and no others. With `force`, fields that belong to
   * other managers are taken over; otherwise changing them is a Conflict.
   */
  | { readonly type: 'apply'; readonly value: object; readonly force?: boolean }

export type JsonPatchOperation =
  | { readonly op: 'add' | 'replace' | 'test'; readonly path: string; readonly value: unknown }
  | { readonly op: 'remove'; readonly path: string }
  | { readonly op: 'move' | 'copy'; readonly from: string; readonly path: string }

export type DeleteOptions = {
  signal?: AbortSignal
  gracePeriodSeconds?: number
  /** Conflict when the object is another one by now, or was changed. */
  preconditions?: { uid?: string; resourceVersion?: string }
  propagationPolicy?: 'Orphan' | 'Background' | 'Foreground'
  dryRun?: boolean
}
