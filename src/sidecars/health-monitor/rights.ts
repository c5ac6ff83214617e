import { EVENTS } from '../../api/kinds/event.ts'
import { NODES } from '../../api/kinds/node.ts'
import { PERSISTENT_VOLUME_CLAIMS } from '../../api/kinds/persistent-volume-claim.ts'
import { PERSISTENT_VOLUMES } from '../../api/kinds/persistent-volume.ts'
import { PODS } from '../../api/kinds/pod.ts'
import {
  EVENT_RIGHT,
  LEASE_RIGHT,
  UPSTREAM_EVENT_RIGHT,
  UPSTREAM_LEASE_RIGHT,
} from '../../kube/process/common-rights.ts'
import { READ, right } from '../../kube/process/rights.ts'
import type { Rights } from '../../kube/process/rights.ts'

export const HEALTH_MONITOR_RIGHTS: Rights = {
  cluster: [
    right(PERSISTENT_VOLUMES, ...READ),
    right(PERSISTENT_VOLUME_CLAIMS, ...READ),
    right(NODES, ...READ),
    right(PODS, ...READ),
    EVENT_RIGHT,
    // The events of earlier processes, which are not repeated.
    right(EVENTS, 'list'),
  ],
  ownNamespace: [LEASE_RIGHT],
  readsSecrets: false,
  upstream: { cluster: [UPSTREAM_EVENT_RIGHT, right(EVENTS, 'get')], ownNamespace: [UPSTREAM_LEASE_RIGHT] },
}
