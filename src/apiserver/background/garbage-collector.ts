import { isConflict, isNotFound } from '../../api/api-error.ts'
import type { Api } from '../../api/api.ts'
import type { KubeObject, OwnerReference } from '../../api/object.ts'
import type { Logger } from '../../base/logger.ts'
import { FOREGROUND_FINALIZER, ORPHAN_FINALIZER } from '../core/delete-object.ts'
import type { KindRegistry } from '../core/kind-registry.ts'
import type { Store } from '../core/store.ts'
import type { Change, StoredObject } from '../core/stored-object.ts'
import { keyOf } from '../core/stored-object.ts'
import type { BackgroundTasks } from './background-tasks.ts'

export type CollectorParts = { store: Store; kinds: KindRegistry; api: Api; tasks: BackgroundTasks; log: Logger }

type Member = { storage: string; key: string }

/** Removes what belongs to owners that are gone, and does what foreground and orphan deletion ask for. */
export function startGarbageCollector({ store, kinds, api, tasks, log }: CollectorParts): void {
  const dependents = new Map<string, Map<string, Member>>()

  const index = (stored: StoredObject | undefined, storage: string, present: boolean): void => {
    for (const { uid } of stored?.object.metadata.ownerReferences ?? []) {
      const members = dependents.get(uid) ?? new Map<string, Member>()
      const id = `${storage} ${stored?.key}`
      if (present && stored) dependents.set(uid, members.set(id, { storage, key: stored.key }))
      else if (members.delete(id) && members.size === 0) dependents.delete(uid)
    }
  }
  for (const { storage } of new Set(kinds.all())) for (const stored of store.visible.list(storage)) index(stored, storage, true)

  const membersOf = (uid: string): { storage: string; stored: StoredObject }[] =>
    [...(dependents.get(uid)?.values() ?? [])].flatMap(({ storage, key }) => {
      const stored = store.visible.find(storage, key)
      return stored ? [{ storage, stored }] : []
    })

  const onChange = (change: Change): void => {
    const { storage, before, after, type } = change
    index(before, storage, false)
    if (type === 'put') {
      index(after, storage, true)
      const { finalizers = [], deletionTimestamp, ownerReferences = [] } = after.object.metadata
      if (deletionTimestamp && finalizers.includes(ORPHAN_FINALIZER)) schedule('orphan', storage, after.key)
      if (deletionTimestamp && finalizers.includes(FOREGROUND_FINALIZER)) schedule('foreground', storage, after.key)
      if (ownerReferences.length > 0) schedule('dependent', storage, after.key)
    } else {
      for (const member of membersOf(after.object.metadata.uid ?? '')) schedule('dependent', member.storage, member.stored.key)
      // A dependent that is gone may have been the last one that its owner waited for.
      for (const owner of after.object.metadata.ownerReferences ?? []) scheduleOwner(owner, after.object.metadata.namespace)
    }
  }
  const scheduleOwner = (owner: OwnerReference, namespace: string | undefined): void => {
    const found = findOwner(owner, namespace)
    if (found?.stored.object.metadata.finalizers?.includes(FOREGROUND_FINALIZER)) schedule('foreground', found.storage, found.stored.key)
  }

  const schedule = (what: keyof typeof WORK, storage: string, key: string): void =>
    tasks.schedule(`gc ${what} ${storage} ${key}`, async () => {
      const stored = store.visible.find(storage, key)
      const kind = kinds.findByStorage(storage)
      if (stored && kind) await WORK[what](stored, storage)
    })

  const findOwner = ({ apiVersion, kind, name, uid }: OwnerReference, namespace: string | undefined) => {
    const definition = kinds.findByKind(apiVersion, kind)
    if (!definition) return undefined
    // A namespaced owner of something without a namespace counts as absent.
    if (definition.type.namespaced && !namespace) return undefined
    const stored = store.visible.find(definition.storage, keyOf(definition.type.namespaced ? namespace : '', name))
    return stored?.object.metadata.uid === uid ? { storage: definition.storage, stored } : undefined
  }
  const isKnownKind = ({ apiVersion, kind }: OwnerReference): boolean => kinds.findByKind(apiVersion, kind) !== undefined

  const collect = async ({ object }: StoredObject, storage: string): Promise<void> => {
    const { ownerReferences = [], namespace, deletionTimestamp } = object.metadata
    if (deletionTimestamp || ownerReferences.length === 0) return
    // An owner of a kind that is not served can't be judged: leave its dependents alone.
    if (ownerReferences.some((owner) => !isKnownKind(owner))) return
    const living = ownerReferences.map((owner) => findOwner(owner, namespace)).filter((owner) => owner !== undefined)
    const waitingOwners = living.filter(({ stored }) => isForeground(stored))
    if (living.length > waitingOwners.length) return
    const propagationPolicy = waitingOwners.length > 0 ? 'Foreground' : 'Background'
    log.debug('collecting a dependent', { storage, namespace, name: object.metadata.name })
    await remove(storage, object, propagationPolicy)
  }
  const remove = async (storage: string, { metadata: { namespace = '', name = '', uid = '' } }: KubeObject, propagationPolicy: 'Foreground' | 'Background'): Promise<void> => {
    const kind = kinds.findByStorage(storage)
    if (!kind) return
    await ignoreGone(api.delete(kind.type, { namespace, name }, { preconditions: { uid }, propagationPolicy }))
  }

  const finishForeground = async ({ object }: StoredObject, storage: string): Promise<void> => {
    const blocking = membersOf(object.metadata.uid ?? '')
    for (const { storage: memberStorage, stored } of blocking) await collect(stored, memberStorage)
    const left = membersOf(object.metadata.uid ?? '').filter(({ stored }) =>
      stored.object.metadata.ownerReferences?.some(({ uid, blockOwnerDeletion }) => uid === object.metadata.uid && blockOwnerDeletion),
    )
    if (left.length === 0) await dropFinalizer(storage, object, FOREGROUND_FINALIZER)
  }

  const orphan = async ({ object }: StoredObject, storage: string): Promise<void> => {
    const uid = object.metadata.uid ?? ''
    for (const { storage: memberStorage, stored } of membersOf(uid)) {
      const kind = kinds.findByStorage(memberStorage)
      if (!kind) continue
      const { namespace = '', name = '', ownerReferences = [], resourceVersion } = stored.object.metadata
      const value = { metadata: { resourceVersion, ownerReferences: ownerReferences.filter((owner) => owner.uid !== uid) } }
      await ignoreGone(api.patch(kind.type, { namespace, name }, { type: 'merge', value }))
    }
    await dropFinalizer(storage, object, ORPHAN_FINALIZER)
  }

  const dropFinalizer = async (storage: string, { metadata }: KubeObject, finalizer: string): Promise<void> => {
    const kind = kinds.findByStorage(storage)
    const { namespace = '', name = '', finalizers = [], resourceVersion } = metadata
    if (!kind || !finalizers.includes(finalizer)) return
    const value = { metadata: { resourceVersion, finalizers: finalizers.filter((other) => other !== finalizer) } }
    await ignoreGone(api.patch(kind.type, { namespace, name }, { type: 'merge', value }))
  }

  const WORK = { dependent: collect, foreground: finishForeground, orphan }
  store.onChange(onChange)
  // What happened before a restart and was not finished.
  for (const members of dependents.values()) for (const { storage, key } of members.values()) schedule('dependent', storage, key)
  for (const kind of kinds.all()) {
    for (const { key, object } of store.visible.list(kind.storage)) {
      const finalizers = object.metadata.deletionTimestamp ? (object.metadata.finalizers ?? []) : []
      if (finalizers.includes(ORPHAN_FINALIZER)) schedule('orphan', kind.storage, key)
      if (finalizers.includes(FOREGROUND_FINALIZER)) schedule('foreground', kind.storage, key)
    }
  }
}

const isForeground = ({ object }: StoredObject): boolean =>
  object.metadata.deletionTimestamp !== undefined && (object.metadata.finalizers?.includes(FOREGROUND_FINALIZER) ?? false)

// Gone or changed meanwhile: the change itself brings us back.
async function ignoreGone(work: Promise<unknown>): Promise<void> {
  try {
    await work
  } catch (error) {
    if (!isNotFound(error) && !isConflict(error)) throw error
  }
}
