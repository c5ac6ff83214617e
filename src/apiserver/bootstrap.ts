import { isAlreadyExists } from '../api/api-error.ts'
import type { Api } from '../api/api.ts'
import { CONFIG_MAPS } from '../api/kinds/config-map.ts'
import { CUSTOM_RESOURCE_DEFINITIONS } from '../api/kinds/custom-resource-definition.ts'
import { NAMESPACES } from '../api/kinds/namespace.ts'
import { CLUSTER_ROLE_BINDINGS, CLUSTER_ROLES } from '../api/kinds/rbac.ts'
import type { KubeObject } from '../api/object.ts'
import type { ResourceType } from '../api/resource-type.ts'
import { formatTimestamp } from '../api/timestamps.ts'
import { ALPHA_CSI_DRIVER_CRD, ALPHA_CSI_NODE_INFO_CRD } from '../compat/alpha-crds.ts'
import { BOOTSTRAP_CLUSTER_ROLE_BINDINGS, BOOTSTRAP_CLUSTER_ROLES } from './authorization/bootstrap-roles.ts'
import { SNAPSHOT_CRDS } from './crd/snapshot-crds.ts'

const SYSTEM_NAMESPACES = ['default', 'kube-system', 'kube-public', 'kube-node-lease']

/** Creates the initial objects of every cluster. Existing objects are not changed. */
export async function createBootstrapObjects(
  api: Api,
  { clientCaPem, nowMs }: { clientCaPem: string; nowMs: number },
): Promise<void> {
  const namespaces = SYSTEM_NAMESPACES.map((name) => ({
    apiVersion: 'v1' as const,
    kind: 'Namespace' as const,
    metadata: { name },
  }))
  await Promise.all([
    ...namespaces.map((namespace) => createIfMissing(api, NAMESPACES, namespace)),
    ...[...SNAPSHOT_CRDS, ALPHA_CSI_DRIVER_CRD, ALPHA_CSI_NODE_INFO_CRD].map((crd) =>
      createIfMissing(api, CUSTOM_RESOURCE_DEFINITIONS, crd),
    ),
    ...BOOTSTRAP_CLUSTER_ROLES.map((role) => createIfMissing(api, CLUSTER_ROLES, role)),
    ...BOOTSTRAP_CLUSTER_ROLE_BINDINGS.map((binding) => createIfMissing(api, CLUSTER_ROLE_BINDINGS, binding)),
  ])
  await Promise.all(
    Object.entries(configMapsFor(clientCaPem, nowMs)).map(([name, data]) =>
      createIfMissing(api, CONFIG_MAPS, {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { namespace: 'kube-system', name },
        data,
      }),
    ),
  )
}

// What programs of a control plane read: how to authenticate clients of their own ports, and since when tokens are tracked.
const configMapsFor = (clientCaPem: string, nowMs: number): Readonly<Record<string, Record<string, string>>> => ({
  'extension-apiserver-authentication': { 'client-ca-file': clientCaPem },
  'kube-apiserver-legacy-service-account-token-tracking': { since: formatTimestamp(nowMs).slice(0, 10) },
})

async function createIfMissing<T extends KubeObject>(api: Api, type: ResourceType<T>, object: T): Promise<void> {
  try {
    await api.create(type, object)
  } catch (error) {
    if (!isAlreadyExists(error)) throw error
  }
}
