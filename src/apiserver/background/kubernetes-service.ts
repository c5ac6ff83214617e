import { isAlreadyExists } from '../../api/api-error.ts'
import type { Api } from '../../api/api.ts'
import { isEqualJson } from '../../api/equal-json.ts'
import { applyMergePatch } from '../../api/merge-patch.ts'
import { ENDPOINT_SLICES } from '../../api/kinds/endpoint-slice.ts'
import type { EndpointSlice } from '../../api/kinds/endpoint-slice.ts'
import { ENDPOINTS } from '../../api/kinds/endpoints.ts'
import type { Endpoints } from '../../api/kinds/endpoints.ts'
import { SERVICES } from '../../api/kinds/service.ts'
import type { Service } from '../../api/kinds/service.ts'
import type { KubeObject } from '../../api/object.ts'
import type { ResourceType } from '../../api/resource-type.ts'
import { KUBERNETES_ADDRESS } from '../admission/service-addresses.ts'
import { keyOf, storageOf } from '../core/stored-object.ts'
import type { Store } from '../core/store.ts'
import type { BackgroundTasks } from './background-tasks.ts'

/** Where clients reach the server. */
export type ServerAddress = { readonly ip: string; readonly port: number }

const METADATA = { namespace: 'default', name: 'kubernetes' }
const KEY = keyOf(METADATA.namespace, METADATA.name)
const PORT = 'https'

/**
 * Publishes the Service `kubernetes` with its endpoints, and restores them when they are deleted. Returns the function that sets the address, which
 * is known once the server is listening.
 */
export function startKubernetesService({
  store,
  api,
  tasks,
}: {
  store: Store
  api: Api
  tasks: BackgroundTasks
}): (address: ServerAddress) => Promise<void> {
  let address: ServerAddress | undefined
  const publish = async (): Promise<void> => {
    if (!address) return
    const service = serviceAt(address)
    await ensure(SERVICES, service, { spec: { ports: service.spec?.ports } })
    const endpoints = endpointsAt(address)
    await ensure(ENDPOINTS, endpoints, { subsets: endpoints.subsets })
    const slice = sliceAt(address)
    await ensure(ENDPOINT_SLICES, slice, { endpoints: slice.endpoints, ports: slice.ports })
  }
  // Of an existing object only `content` is restored: what others have added to it stays.
  const ensure = async <T extends KubeObject>(type: ResourceType<T>, wanted: T, content: object): Promise<void> => {
    const found = store.visible.find(storageOf(type), KEY)?.object
    if (found && !isEqualJson(applyMergePatch(found, content), found))
      await api.patch(type, METADATA, { type: 'merge', value: content })
    if (found) return
    await api.create(type, wanted).catch((error: unknown) => {
      if (!isAlreadyExists(error)) throw error
    })
  }
  store.onChange(({ storage, key, type }) => {
    const isOurs = key === KEY && [SERVICES, ENDPOINTS, ENDPOINT_SLICES].some((kind) => storageOf(kind) === storage)
    if (isOurs && type === 'delete') tasks.schedule('service kubernetes', publish)
  })
  return (given) => {
    address = given
    return publish()
  }
}

const serviceAt = ({ port }: ServerAddress): Service => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { ...METADATA, labels: { component: 'apiserver', provider: 'kubernetes' } },
  spec: {
    type: 'ClusterIP',
    clusterIP: KUBERNETES_ADDRESS,
    clusterIPs: [KUBERNETES_ADDRESS],
    ports: [{ name: PORT, port: 443, protocol: 'TCP', targetPort: port }],
  },
})

const endpointsAt = ({ ip, port }: ServerAddress): Endpoints => ({
  apiVersion: 'v1',
  kind: 'Endpoints',
  metadata: { ...METADATA, labels: { 'endpointslice.kubernetes.io/skip-mirror': 'true' } },
  subsets: [{ addresses: [{ ip }], ports: [{ name: PORT, port, protocol: 'TCP' }] }],
})

const sliceAt = ({ ip, port }: ServerAddress): EndpointSlice => ({
  apiVersion: 'discovery.k8s.io/v1',
  kind: 'EndpointSlice',
  metadata: { ...METADATA, labels: { 'kubernetes.io/service-name': METADATA.name } },
  addressType: ip.includes(':') ? 'IPv6' : 'IPv4',
  endpoints: [{ addresses: [ip], conditions: { ready: true } }],
  ports: [{ name: PORT, port, protocol: 'TCP' }],
})
