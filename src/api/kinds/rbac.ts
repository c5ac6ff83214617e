import type { ObjectMeta } from '../object.ts'
import type { ResourceType } from '../resource-type.ts'
import type { LabelSelector } from './selectors.ts'

const GROUP = { group: 'rbac.authorization.k8s.io', version: 'v1' } as const

/** Either resources or URLs; `*` is everything. Empty `resourceNames` means all names. */
export type PolicyRule = {
  readonly verbs: readonly string[]
  readonly apiGroups?: readonly string[]
  readonly resources?: readonly string[]
  readonly resourceNames?: readonly string[]
  readonly nonResourceURLs?: readonly string[]
}

export type Subject = {
  readonly kind: 'User' | 'Group' | 'ServiceAccount'
  readonly apiGroup?: string
  readonly name: string
  /** Only a service account has one. */
  readonly namespace?: string
}

export type RoleRef = { readonly apiGroup: string; readonly kind: 'Role' | 'ClusterRole'; readonly name: string }

export type Role = {
  readonly apiVersion: 'rbac.authorization.k8s.io/v1'
  readonly kind: 'Role'
  readonly metadata: ObjectMeta
  readonly rules: readonly PolicyRule[] | null
}

export const ROLES: ResourceType<Role> = { ...GROUP, kind: 'Role', plural: 'roles', namespaced: true }

export type RoleBinding = {
  readonly apiVersion: 'rbac.authorization.k8s.io/v1'
  readonly kind: 'RoleBinding'
  readonly metadata: ObjectMeta
  readonly subjects?: readonly Subject[]
  readonly roleRef: RoleRef
}

export const ROLE_BINDINGS: ResourceType<RoleBinding> = {
  ...GROUP,
  kind: 'RoleBinding',
  plural: 'rolebindings',
  namespaced: true,
}

export type ClusterRole = {
  readonly apiVersion: 'rbac.authorization.k8s.io/v1'
  readonly kind: 'ClusterRole'
  readonly metadata: ObjectMeta
  readonly rules: readonly PolicyRule[] | null
  /** The rules are then those of all cluster roles that one of the selectors picks. */
  readonly aggregationRule?: { readonly clusterRoleSelectors?: readonly LabelSelector[] }
}

export const CLUSTER_ROLES: ResourceType<ClusterRole> = {
  ...GROUP,
  kind: 'ClusterRole',
  plural: 'clusterroles',
  namespaced: false,
}

export type ClusterRoleBinding = {
  readonly apiVersion: 'rbac.authorization.k8s.io/v1'
  readonly kind: 'ClusterRoleBinding'
  readonly metadata: ObjectMeta
  readonly subjects?: readonly Subject[]
  readonly roleRef: RoleRef
}

export const CLUSTER_ROLE_BINDINGS: ResourceType<ClusterRoleBinding> = {
  ...GROUP,
  kind: 'ClusterRoleBinding',
  plural: 'clusterrolebindings',
  namespaced: false,
}
