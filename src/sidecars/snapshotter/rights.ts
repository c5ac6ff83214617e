import { VOLUME_GROUP_SNAPSHOT_CLASSES, VOLUME_GROUP_SNAPSHOT_CONTENTS } from '../../api/kinds/volume-group-snapshot.ts'
import { VOLUME_SNAPSHOT_CLASSES, VOLUME_SNAPSHOT_CONTENTS } from '../../api/kinds/volume-snapshot.ts'
import { upstreamRoleRights } from '../../kube/process/common-rights.ts'
import { READ, right, rightOnStatus } from '../../kube/process/rights.ts'

export const SNAPSHOTTER_RIGHTS = upstreamRoleRights({
  cluster: [
    right(VOLUME_SNAPSHOT_CLASSES, ...READ),
    right(VOLUME_SNAPSHOT_CONTENTS, ...READ, 'patch'),
    rightOnStatus(VOLUME_SNAPSHOT_CONTENTS, 'patch'),
    right(VOLUME_GROUP_SNAPSHOT_CLASSES, ...READ),
    right(VOLUME_GROUP_SNAPSHOT_CONTENTS, ...READ, 'patch'),
    rightOnStatus(VOLUME_GROUP_SNAPSHOT_CONTENTS, 'patch'),
  ],
  readsSecrets: true,
  upstream: {
    cluster: [
      right(VOLUME_SNAPSHOT_CONTENTS, 'update'),
      rightOnStatus(VOLUME_SNAPSHOT_CONTENTS, 'update'),
      right(VOLUME_GROUP_SNAPSHOT_CONTENTS, 'update'),
      rightOnStatus(VOLUME_GROUP_SNAPSHOT_CONTENTS, 'update'),
    ],
  },
})
