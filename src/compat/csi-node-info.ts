import type { ObjectMeta } from '../api/object.ts'
import type { ResourceType } from '../api/resource-type.ts'
import { SEED_GROUP, SEED_VERSION } from './seed-crds.ts'

/** What `CSINode` is today. Three shapes of its list have been in use: ours is `csiDrivers`, any of them may be there. */
export type CSINodeInfo = {
  readonly apiVersion: 'csi.storage.k8s.io/v1alpha1'
  readonly kind: 'CSINodeInfo'
  readonly metadata: ObjectMeta
  readonly csiDrivers?: readonly CSINodeInfoDriver[] | null
  readonly spec?: { readonly drivers?: readonly CSINodeInfoDriver[] | null }
  readonly status?: { readonly drivers?: readonly CSINodeInfoDriver[] | null }
}

/** The first release called the name `driver`. */
export type CSINodeInfoDriver = {
  readonly name?: string
  readonly driver?: string
  readonly nodeID?: string
  readonly topologyKeys?: readonly string[] | null
}

export const CSI_NODE_INFOS: ResourceType<CSINodeInfo> = {
  group: SEED_GROUP,
  version: SEED_VERSION,
  kind: 'CSINodeInfo',
  plural: 'csinodeinfos',
  namespaced: false,
}
