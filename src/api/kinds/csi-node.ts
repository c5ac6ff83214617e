import type { ObjectMeta } from '../object.ts'
import type { ResourceType } from '../resource-type.ts'

/** Named after the node: which drivers are registered there. */
export type CSINode = {
  readonly apiVersion: 'storage.k8s.io/v1'
  readonly kind: 'CSINode'
  readonly metadata: ObjectMeta
  /** Null on servers that write an empty list so. */
  readonly spec: { readonly drivers: readonly CSINodeDriver[] | null }
}

export const CSI_NODES: ResourceType<CSINode> = {
  group: 'storage.k8s.io',
  version: 'v1',
  kind: 'CSINode',
  plural: 'csinodes',
  namespaced: false,
}

export type CSINodeDriver = {
  readonly name: string
  /** The node as the driver calls it. */
  readonly nodeID: string
  /** Labels of the node that say which volumes it can reach. */
  readonly topologyKeys: readonly string[] | null
  /** Without a count the driver sets no limit. */
  readonly allocatable?: { readonly count?: number }
}
