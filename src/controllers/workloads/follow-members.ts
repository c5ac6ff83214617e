import { keyOf, keyOfRef, refOf } from '../../api/object-key.ts'
import type { KubeObject } from '../../api/object.ts'
import { findControllerReference } from '../../api/owner-references.ts'
import { parseApiVersion } from '../../api/resource-type.ts'
import type { ResourceType } from '../../api/resource-type.ts'
import type { CacheChange } from '../../kube/cache/object-cache.ts'
import { on } from '../../kube/controller/index.ts'
import type { ControllerRole, FollowedKind, Watch } from '../../kube/controller/index.ts'
import { createCreatedObjects } from './created-objects.ts'

/** The objects of a kind that an owner of another kind controls: pods of a set, ReplicaSets of a Deployment. */
export interface FollowedMembers<Owner, T> {
  readonly kind: FollowedKind<T & KubeObject>
  /** Objects that the owner controls, and those of its namespace that nobody controls; including our own writes. */
  candidatesOf(owner: Owner): readonly T[]
  /** Objects that nobody controls are left out. */
  membersOf(owner: Owner): readonly T[]
  create(owner: Owner, object: T): Promise<T>
  /** Deletes exactly this object. From then on, it is left out unless it still exists, as one that is being deleted. */
  delete(object: T): Promise<void>
  /** Keys of the owners that a change concerns. */
  readonly watch: Watch
}

export type MemberOptions<Owner, T> = {
  readonly owners: FollowedKind<Owner & KubeObject>
  readonly ownerType: ResourceType
  /** Whether the owner selects an object that nobody controls. */
  isSelected(owner: Owner, object: T): boolean
}

export function followMembers<Owner extends KubeObject, T extends KubeObject>(
  { api, clock, follow, onStop }: Pick<ControllerRole, 'api' | 'clock' | 'follow' | 'onStop'>,
  type: ResourceType<T>,
  { owners, ownerType, isSelected }: MemberOptions<Owner, T>,
): FollowedMembers<Owner, T> {
  const kind = follow(type)
  const byController = kind.indexBy(controllerOf)
  const ownersIn = owners.indexBy(namespaceOf)
  const created = createCreatedObjects(kind, clock)
  onStop(created.stop)

  const isPresent = ({ metadata: { uid = '' } }: T): boolean => !created.isDeleted(uid)
  const inCache = (controller: string): T[] => byController(controller).filter(isPresent)
  const membersOf = ({ metadata: { uid = '' } }: Owner): T[] => [...inCache(uid), ...created.of(uid)]
  const candidatesOf = (owner: Owner): T[] => [...membersOf(owner), ...inCache(orphansIn(owner.metadata.namespace))]
  const keysOf = (object: T): string[] => {
    const { namespace = '' } = object.metadata
    const controller = findControllerReference(object)
    if (!controller) {
      const selecting = ownersIn(namespace).filter((owner) => isSelected(owner, object))
      return selecting.map(keyOf)
    }
    const isOurs =
      controller.kind === ownerType.kind && parseApiVersion(controller.apiVersion ?? '').group === ownerType.group
    return isOurs ? [keyOfRef({ namespace, name: controller.name ?? '' })] : []
  }
  const ownersOf = ({ before, after }: CacheChange<T>): Set<string> =>
    new Set([...(before ? keysOf(before) : []), ...(after ? keysOf(after) : [])])
  const watch: Watch = (enqueue) => {
    const unwatch = [on(kind, ownersOf)(enqueue), on(created.lost, (key) => key)(enqueue)]
    return () => unwatch.forEach((stop) => stop())
  }
  const create = (owner: Owner, object: T): Promise<T> => created.create(owner, () => api.create(type, object))
  const remove = async (object: T): Promise<void> => {
    const { uid = '' } = object.metadata
    const answer = await api.delete(type, refOf(object), { preconditions: { uid } })
    // An object that still exists is returned with the time of its deletion.
    if (!('metadata' in answer) || !('deletionTimestamp' in answer.metadata)) created.markDeleted(uid)
  }
  return { kind, candidatesOf, membersOf, create, delete: remove, watch }
}

// One index for all controllers that follow the kind.
function controllerOf(object: KubeObject): string[] {
  return [findControllerReference(object)?.uid ?? orphansIn(object.metadata.namespace)]
}

const orphansIn = (namespace = ''): string => `orphans in ${namespace}`

const namespaceOf = ({ metadata: { namespace = '' } }: KubeObject): string[] => [namespace]
