import { CSI_DRIVERS } from '../../api/kinds/csi-driver.ts'
import { EVENTS } from '../../api/kinds/event.ts'
import { ALPHA_CSI_DRIVERS } from '../../compat/alpha-csi-driver.ts'
import { READ, right, rightOnStatus } from '../../kube/process/rights.ts'
import type { Rights } from '../../kube/process/rights.ts'

/** Without permission for `csi.storage.k8s.io`, it creates only the `CSIDriver` of `storage.k8s.io`. */
export const CLUSTER_REGISTRAR_RIGHTS: Rights = {
  cluster: [
    right(CSI_DRIVERS, ...READ, 'create', 'patch', 'delete'),
    right(ALPHA_CSI_DRIVERS, 'list', 'watch', 'create', 'patch', 'delete'),
    rightOnStatus(ALPHA_CSI_DRIVERS, 'patch'),
    right(EVENTS, 'create', 'patch'),
  ],
  ownNamespace: [],
  readsSecrets: false,
}
