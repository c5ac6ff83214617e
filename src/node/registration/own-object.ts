import { isAlreadyExists, isForbidden, isLasting, isNotFound } from '../../api/api-error.ts'
import type { ApiError } from '../../api/api-error.ts'
import type { Api } from '../../api/api.ts'
import type { KubeObject } from '../../api/object.ts'
import type { ResourceType } from '../../api/resource-type.ts'

/** An object that bears the node's name, as far as it is known: a node may read its own, but not watch it. */
export type OwnObject<T> =
  | { readonly kind: 'unread' }
  | { readonly kind: 'read'; readonly object: T | undefined }
  /** The server does not have the kind, or does not let us see it. */
  | { readonly kind: 'unserved'; readonly cause: Error }

export async function readOwnObject<T extends KubeObject>(
  api: Api,
  type: ResourceType<T>,
  name: string,
): Promise<OwnObject<T>> {
  try {
    return { kind: 'read', object: await api.get(type, { name }) }
  } catch (error) {
    if (isNotServed(error) || isForbidden(error)) return { kind: 'unserved', cause: error }
    if (isNotFound(error)) return { kind: 'read', object: undefined }
    throw error
  }
}

/** A server without the kind says so without naming an object. */
export const isNotServed = (error: unknown): error is Error => isNotFound(error) && error.details?.name === undefined

/** The server has refused, and another try alone does not change that. */
export const isFinalRefusal = (error: unknown): error is ApiError =>
  isLasting(error) && !isAlreadyExists(error) && !isNotFound(error)
