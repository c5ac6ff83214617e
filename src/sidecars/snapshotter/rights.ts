import { VOLUME_GROUP_SNAPSHOT_CLASSES, VOLUME_GROUP_SNAPSHOT_CONTENTS } from '../../api/kinds/volume-group-snapshot.ts'
import { VOLUME_SNAPSHOT_CLASSES, VOLUME_SNAPSHOT_CONTENTS } from '../../api/kinds/volume-snapshot.ts'
import {
  EVENT_RIGHT,
  LEASE_RIGHT,
  UPSTREAM_EVENT_RIGHT,
  UPSTREAM_LEASE_RIGHT,
} from '../../kube/process/common-rights.ts'
import { READ, right, rightOnStatus } from '../../kube/process/rights.ts'
import type { Rights } from '../../kube/process/rights.ts'

export const SNAPSHOTTER_RIGHTS: Rights = {
  cluster: [
    right(VOLUME_SNAPSHOT_CLASSES, ...READ),
    right(VOLUME_SNAPSHOT_CONTENTS, ...READ, 'patch'),
    rightOnStatus(VOLUME_SNAPSHOT_CONTENTS, 'patch'),
    right(VOLUME_GROUP_SNAPSHOT_CLASSES, ...READ),
    right(VOLUME_GROUP_SNAPSHOT_CONTENTS, ...READ, 'patch'),
    rightOnStatus(VOLUME_GROUP_SNAPSHOT_CONTENTS, 'patch'),
    EVENT_RIGHT,
  ],
  ownNamespace: [LEASE_RIGHT],
  readsSecrets: true,
  upstream: {
    cluster: [
      right(VOLUME_SNAPSHOT_CONTENTS, 'update'),
      rightOnStatus(VOLUME_SNAPSHOT_CONTENTS, 'update'),
      right(VOLUME_GROUP_SNAPSHOT_CONTENTS, 'update'),
      rightOnStatus(VOLUME_GROUP_SNAPSHOT_CONTENTS, 'update'),
      UPSTREAM_EVENT_RIGHT,
    ],
    ownNamespace: [UPSTREAM_LEASE_RIGHT],
  },
}
