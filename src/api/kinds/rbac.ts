import type { ResourceType } from '../resource-type.ts'
import type { ClusterRole, ClusterRoleBinding, Role, RoleBinding } from './generated/rbac-v1.ts'

export type {
  ClusterRole,
  ClusterRoleBinding,
  PolicyRule,
  Role,
  RoleBinding,
  RoleRef,
  Subject,
} from './generated/rbac-v1.ts'

const GROUP = { group: 'rbac.authorization.k8s.io', version: 'v1' } as const

export const ROLES: ResourceType<Role> = { ...GROUP, kind: 'Role', plural: 'roles', namespaced: true }

export const ROLE_BINDINGS: ResourceType<RoleBinding> = {
  ...GROUP,
  kind: 'RoleBinding',
  plural: 'rolebindings',
  namespaced: true,
}

export const CLUSTER_ROLES: ResourceType<ClusterRole> = {
  ...GROUP,
  kind: 'ClusterRole',
  plural: 'clusterroles',
  namespaced: false,
}

export const CLUSTER_ROLE_BINDINGS: ResourceType<ClusterRoleBinding> = {
  ...GROUP,
  kind: 'ClusterRoleBinding',
  plural: 'clusterrolebindings',
  namespaced: false,
}
