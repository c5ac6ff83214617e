import { ignoreRace } from '../../api/api-error.ts'
import type { Api } from '../../api/api.ts'
import type { OwnerReference } from '../../api/object.ts'
import type { Logger } from '../../base/logger.ts'
import { FOREGROUND_FINALIZER, ORPHAN_FINALIZER } from '../core/delete-object.ts'
import type { KindDefinition } from '../core/kind-definition.ts'
import type { KindRegistry } from '../core/kind-registry.ts'
import type { Store } from '../core/store.ts'
import type { Change, StoredObject } from '../core/stored-object.ts'
import { keyOf } from '../core/stored-object.ts'
import { CRD_STORAGE } from '../crd/crd-status.ts'
import type { BackgroundTasks } from './background-tasks.ts'

export type CollectorParts = { store: Store; kinds: KindRegistry; api: Api; tasks: BackgroundTasks; log: Logger }

type Member = { storage: string; key: string }

/** Deletes objects whose owners are gone, and performs foreground and orphan deletion. */
export function startGarbageCollector({ store, kinds, api, tasks, log }: CollectorParts): void {
  const dependents = new Map<string, Map<string, Member>>()
  // Objects with an owner of a kind that is not served: they are checked when it is.
  const unjudged = new Map<string, Member>()

  const index = (stored: StoredObject | undefined, storage: string, present: boolean): void => {
    for (const { uid } of stored?.object.metadata.ownerReferences ?? []) {
      const members = dependents.get(uid) ?? new Map<string, Member>()
      const id = `${storage} ${stored?.key}`
      if (present && stored) dependents.set(uid, members.set(id, { storage, key: stored.key }))
      else if (members.delete(id) && members.size === 0) dependents.delete(uid)
    }
  }
  const concerned = [...storagesOf(kinds)].flatMap((storage) =>
    store.visible
      .list(storage)
      .filter(mayConcern)
      .map((stored) => ({ storage, stored })),
  )
  for (const { storage, stored } of concerned) index(stored, storage, true)

  const membersOf = (uid: string): { storage: string; stored: StoredObject }[] =>
    [...(dependents.get(uid)?.values() ?? [])].flatMap(({ storage, key }) => {
      const stored = store.visible.find(storage, key)
      return stored ? [{ storage, stored }] : []
    })

  const onChange = (change: Change): void => {
    const { storage, before, after, type } = change
    index(before, storage, false)
    if (type === 'put') index(after, storage, true)
    const { metadata } = after.object
    // Checked again below, or gone.
    unjudged.delete(`${storage} ${after.key}`)
    if (type === 'put') scheduleOwn(storage, after)
    // Its dependents may have no owner left.
    else for (const member of membersOf(metadata.uid ?? '')) schedule('dependent', member.storage, member.stored.key)
    // A dependent that is gone, or no longer blocks its owner, may have been the last one that the owner was waiting for.
    const held = new Set(type === 'put' ? blockedBy(after).map(({ uid }) => uid) : [])
    for (const owner of blockedBy(before)) if (!held.has(owner.uid)) scheduleOwner(owner, metadata.namespace)
    if (storage === CRD_STORAGE) {
      for (const member of unjudged.values()) schedule('dependent', member.storage, member.key)
      unjudged.clear()
    }
  }
  const scheduleOwn = (storage: string, { key, object }: StoredObject): void => {
    const { finalizers = [], deletionTimestamp, ownerReferences = [] } = object.metadata
    if (deletionTimestamp && finalizers.includes(ORPHAN_FINALIZER)) schedule('orphan', storage, key)
    if (deletionTimestamp && finalizers.includes(FOREGROUND_FINALIZER)) schedule('foreground', storage, key)
    if (ownerReferences.length > 0) schedule('dependent', storage, key)
  }
  const scheduleOwner = (owner: OwnerReference, namespace: string | undefined): void => {
    const found = findOwner(owner, namespace)
    if (found && isForeground(found.stored)) schedule('foreground', found.storage, found.stored.key)
  }

  const schedule = (what: keyof typeof WORK, storage: string, key: string): void =>
    tasks.schedule(`gc ${what} ${storage} ${key}`, async () => {
      const stored = store.visible.find(storage, key)
      const kind = kinds.findByStorage(storage)
      if (stored && kind) await WORK[what](stored, kind)
    })

  const findOwner = ({ apiVersion, kind, name, uid }: OwnerReference, namespace: string | undefined) => {
    const definition = kinds.findByKind(apiVersion, kind)
    if (!definition) return undefined
    // References have no namespace: an owner in another namespace cannot be meant, and counts as absent.
    const stored = store.visible.find(definition.storage, keyOf(definition.type.namespaced ? namespace : '', name))
    return stored?.object.metadata.uid === uid ? { storage: definition.storage, stored } : undefined
  }
  /** The state of an owner; undefined if it cannot be known. */
  const judgeOwner = (
    owner: OwnerReference,
    namespace: string | undefined,
  ): 'living' | 'waiting' | 'gone' | undefined => {
    const definition = kinds.findByKind(owner.apiVersion, owner.kind)
    // A cluster-scoped object cannot say in which namespace its owner is. It is not deleted, which is the safe choice.
    if (!definition || (definition.type.namespaced && !namespace)) return undefined
    const found = findOwner(owner, namespace)
    if (!found) return 'gone'
    return isForeground(found.stored) ? 'waiting' : 'living'
  }

  const collect = async ({ key, object }: StoredObject, { type, storage }: KindDefinition): Promise<void> => {
    const {
      ownerReferences = [],
      namespace = '',
      name = '',
      uid = '',
      resourceVersion = '',
      deletionTimestamp,
    } = object.metadata
    if (deletionTimestamp || ownerReferences.length === 0) return
    const judged = ownerReferences.map((owner) => ({ owner, state: judgeOwner(owner, namespace) }))
    if (judged.some(({ state }) => state === undefined)) return void unjudged.set(`${storage} ${key}`, { storage, key })
    const living = judged.filter(({ state }) => state === 'living').map(({ owner }) => owner)
    if (living.length === ownerReferences.length) return
    if (living.length > 0) {
      // It stays for its other owners; the deleted owner need not wait for it.
      const value = { metadata: { resourceVersion, ownerReferences: living } }
      return void (await api.patch(type, { namespace, name }, { type: 'merge', value }).catch(ignoreRace))
    }
    const isWaitedFor = judged.some(({ state }) => state === 'waiting')
    // In a circle of owners, each would wait for the next one for ever: this one stops holding its owners.
    const isInCircle = isWaitedFor && membersOf(uid).some(({ stored }) => isForeground(stored))
    if (isInCircle && ownerReferences.some(({ blockOwnerDeletion }) => blockOwnerDeletion)) {
      const released = ownerReferences.map((owner) => ({ ...owner, blockOwnerDeletion: false }))
      const value = { metadata: { resourceVersion, ownerReferences: released } }
      // The change brings the object back here.
      return void (await api.patch(type, { namespace, name }, { type: 'merge', value }).catch(ignoreRace))
    }
    const propagationPolicy = isWaitedFor && dependents.has(uid) ? 'Foreground' : 'Background'
    log.debug('collecting a dependent', { storage, namespace, name })
    // Only in the state that was checked: its owners may change at this moment.
    await api
      .delete(type, { namespace, name }, { preconditions: { uid, resourceVersion }, propagationPolicy })
      .catch(ignoreRace)
  }

  const finishForeground = async (owner: StoredObject, kind: KindDefinition): Promise<void> => {
    const uid = owner.object.metadata.uid ?? ''
    await Promise.all(
      membersOf(uid).map(async ({ storage, stored }) => {
        const memberKind = kinds.findByStorage(storage)
        if (memberKind) await collect(stored, memberKind)
      }),
    )
    const left = membersOf(uid).filter(({ stored }) => blockedBy(stored).some((held) => held.uid === uid))
    if (left.length === 0) await dropFinalizer(kind, owner, FOREGROUND_FINALIZER)
  }

  const orphan = async (owner: StoredObject, kind: KindDefinition): Promise<void> => {
    const uid = owner.object.metadata.uid ?? ''
    const release = async ({ storage, stored }: { storage: string; stored: StoredObject }): Promise<void> => {
      const memberKind = kinds.findByStorage(storage)
      if (!memberKind) return
      const { namespace = '', name = '', ownerReferences = [], resourceVersion } = stored.object.metadata
      const others = ownerReferences.filter((reference) => reference.uid !== uid)
      const value = { metadata: { resourceVersion, ownerReferences: others.length > 0 ? others : null } }
      await api.patch(memberKind.type, { namespace, name }, { type: 'merge', value }).catch(ignoreRace)
    }
    // Until none is left: a dependent that changed meanwhile is retried. Otherwise it would be collected once its owner is gone.
    for (let left = membersOf(uid); left.length > 0; left = membersOf(uid)) {
      if (left.every(({ storage }) => !kinds.findByStorage(storage))) break
      await Promise.all(left.map(release))
    }
    await dropFinalizer(kind, owner, ORPHAN_FINALIZER)
  }

  const dropFinalizer = async (
    { type }: KindDefinition,
    { object }: StoredObject,
    finalizer: string,
  ): Promise<void> => {
    const { namespace = '', name = '', finalizers = [], resourceVersion } = object.metadata
    const value = { metadata: { resourceVersion, finalizers: finalizers.filter((other) => other !== finalizer) } }
    await api.patch(type, { namespace, name }, { type: 'merge', value }).catch(ignoreRace)
  }

  const WORK = { dependent: collect, foreground: finishForeground, orphan }
  store.onChange(onChange)
  // Work from before a restart that was not finished.
  for (const { storage, stored } of concerned) scheduleOwn(storage, stored)
}

// At the start, most objects neither have owners nor are being deleted: their text is sufficient to see that.
const mayConcern = ({ json }: StoredObject): boolean =>
  json.includes('"ownerReferences":') || json.includes('"deletionTimestamp":')

const storagesOf = (kinds: KindRegistry): Set<string> => new Set(kinds.all().map(({ storage }) => storage))

// The owners whose foreground deletion this object blocks.
const blockedBy = (stored: StoredObject | undefined): OwnerReference[] =>
  (stored?.object.metadata.ownerReferences ?? []).filter(({ blockOwnerDeletion }) => blockOwnerDeletion)

const isForeground = ({ object }: StoredObject): boolean =>
  object.metadata.deletionTimestamp !== undefined &&
  (object.metadata.finalizers?.includes(FOREGROUND_FINALIZER) ?? false)
