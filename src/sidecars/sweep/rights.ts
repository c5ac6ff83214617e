import { CONFIG_MAPS } from '../../api/kinds/config-map.ts'
import { CSI_NODES } from '../../api/kinds/csi-node.ts'
import { CSI_STORAGE_CAPACITIES } from '../../api/kinds/csi-storage-capacity.ts'
import { NODES } from '../../api/kinds/node.ts'
import { PERSISTENT_VOLUME_CLAIMS } from '../../api/kinds/persistent-volume-claim.ts'
import { PERSISTENT_VOLUMES } from '../../api/kinds/persistent-volume.ts'
import { PODS } from '../../api/kinds/pod.ts'
import { STORAGE_CLASSES } from '../../api/kinds/storage-class.ts'
import { VOLUME_ATTACHMENTS } from '../../api/kinds/volume-attachment.ts'
import { VOLUME_GROUP_SNAPSHOT_CONTENTS, VOLUME_GROUP_SNAPSHOTS } from '../../api/kinds/volume-group-snapshot.ts'
import { VOLUME_SNAPSHOT_CLASSES, VOLUME_SNAPSHOT_CONTENTS, VOLUME_SNAPSHOTS } from '../../api/kinds/volume-snapshot.ts'
import { EVENT_RIGHT, LEASE_RIGHT } from '../../kube/process/common-rights.ts'
import { right } from '../../kube/process/rights.ts'
import type { Rights } from '../../kube/process/rights.ts'

const LISTED = [
  CSI_NODES,
  CSI_STORAGE_CAPACITIES,
  NODES,
  PERSISTENT_VOLUME_CLAIMS,
  PERSISTENT_VOLUMES,
  PODS,
  STORAGE_CLASSES,
  VOLUME_ATTACHMENTS,
  VOLUME_GROUP_SNAPSHOT_CONTENTS,
  VOLUME_GROUP_SNAPSHOTS,
  VOLUME_SNAPSHOT_CLASSES,
  VOLUME_SNAPSHOT_CONTENTS,
  VOLUME_SNAPSHOTS,
]

/** It reads everything, and writes its journal and events. */
export const SWEEP_RIGHTS: Rights = {
  cluster: [...LISTED.map((type) => right(type, 'list')), EVENT_RIGHT],
  ownNamespace: [LEASE_RIGHT, right(CONFIG_MAPS, 'get', 'create', 'update')],
  readsSecrets: false,
}
