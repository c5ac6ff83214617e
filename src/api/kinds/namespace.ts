import type { ObjectMeta } from '../object.ts'
import type { ResourceType } from '../resource-type.ts'
import type { Condition } from './condition.ts'

export type Namespace = {
  readonly apiVersion: 'v1'
  readonly kind: 'Namespace'
  readonly metadata: ObjectMeta
  /** These finalizers, apart from those in the metadata, hold the namespace until its content is gone. */
  readonly spec?: { readonly finalizers?: readonly string[] }
  readonly status?: { readonly phase?: 'Active' | 'Terminating'; readonly conditions?: readonly Condition[] }
}

export const NAMESPACES: ResourceType<Namespace> = {
  group: '',
  version: 'v1',
  kind: 'Namespace',
  plural: 'namespaces',
  namespaced: false,
}
