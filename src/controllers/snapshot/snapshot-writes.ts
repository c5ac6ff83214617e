import { isAlreadyExists, isNotFound } from '../../api/api-error.ts'
import type { Api, Patch } from '../../api/api.ts'
import { withFinalizers } from '../../api/finalizers.ts'
import { PERSISTENT_VOLUME_CLAIMS } from '../../api/kinds/persistent-volume-claim.ts'
import type { PersistentVolumeClaim } from '../../api/kinds/persistent-volume-claim.ts'
import { refOf } from '../../api/object-key.ts'
import type { KubeObject } from '../../api/object.ts'
import type { ResourceType } from '../../api/resource-type.ts'
import { patchAsSeen, updateAsSeen } from '../../kube/controller/index.ts'
import { SNAPSHOT_SOURCE_CLAIM_FINALIZER } from '../../storage/snapshot-names.ts'

// Writes that the controllers of snapshots and of groups share.

/** A merge patch that is rejected if the object has changed since the decision. */
export const asSeen = (
  { metadata }: KubeObject,
  value: { readonly metadata?: object; readonly spec?: object; readonly status?: object },
): Patch => ({
  type: 'merge',
  value: { ...value, metadata: { ...value.metadata, resourceVersion: metadata.resourceVersion } },
})

/** Updated and not patched: the upstream RBAC rules allow only that. */
export const holdClaim = (api: Api, claim: PersistentVolumeClaim): Promise<void> =>
  updateAsSeen(
    api,
    PERSISTENT_VOLUME_CLAIMS,
    withFinalizers(claim, [...(claim.metadata.finalizers ?? []), SNAPSHOT_SOURCE_CLAIM_FINALIZER]),
  )

/** Creates the object, or reads it if it exists: its name is derived from a UID, so it is ours, or the next check detects that it is not. */
export async function createOrGet<T extends KubeObject>(api: Api, type: ResourceType<T>, object: T): Promise<T> {
  try {
    return await api.create(type, object)
  } catch (error) {
    if (!isAlreadyExists(error)) throw error
    return await api.get(type, refOf(object))
  }
}

/** Deletes exactly this object. */
export async function deleteIfPresent<T extends KubeObject>(api: Api, type: ResourceType<T>, object: T): Promise<void> {
  try {
    await api.delete(type, refOf(object), { preconditions: { uid: object.metadata.uid ?? '' } })
  } catch (error) {
    if (!isNotFound(error)) throw error
  }
}

/** Sets one annotation to `yes`. */
export const annotate = <T extends KubeObject>(
  api: Api,
  type: ResourceType<T>,
  object: T,
  annotation: string,
): Promise<void> =>
  patchAsSeen(api, type, object, {
    type: 'merge',
    value: { metadata: { uid: object.metadata.uid, annotations: { [annotation]: 'yes' } } },
  })
