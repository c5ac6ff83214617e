import { ignoreRace } from '../../api/api-error.ts'
import type { Api } from '../../api/api.ts'
import { isEqualJson } from '../../api/equal-json.ts'
import type { NamespaceCondition } from '../../api/kinds/generated/core-v1.ts'
import { PODS } from '../../api/kinds/pod.ts'
import type { KubeObject } from '../../api/object.ts'
import type { ResourceType } from '../../api/resource-type.ts'
import type { Clock } from '../../base/clock.ts'
import type { KindDefinition } from '../core/kind-definition.ts'
import type { KindRegistry } from '../core/kind-registry.ts'
import type { Store } from '../core/store.ts'
import { storageOf } from '../core/stored-object.ts'
import type { BackgroundTasks } from './background-tasks.ts'
import { namespaceConditions } from './namespace-conditions.ts'
import { distinctByStorage } from './namespaced-kinds.ts'

const NAMESPACES_STORAGE = 'namespaces'

type Namespace = KubeObject & {
  readonly spec?: { readonly finalizers?: readonly string[] }
  readonly status?: { readonly phase?: string; readonly conditions?: readonly NamespaceCondition[] }
}

const CONDITIONS_MS = 500
const isPods = ({ storage }: KindDefinition): boolean => storage === storageOf(PODS)

/** Deletes the content of terminating namespaces, and finalizes them when they are empty. */
export function startNamespaceCleaner({
  store,
  kinds,
  api,
  tasks,
  clock,
}: {
  store: Store
  kinds: KindRegistry
  api: Api
  tasks: BackgroundTasks
  clock: Clock
}): void {
  const namespaceType = kinds.findByResource('', 'v1', 'namespaces')?.type as ResourceType<Namespace> | undefined
  if (!namespaceType) return

  const clean = async (name: string): Promise<void> => {
    const namespace = store.visible.find(NAMESPACES_STORAGE, name)?.object as Namespace | undefined
    if (!namespace?.metadata.deletionTimestamp) return
    // All of a group are decided in one turn, so they share a commit. Pods keep their grace period: their volumes are still mounted on a node.
    const remove = ({ type, storage }: KindDefinition): Promise<unknown>[] =>
      store.visible
        .list(storage, name)
        .filter(({ object }) => !object.metadata.deletionTimestamp)
        .map(({ object }) => api.delete(type, { namespace: name, name: object.metadata.name ?? '' }).catch(ignoreRace))
    const isEmpty = (of: readonly KindDefinition[]): boolean =>
      of.every(({ storage }) => store.visible.list(storage, name).length === 0)
    const all = distinctByStorage(kinds)
    // Pods go first: what else is in the namespace, such as a network policy, protects them until then.
    for (const group of [all.filter(isPods), all]) {
      await Promise.all(group.flatMap(remove))
      // Each removal schedules this again; the last one finds nothing left.
      if (!isEmpty(group)) return tasks.after(`conditions of namespace ${name}`, CONDITIONS_MS, () => report(name))
    }
    if (!namespace.spec?.finalizers?.includes('kubernetes')) return
    const finalizers = namespace.spec.finalizers.filter((finalizer) => finalizer !== 'kubernetes')
    await api
      .update(namespaceType, { ...namespace, spec: { ...namespace.spec, finalizers } }, { subresource: 'finalize' })
      .catch(ignoreRace)
  }
  // Not at once: most namespaces are empty before anyone could read why they are not.
  const report = async (name: string): Promise<void> => {
    const namespace = store.visible.find(NAMESPACES_STORAGE, name)?.object as Namespace | undefined
    if (!namespace?.metadata.deletionTimestamp) return
    const remaining = distinctByStorage(kinds).map(({ type: { group, plural }, storage }) => ({
      group,
      plural,
      objects: store.visible.list(storage, name).map(({ object }) => object),
    }))
    const conditions = namespaceConditions(remaining, namespace.status?.conditions ?? [], clock.nowMs())
    if (isEqualJson(conditions, namespace.status?.conditions)) return
    const value = { metadata: { resourceVersion: namespace.metadata.resourceVersion }, status: { conditions } }
    await api.patch(namespaceType, { name }, { type: 'merge', value }, { subresource: 'status' }).catch(ignoreRace)
  }
  const schedule = (name: string): void => tasks.schedule(`namespace ${name}`, () => clean(name))

  store.onChange(({ storage, key, type, after }) => {
    if (storage === NAMESPACES_STORAGE && type === 'put' && after.object.metadata.deletionTimestamp) schedule(key)
    const namespace = after.object.metadata.namespace
    if (
      type === 'delete' &&
      namespace &&
      store.visible.find(NAMESPACES_STORAGE, namespace)?.object.metadata.deletionTimestamp
    )
      schedule(namespace)
  })
  for (const { key, object } of store.visible.list(NAMESPACES_STORAGE))
    if (object.metadata.deletionTimestamp) schedule(key)
}
