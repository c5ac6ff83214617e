import type { Api } from '../../api/api.ts'
import type { PolicyRule } from '../../api/kinds/rbac.ts'
import type { RawRequest } from './raw-client.ts'

/** One request by somebody with few rights that could keep the server from serving everybody else. */
export type StallAttack = {
  /** States what stays quick. */
  readonly name: string
  /** Makes what has to be there before each attempt, as an administrator, inside the server's process. It is not measured. */
  prepare?(api: Api, attempt: number): Promise<void>
  /** The request of the tenant. It is sent again, with the next attempt from 0, when the measurement was disturbed: names of new objects depend on it. */
  request(attempt: number): RawRequest
  /** The status that the tenant gets: refused, or done in a short time. */
  readonly status: number
  /** What the answer says. */
  readonly answer?: RegExp
}

/** The user who attacks, and what it may do: write some kinds of objects. */
export const TENANT = 'tenant'
export const TENANT_RULES: readonly PolicyRule[] = [
  {
    apiGroups: [''],
    resources: ['configmaps', 'pods', 'persistentvolumeclaims', 'events'],
    verbs: ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete', 'deletecollection'],
  },
  {
    apiGroups: ['rbac.authorization.k8s.io'],
    resources: ['roles', 'rolebindings'],
    verbs: ['get', 'list', 'create', 'update', 'patch', 'delete'],
  },
  { apiGroups: ['example.com'], resources: ['*'], verbs: ['get', 'list', 'create', 'update', 'patch', 'delete'] },
  { apiGroups: ['apiextensions.k8s.io'], resources: ['customresourcedefinitions'], verbs: ['create'] },
  {
    apiGroups: ['authorization.k8s.io'],
    resources: ['selfsubjectaccessreviews', 'selfsubjectrulesreviews'],
    verbs: ['create'],
  },
]

/** The user who reads one small object all the time. */
export const NEIGHBOUR = 'neighbour'
export const NEIGHBOUR_OBJECT = 'of-the-neighbour'
