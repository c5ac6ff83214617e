import type { Api } from '../../api/api.ts'
import { ignoreNotFound } from '../../api/api-error.ts'
import { refOf } from '../../api/object-key.ts'
import type { KubeObject } from '../../api/object.ts'
import { ownerReferenceTo } from '../../api/owner-references.ts'
import type { ResourceType } from '../../api/resource-type.ts'
import { mergeAsSeen, patchAsSeen } from '../../kube/controller/index.ts'

/**
 * Makes the owner the controller of these objects. Asks the server first whether the owner still exists: a cache may show one that is gone, and its
 * objects would be deleted with it. Returns false if it does not. The objects also get the finalizer, if there is one.
 */
export async function adopt<Owner extends KubeObject, T extends KubeObject>(
  api: Api,
  owner: { readonly type: ResourceType<Owner>; readonly object: Owner },
  members: { readonly type: ResourceType<T>; readonly objects: readonly T[]; readonly finalizer?: string },
): Promise<boolean> {
  const fresh = await api.get(owner.type, refOf(owner.object)).catch(ignoreNotFound)
  if (fresh?.metadata.uid !== owner.object.metadata.uid || fresh?.metadata.deletionTimestamp !== undefined) return false
  const reference = ownerReferenceTo(owner.object, { controller: true, blockOwnerDeletion: true })
  for (const object of members.objects) {
    const ownerReferences = [...(object.metadata.ownerReferences ?? []), reference]
    const finalizers = members.finalizer
      ? { finalizers: [...new Set([...(object.metadata.finalizers ?? []), members.finalizer])] }
      : {}
    await patchAsSeen(api, members.type, object, mergeAsSeen(object, { metadata: { ownerReferences, ...finalizers } }))
  }
  return true
}

/** The owner no longer controls these objects. */
export async function release<T extends KubeObject>(
  api: Api,
  owner: KubeObject,
  members: { readonly type: ResourceType<T>; readonly objects: readonly T[] },
): Promise<void> {
  for (const object of members.objects) {
    const others = (object.metadata.ownerReferences ?? []).filter(({ uid }) => uid !== owner.metadata.uid)
    const ownerReferences = others.length > 0 ? others : null
    await patchAsSeen(api, members.type, object, mergeAsSeen(object, { metadata: { ownerReferences } }))
  }
}
