import type { ObjectMeta } from '../object.ts'
import type { ResourceType } from '../resource-type.ts'
import type { ObjectReference } from './references.ts'

/** Puts the pod of this name on a node. Never stored; posted to the pod's `binding`, or to `bindings`. */
export type Binding = {
  readonly apiVersion: 'v1'
  readonly kind: 'Binding'
  readonly metadata: ObjectMeta
  readonly target: ObjectReference
}

export const BINDINGS: ResourceType<Binding> = {
  group: '',
  version: 'v1',
  kind: 'Binding',
  plural: 'bindings',
  namespaced: true,
}
