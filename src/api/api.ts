import type { Urgency } from '../base/adaptive-limit.ts'
import type { KubeObject, ObjectList, ObjectRef, Status } from './object.ts'
import type { ResourceType } from './resource-type.ts'

/**
 * The Kubernetes API as every part of the program sees it: over HTTPS, or joined to the embedded server. Failures are `ApiError`s. Returned objects
 * are frozen; arguments are copied.
 */
export interface Api {
  get<T extends KubeObject>(type: ResourceType<T>, ref: ObjectRef, options?: GetOptions): Promise<T>
  list<T extends KubeObject>(type: ResourceType<T>, options?: ListOptions): Promise<ObjectList<T>>
  /**
   * Changes as they happen. The iteration ends when the server ends the stream, throws the signal's reason when the signal aborts, and throws an
   * `ApiError` on any failure (`isExpired` means: list again).
   */
  watch<T extends KubeObject>(type: ResourceType<T>, options?: WatchOptions): AsyncIterable<WatchEvent<T>>
  create<T extends KubeObject>(type: ResourceType<T>, object: T, options?: WriteOptions): Promise<T>
  /** Replaces the object; fails with Conflict if its resourceVersion is no longer current. */
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
  /** The last state of the object, which still exists if it has finalizers; or a Status, for kinds whose server returns one. */
  delete<T extends KubeObject>(type: ResourceType<T>, ref: ObjectRef, options?: DeleteOptions): Promise<T | Status>
  deleteCollection<T extends KubeObject>(type: ResourceType<T>, options?: DeleteOptions & ListOptions): Promise<void>
  /** POST to a subresource: `token`, `binding`, `eviction`. */
  createSubresource<R extends object>(
    type: ResourceType,
    ref: ObjectRef,
    subresource: string,
    body: object,
    options?: WriteOptions,
  ): Promise<R>
  /** POST of a kind that is answered but not stored: the reviews. The ref has no name. */
  review<R extends object>(
    type: ResourceType,
    body: R,
    options?: { namespace?: string; signal?: AbortSignal },
  ): Promise<R>
}

/** How a request competes with others of the same client when not all can be under way at once. Default: `first`. */
type Competing = { urgency?: Urgency }

export type GetOptions = Competing & { signal?: AbortSignal; resourceVersion?: string; subresource?: string }

export type ListOptions = {
  signal?: AbortSignal
  /** Default: all namespaces. */
  namespace?: string
  labelSelector?: string
  fieldSelector?: string
  resourceVersion?: string
  resourceVersionMatch?: 'Exact' | 'NotOlderThan'
  /** Items per page; the server may return more. */
  limit?: number
  continueToken?: string
}

export type WatchOptions = {
  signal?: AbortSignal
  namespace?: string
  labelSelector?: string
  fieldSelector?: string
  /** Only changes after this version. Default: all existing objects first, as ADDED. */
  resourceVersion?: string
  resourceVersionMatch?: 'NotOlderThan'
  allowBookmarks?: boolean
  /** All existing objects as ADDED, then a bookmark with `initialEventsEnd`. */
  sendInitialEvents?: boolean
  /** The server ends the stream after this time. */
  timeoutSeconds?: number
}

export type WatchEvent<T> =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly object: T }
  | { readonly type: 'BOOKMARK'; readonly resourceVersion: string; readonly initialEventsEnd: boolean }

export type WriteOptions = Competing & {
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
   * Server-side apply: the value has the fields that this `fieldManager` wants, and no others. With `force`, it takes over fields of other managers;
   * otherwise changing them is a Conflict.
   */
  | { readonly type: 'apply'; readonly value: object; readonly force?: boolean }

export type JsonPatchOperation =
  | { readonly op: 'add' | 'replace' | 'test'; readonly path: string; readonly value: unknown }
  | { readonly op: 'remove'; readonly path: string }
  | { readonly op: 'move' | 'copy'; readonly from: string; readonly path: string }

export type DeleteOptions = Competing & {
  signal?: AbortSignal
  gracePeriodSeconds?: number
  /** Conflict if the object was replaced or changed. */
  preconditions?: { uid?: string; resourceVersion?: string }
  propagationPolicy?: 'Orphan' | 'Background' | 'Foreground'
  dryRun?: boolean
}
