import { EVENTS } from '../../api/kinds/event.ts'
import { NODES } from '../../api/kinds/node.ts'
import { PERSISTENT_VOLUME_CLAIMS } from '../../api/kinds/persistent-volume-claim.ts'
import { PERSISTENT_VOLUMES } from '../../api/kinds/persistent-volume.ts'
import { PODS } from '../../api/kinds/pod.ts'
import { upstreamRoleRights } from '../../kube/process/common-rights.ts'
import { READ, right } from '../../kube/process/rights.ts'

export const HEALTH_MONITOR_RIGHTS = upstreamRoleRights({
  cluster: [
    right(PERSISTENT_VOLUMES, ...READ),
    right(PERSISTENT_VOLUME_CLAIMS, ...READ),
    right(NODES, ...READ),
    right(PODS, ...READ),
    // The events of earlier processes, which are not repeated.
    right(EVENTS, 'list'),
  ],
  readsSecrets: false,
  upstream: { cluster: [right(EVENTS, 'get')] },
})
