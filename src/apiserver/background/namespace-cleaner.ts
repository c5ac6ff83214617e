import { ignoreRace } from '../../api/api-error.ts'
import type { Api } from '../../api/api.ts'
import type { KubeObject } from '../../api/object.ts'
import type { ResourceType } from '../../api/resource-type.ts'
import type { KindDefinition } from '../core/kind-definition.ts'
import type { KindRegistry } from '../core/kind-registry.ts'
import type { Store } from '../core/store.ts'
import type { BackgroundTasks } from './background-tasks.ts'
import { distinctByStorage } from './namespaced-kinds.ts'

const NAMESPACES_STORAGE = 'namespaces'

type Namespace = KubeObject & {
  readonly spec?: { readonly finalizers?: readonly string[] }
  readonly status?: { readonly phase?: string }
}

/** Deletes the content of terminating namespaces, and finalizes them when they are empty. */
export function startNamespaceCleaner({
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
  const namespaceType = kinds.findByResource('', 'v1', 'namespaces')?.type as ResourceType<Namespace> | undefined
  if (!namespaceType) return

  const clean = async (name: string): Promise<void> => {
    const namespace = store.visible.find(NAMESPACES_STORAGE, name)?.object as Namespace | undefined
    if (!namespace?.metadata.deletionTimestamp) return
    // All are decided in one turn, so they share a commit. Pods keep their grace period: their volumes are still mounted on a node.
    const remove = ({ type, storage }: KindDefinition): Promise<unknown>[] =>
      store.visible
        .list(storage, name)
        .filter(({ object }) => !object.metadata.deletionTimestamp)
        .map(({ object }) => api.delete(type, { namespace: name, name: object.metadata.name ?? '' }).catch(ignoreRace))
    await Promise.all(distinctByStorage(kinds).flatMap(remove))
    // Each removal schedules this again; the last one finds nothing left.
    const isEmpty = distinctByStorage(kinds).every(({ storage }) => store.visible.list(storage, name).length === 0)
    if (!isEmpty || !namespace.spec?.finalizers?.includes('kubernetes')) return
    const finalizers = namespace.spec.finalizers.filter((finalizer) => finalizer !== 'kubernetes')
    await api
      .update(namespaceType, { ...namespace, spec: { ...namespace.spec, finalizers } }, { subresource: 'finalize' })
      .catch(ignoreRace)
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
