import { CSI_NODES } from '../../api/kinds/csi-node.ts'
import { CSI_STORAGE_CAPACITIES } from '../../api/kinds/csi-storage-capacity.ts'
import { NODES } from '../../api/kinds/node.ts'
import { PERSISTENT_VOLUME_CLAIMS } from '../../api/kinds/persistent-volume-claim.ts'
import { PERSISTENT_VOLUMES } from '../../api/kinds/persistent-volume.ts'
import { PODS } from '../../api/kinds/pod.ts'
import { REPLICA_SETS } from '../../api/kinds/replica-set.ts'
import { STORAGE_CLASSES } from '../../api/kinds/storage-class.ts'
import { VOLUME_ATTACHMENTS } from '../../api/kinds/volume-attachment.ts'
import { VOLUME_ATTRIBUTES_CLASSES } from '../../api/kinds/volume-attributes-class.ts'
import { VOLUME_SNAPSHOT_CONTENTS, VOLUME_SNAPSHOTS } from '../../api/kinds/volume-snapshot.ts'
import { CSI_NODE_INFOS } from '../../compat/alpha-csi-node-info.ts'
import { upstreamRoleRights } from '../../kube/process/common-rights.ts'
import { READ, right } from '../../kube/process/rights.ts'
import { REFERENCE_GRANTS, VOLUME_POPULATORS } from './content-source.ts'

export const PROVISIONER_RIGHTS = upstreamRoleRights({
  cluster: [
    right(PERSISTENT_VOLUMES, ...READ, 'create', 'patch', 'delete'),
    right(PERSISTENT_VOLUME_CLAIMS, ...READ, 'update'),
    right(STORAGE_CLASSES, ...READ),
    right(VOLUME_ATTRIBUTES_CLASSES, ...READ),
    // Update: the finalizer that protects a snapshot while a volume is created from it.
    right(VOLUME_SNAPSHOTS, ...READ, 'update'),
    right(VOLUME_SNAPSHOT_CONTENTS, ...READ),
    // Data sources of other kinds, and of other namespaces.
    right(VOLUME_POPULATORS, ...READ),
    right(REFERENCE_GRANTS, ...READ),
    right(NODES, ...READ),
    right(CSI_NODES, ...READ),
    // If the cluster has the CRD, nodes may register their drivers there instead.
    right(CSI_NODE_INFOS, ...READ),
    right(VOLUME_ATTACHMENTS, ...READ),
  ],
  ownNamespace: [
    // The objects that --enable-capacity publishes, and the workload that owns them.
    right(CSI_STORAGE_CAPACITIES, ...READ, 'create', 'update', 'delete'),
    right(PODS, 'get'),
    right(REPLICA_SETS, 'get'),
  ],
  readsSecrets: true,
  upstream: { ownNamespace: [right(CSI_STORAGE_CAPACITIES, 'patch')] },
})
