import { PERSISTENT_VOLUME_CLAIMS } from '../../api/kinds/persistent-volume-claim.ts'
import { PERSISTENT_VOLUMES } from '../../api/kinds/persistent-volume.ts'
import {
  VOLUME_GROUP_SNAPSHOT_CLASSES,
  VOLUME_GROUP_SNAPSHOT_CONTENTS,
  VOLUME_GROUP_SNAPSHOTS,
} from '../../api/kinds/volume-group-snapshot.ts'
import { VOLUME_SNAPSHOT_CLASSES, VOLUME_SNAPSHOT_CONTENTS, VOLUME_SNAPSHOTS } from '../../api/kinds/volume-snapshot.ts'
import { EVENT_RIGHT, LEASE_RIGHT } from '../../kube/process/common-rights.ts'
import { READ, right, rightOnStatus } from '../../kube/process/rights.ts'
import type { Rights } from '../../kube/process/rights.ts'

export const SNAPSHOT_CONTROLLER_RIGHTS: Rights = {
  cluster: [
    right(PERSISTENT_VOLUMES, ...READ),
    right(PERSISTENT_VOLUME_CLAIMS, ...READ, 'update'),
    right(VOLUME_SNAPSHOT_CLASSES, ...READ),
    right(VOLUME_SNAPSHOT_CONTENTS, ...READ, 'create', 'update', 'patch', 'delete'),
    rightOnStatus(VOLUME_SNAPSHOT_CONTENTS, 'patch'),
    // Create and delete: the members of a group snapshot.
    right(VOLUME_SNAPSHOTS, ...READ, 'create', 'update', 'patch', 'delete'),
    rightOnStatus(VOLUME_SNAPSHOTS, 'update', 'patch'),
    right(VOLUME_GROUP_SNAPSHOT_CLASSES, ...READ),
    right(VOLUME_GROUP_SNAPSHOT_CONTENTS, ...READ, 'create', 'update', 'patch', 'delete'),
    rightOnStatus(VOLUME_GROUP_SNAPSHOT_CONTENTS, 'patch'),
    right(VOLUME_GROUP_SNAPSHOTS, ...READ, 'update', 'patch'),
    rightOnStatus(VOLUME_GROUP_SNAPSHOTS, 'update', 'patch'),
    EVENT_RIGHT,
  ],
  ownNamespace: [LEASE_RIGHT],
  readsSecrets: false,
}
