import { isAlreadyExists, isForbidden, isNotFound } from '../../api/api-error.ts'
import type { Api } from '../../api/api.ts'
import { CONFIG_MAPS } from '../../api/kinds/config-map.ts'
import { SERVICE_ACCOUNTS } from '../../api/kinds/service-account.ts'
import type { Store } from '../core/store.ts'
import type { BackgroundTasks } from './background-tasks.ts'

const ROOT_CA = 'kube-root-ca.crt'

/** Creates the default service account of every namespace, and the CA bundle that its pods need to trust the server. */
export function startNamespaceContent({
  store,
  api,
  tasks,
  rootCaPem,
}: {
  store: Store
  api: Api
  tasks: BackgroundTasks
  rootCaPem: string
}): void {
  const fill = async (namespace: string): Promise<void> => {
    const found = store.visible.find('namespaces', namespace)
    if (!found || found.object.metadata.deletionTimestamp) return
    if (!store.visible.find('serviceaccounts', `${namespace}/default`)) {
      await api
        .create(SERVICE_ACCOUNTS, {
          apiVersion: 'v1',
          kind: 'ServiceAccount',
          metadata: { namespace, name: 'default' },
        })
        .catch(ignoreLate)
    }
    const map = store.visible.find('configmaps', `${namespace}/${ROOT_CA}`)?.object as
      | { data?: Record<string, string> }
      | undefined
    const data = { 'ca.crt': rootCaPem }
    if (!map)
      await api
        .create(CONFIG_MAPS, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace, name: ROOT_CA }, data })
        .catch(ignoreLate)
    else if (map.data?.['ca.crt'] !== rootCaPem)
      await api.patch(CONFIG_MAPS, { namespace, name: ROOT_CA }, { type: 'merge', value: { data } }).catch(ignoreLate)
  }
  const schedule = (namespace: string): void =>
    tasks.schedule(`content of namespace ${namespace}`, () => fill(namespace))
  store.onChange(({ storage, key, type }) => {
    if (storage === 'namespaces' && type === 'put') schedule(key)
    const name = key.slice(key.indexOf('/') + 1)
    const isOurs =
      (storage === 'serviceaccounts' && name === 'default') || (storage === 'configmaps' && name === ROOT_CA)
    if (isOurs) schedule(key.slice(0, key.indexOf('/')))
  })
  for (const { key } of store.visible.list('namespaces')) schedule(key)
}

// The namespace is terminating, or another client was faster.
function ignoreLate(error: unknown): void {
  if (!isAlreadyExists(error) && !isForbidden(error) && !isNotFound(error)) throw error
}
