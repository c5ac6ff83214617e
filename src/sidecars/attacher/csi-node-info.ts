import type { ObjectMeta } from '../../api/object.ts'
import type { ResourceType } from '../../api/resource-type.ts'
import { SEED_GROUP, SEED_VERSION } from '../../compat/seed-crds.ts'

/** Named after the node, as `CSINode` is today. Three shapes of the list have been in use; any of them may be there. */
export type CSINodeInfo = {
  readonly apiVersion: 'csi.storage.k8s.io/v1alpha1'
  readonly kind: 'CSINodeInfo'
  readonly metadata: ObjectMeta
  readonly csiDrivers?: readonly CSINodeInfoDriver[] | null
  readonly spec?: { readonly drivers?: readonly CSINodeInfoDriver[] | null }
  readonly status?: { readonly drivers?: readonly CSINodeInfoDriver[] | null }
}

export type CSINodeInfoDriver = { readonly name?: string; readonly driver?: string; readonly nodeID?: string }

export const CSI_NODE_INFOS: ResourceType<CSINodeInfo> = { group: SEED_GROUP, version: SEED_VERSION, kind: 'CSINodeInfo', plural: 'csinodeinfos', namespaced: false }
