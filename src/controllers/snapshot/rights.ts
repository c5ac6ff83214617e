import { PERSISTENT_VOLUME_CLAIMS } from '../../api/kinds/persistent-volume-claim.ts'
import { PERSISTENT_VOLUMES } from '../../api/kinds/persistent-volume.ts'
import {
  VOLUME_GROUP_SNAPSHOT_CLASSES,
  VOLUME_GROUP_SNAPSHOT_CONTENTS,
  VOLUME_GROUP_SNAPSHOTS,
} from '../../api/kinds/volume-group-snapshot.ts'
import { VOLUME_SNAPSHOT_CLASSES, VOLUME_SNAPSHOT_CONTENTS, VOLUME_SNAPSHOTS } from '../../api/kinds/volume-snapshot.ts'
import { upstreamRoleRights } from '../../kube/process/common-rights.ts'
import { READ, right, rightOnStatus } from '../../kube/process/rights.ts'

export const SNAPSHOT_CONTROLLER_RIGHTS = upstreamRoleRights({
  cluster: [
    right(PERSISTENT_VOLUMES, ...READ),
    right(PERSISTENT_VOLUME_CLAIMS, ...READ, 'update'),
    right(VOLUME_SNAPSHOT_CLASSES, ...READ),
    right(VOLUME_SNAPSHOT_CONTENTS, ...READ, 'create', 'patch', 'delete'),
    rightOnStatus(VOLUME_SNAPSHOT_CONTENTS, 'patch'),
    // Create and delete: the members of a group snapshot.
    right(VOLUME_SNAPSHOTS, ...READ, 'create', 'patch', 'delete'),
    rightOnStatus(VOLUME_SNAPSHOTS, 'patch'),
    right(VOLUME_GROUP_SNAPSHOT_CLASSES, ...READ),
    right(VOLUME_GROUP_SNAPSHOT_CONTENTS, ...READ, 'create', 'patch', 'delete'),
    rightOnStatus(VOLUME_GROUP_SNAPSHOT_CONTENTS, 'patch'),
    right(VOLUME_GROUP_SNAPSHOTS, ...READ, 'patch'),
    rightOnStatus(VOLUME_GROUP_SNAPSHOTS, 'patch'),
  ],
  readsSecrets: false,
  upstream: {
    cluster: [
      right(VOLUME_SNAPSHOT_CONTENTS, 'update'),
      right(VOLUME_SNAPSHOTS, 'update'),
      rightOnStatus(VOLUME_SNAPSHOTS, 'update'),
      right(VOLUME_GROUP_SNAPSHOT_CONTENTS, 'update'),
      right(VOLUME_GROUP_SNAPSHOTS, 'update'),
      rightOnStatus(VOLUME_GROUP_SNAPSHOTS, 'update'),
    ],
  },
})
