import { isAlreadyExists } from '../api/api-error.ts'
import type { Api } from '../api/api.ts'
import { CUSTOM_RESOURCE_DEFINITIONS } from '../api/kinds/custom-resource-definition.ts'
import { NAMESPACES } from '../api/kinds/namespace.ts'
import { CLUSTER_ROLE_BINDINGS, CLUSTER_ROLES } from '../api/kinds/rbac.ts'
import type { KubeObject } from '../api/object.ts'
import type { ResourceType } from '../api/resource-type.ts'
import { ALPHA_CSI_DRIVER_CRD, ALPHA_CSI_NODE_INFO_CRD } from '../compat/alpha-crds.ts'
import { BOOTSTRAP_CLUSTER_ROLE_BINDINGS, BOOTSTRAP_CLUSTER_ROLES } from './authorization/bootstrap-roles.ts'
import { SNAPSHOT_CRDS } from './crd/snapshot-crds.ts'

const SYSTEM_NAMESPACES = ['default', 'kube-system', 'kube-public', 'kube-node-lease']

/** Creates the initial objects of every cluster. Existing objects are not changed. */
export async function createBootstrapObjects(api: Api): Promise<void> {
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
}

async function createIfMissing<T extends KubeObject>(api: Api, type: ResourceType<T>, object: T): Promise<void> {
  try {
    await api.create(type, object)
  } catch (error) {
    if (!isAlreadyExists(error)) throw error
  }
}
