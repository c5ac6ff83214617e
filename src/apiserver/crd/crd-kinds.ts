import { ignoreNotFound, ignoreRace } from '../../api/api-error.ts'
import type { Api } from '../../api/api.ts'
import { hasCondition } from '../../api/conditions.ts'
import { isEqualJson } from '../../api/equal-json.ts'
import { CUSTOM_RESOURCE_DEFINITIONS } from '../../api/kinds/custom-resource-definition.ts'
import type { CustomResourceDefinition } from '../../api/kinds/custom-resource-definition.ts'
import type { BackgroundTasks } from '../background/background-tasks.ts'
import type { KindDefinition } from '../core/kind-definition.ts'
import type { KindRegistry } from '../core/kind-registry.ts'
import type { Store } from '../core/store.ts'
import { CLEANUP_FINALIZER } from '../kinds/custom-resource-definition.ts'
import { CRD_STORAGE, isEstablished } from './crd-status.ts'
import { kindsOfCrd } from './kinds-of-crd.ts'

/** Keeps the served kinds in sync with the CRDs, from the moment a CRD is visible. Must be called before anything watches. */
export function serveCrdKinds({ store, kinds }: { store: Store; kinds: KindRegistry }): void {
  const served = new Map<string, KindDefinition[]>()
  const withdraw = (name: string): void => {
    for (const kind of served.get(name) ?? []) kinds.remove(kind)
    served.delete(name)
  }
  const serve = (crd: CustomResourceDefinition): void => {
    const name = crd.metadata.name ?? ''
    withdraw(name)
    if (!isEstablished(crd)) return
    const made = kindsOfCrd(crd)
    for (const kind of made) kinds.add(kind)
    served.set(name, made)
  }
  for (const { object } of store.visible.list(CRD_STORAGE)) serve(object as CustomResourceDefinition)
  store.onChange(({ storage, key, type, before, after }) => {
    if (storage !== CRD_STORAGE) return
    if (type === 'delete') withdraw(key)
    // A change of labels, or the deletion mark, is no reason to replace the kinds: that would end every watch.
    else if (
      !before ||
      !isServedAlike(before.object as CustomResourceDefinition, after.object as CustomResourceDefinition)
    )
      serve(after.object as CustomResourceDefinition)
  })
}

const isServedAlike = (one: CustomResourceDefinition, other: CustomResourceDefinition): boolean =>
  isEstablished(one) === isEstablished(other) &&
  isEqualJson(one.status?.acceptedNames, other.status?.acceptedNames) &&
  isEqualJson(one.spec, other.spec)

/** Removes the objects of a CRD that is being deleted, then removes its finalizer. */
export function startCrdCleaner({
  store,
  kinds,
  api,
  tasks,
}: {
  store: Store
  kinds: KindRegistry
  api: Api
  tasks: BackgroundTasks
}): void {
  const clean = async (name: string): Promise<void> => {
    const crd = store.visible.find(CRD_STORAGE, name)?.object as CustomResourceDefinition | undefined
    if (!crd?.metadata.deletionTimestamp) return
    const storage = `${crd.spec.group}/${crd.spec.names.plural}`
    const kind = kinds.findByStorage(storage)
    await Promise.all(
      store.visible.list(storage).map(async ({ key, object }) => {
        const { namespace = '', name: own = '', deletionTimestamp, finalizers = [] } = object.metadata
        if (deletionTimestamp) return
        if (kind) return void (await api.delete(kind.type, { namespace, name: own }).catch(ignoreNotFound))
        // No version is served, so the objects cannot be deleted with a request. Objects with finalizers stay.
        if (finalizers.length === 0)
          await store.write(storage, key, (current) =>
            current ? { kind: 'delete', object: current.object } : { kind: 'keep' },
          )
      }),
    )
    if (store.visible.list(storage).length > 0) return
    const finalizers = (crd.metadata.finalizers ?? []).filter((finalizer) => finalizer !== CLEANUP_FINALIZER)
    const value = { metadata: { finalizers, resourceVersion: crd.metadata.resourceVersion } }
    // Changed meanwhile: that change schedules this again.
    await api.patch(CUSTOM_RESOURCE_DEFINITIONS, { name }, { type: 'merge', value }).catch(ignoreRace)
  }
  // An empty patch has the names checked again. It writes nothing if the status is right.
  const judge = (name: string): void =>
    tasks.schedule(
      `crd names ${name}`,
      async () =>
        void (await api
          .patch(CUSTOM_RESOURCE_DEFINITIONS, { name }, { type: 'merge', value: {} })
          .catch(ignoreNotFound)),
    )
  // Another definition of the group may have been waiting for names that are free now.
  const judgeWaiting = (group: string): void => {
    for (const { key, object } of store.visible.list(CRD_STORAGE)) {
      const crd = object as CustomResourceDefinition
      if (crd.spec.group === group && !hasItsNames(crd) && !crd.metadata.deletionTimestamp) judge(key)
    }
  }
  const schedule = (name: string): void => tasks.schedule(`crd ${name}`, () => clean(name))
  const scheduleIfLeaving = (name: string): void => {
    if (store.visible.find(CRD_STORAGE, name)?.object.metadata.deletionTimestamp) schedule(name)
  }
  store.onChange(({ storage, key, type, before, after }) => {
    if (storage === CRD_STORAGE) {
      scheduleIfLeaving(key)
      const crd = after.object as CustomResourceDefinition
      if (type === 'delete' || !before || before.object.metadata.generation !== crd.metadata.generation)
        judgeWaiting(crd.spec.group)
      // A client can write any status. The server's own answer replaces it.
      else if (!isEqualJson((before.object as CustomResourceDefinition).status, crd.status)) judge(key)
    } else if (type === 'delete') {
      const slash = storage.indexOf('/')
      if (slash > 0) scheduleIfLeaving(`${storage.slice(slash + 1)}.${storage.slice(0, slash)}`)
    }
  })
  for (const { key } of store.visible.list(CRD_STORAGE)) scheduleIfLeaving(key)
}

const hasItsNames = ({ status }: CustomResourceDefinition): boolean =>
  hasCondition(status?.conditions ?? [], 'NamesAccepted')
