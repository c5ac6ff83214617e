// Generated from the Go types of Kubernetes by `npm run generate`. Do not edit.
import type { ObjectMeta } from '../../object.ts'
import type { LabelSelector } from './meta-v1.ts'

export type AggregationRule = {
  readonly clusterRoleSelectors?: readonly LabelSelector[]
}

export type ClusterRole = {
  readonly apiVersion: 'rbac.authorization.k8s.io/v1'
  readonly kind: 'ClusterRole'
  readonly metadata: ObjectMeta
  readonly rules: readonly PolicyRule[] | null
  /** The rules are then the union of all cluster roles that one of the selectors matches. */
  readonly aggregationRule?: AggregationRule
}

export type ClusterRoleBinding = {
  readonly apiVersion: 'rbac.authorization.k8s.io/v1'
  readonly kind: 'ClusterRoleBinding'
  readonly metadata: ObjectMeta
  readonly subjects?: readonly Subject[]
  readonly roleRef: RoleRef
}

/** Either resources or URLs; `*` matches everything. Empty `resourceNames` means all names. */
export type PolicyRule = {
  readonly verbs: readonly string[]
  readonly apiGroups?: readonly string[]
  readonly resources?: readonly string[]
  readonly resourceNames?: readonly string[]
  readonly nonResourceURLs?: readonly string[]
}

export type Role = {
  readonly apiVersion: 'rbac.authorization.k8s.io/v1'
  readonly kind: 'Role'
  readonly metadata: ObjectMeta
  readonly rules: readonly PolicyRule[] | null
}

export type RoleBinding = {
  readonly apiVersion: 'rbac.authorization.k8s.io/v1'
  readonly kind: 'RoleBinding'
  readonly metadata: ObjectMeta
  readonly subjects?: readonly Subject[]
  readonly roleRef: RoleRef
}

export type RoleRef = {
  readonly apiGroup: string
  readonly kind: 'Role' | 'ClusterRole'
  readonly name: string
}

export type Subject = {
  readonly kind: 'User' | 'Group' | 'ServiceAccount'
  readonly apiGroup?: string
  readonly name: string
  /** Service accounts only. */
  readonly namespace?: string
}
