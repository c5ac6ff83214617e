import { ApiError, isInvalid, isNotFound } from '../../api/api-error.ts'
import type { Api, Patch, WriteOptions } from '../../api/api.ts'
import { formatObject, refOf } from '../../api/object-key.ts'
import type { KubeObject } from '../../api/object.ts'
import type { ResourceType } from '../../api/resource-type.ts'

/** A patch that tests the state it was decided on. If the object is gone or was replaced, it fails with Conflict, as for any stale view. */
export async function patchAsSeen<T extends KubeObject>(
  api: Api,
  type: ResourceType<T>,
  object: T,
  patch: Patch | undefined,
  options: WriteOptions & { subresource?: string } = {},
): Promise<void> {
  if (!patch) return
  await asSeen(object, api.patch(type, refOf(object), patch, options))
}

/** The same for whole objects, for kinds that a controller may update but not patch with upstream's RBAC rules. */
export const updateAsSeen = <T extends KubeObject>(api: Api, type: ResourceType<T>, object: T): Promise<void> =>
  asSeen(object, api.update(type, object))

async function asSeen(object: KubeObject, write: Promise<unknown>): Promise<void> {
  try {
    await write
  } catch (error) {
    if (isNotFound(error) || isInvalid(error))
      throw new ApiError('Conflict', `${formatObject(object)} is no longer as it was seen`, { cause: error })
    throw error
  }
}

/** A merge patch for the object; fails with Conflict if the object has changed since it was read. */
export const mergeAsSeen = (
  { metadata: { uid, resourceVersion } }: Pick<KubeObject, 'metadata'>,
  change: { readonly metadata?: object; readonly spec?: object; readonly status?: object },
): Patch => ({ type: 'merge', value: { ...change, metadata: { uid, resourceVersion, ...change.metadata } } })

/** Deletes the object only in the state in which it was read; otherwise fails with Conflict. */
export function deleteAsSeen<T extends KubeObject>(api: Api, type: ResourceType<T>, object: T): Promise<unknown> {
  const { uid = '', resourceVersion = '' } = object.metadata
  return api.delete(type, refOf(object), { preconditions: { uid, resourceVersion } })
}
