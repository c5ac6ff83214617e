import { PERSISTENT_VOLUME_CLAIMS } from '../../api/kinds/persistent-volume-claim.ts'
import { PERSISTENT_VOLUMES } from '../../api/kinds/persistent-volume.ts'
import { PODS } from '../../api/kinds/pod.ts'
import { VOLUME_ATTRIBUTES_CLASSES } from '../../api/kinds/volume-attributes-class.ts'
import { upstreamRoleRights } from '../../kube/process/common-rights.ts'
import { READ, right, rightOnStatus } from '../../kube/process/rights.ts'

export const RESIZER_RIGHTS = upstreamRoleRights({
  cluster: [
    right(PERSISTENT_VOLUMES, ...READ, 'patch'),
    right(PERSISTENT_VOLUME_CLAIMS, ...READ),
    rightOnStatus(PERSISTENT_VOLUME_CLAIMS, 'patch'),
    right(PODS, ...READ),
    right(VOLUME_ATTRIBUTES_CLASSES, ...READ),
  ],
  readsSecrets: true,
})
