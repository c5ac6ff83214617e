import { CSI_DRIVERS } from '../../api/kinds/csi-driver.ts'
import { CSI_NODES } from '../../api/kinds/csi-node.ts'
import { CUSTOM_RESOURCE_DEFINITIONS } from '../../api/kinds/custom-resource-definition.ts'
import { EVENTS } from '../../api/kinds/event.ts'
import { ALPHA_CSI_DRIVERS } from '../../compat/alpha-csi-driver.ts'
import { CSI_NODE_INFOS } from '../../compat/alpha-csi-node-info.ts'
import { READ, right, rightOnStatus } from '../../kube/process/rights.ts'
import type { Rights } from '../../kube/process/rights.ts'

/** Without `--node-access`, which also grants permissions to nodes. */
export const REGISTRY_RIGHTS: Rights = {
  cluster: [
    right(CUSTOM_RESOURCE_DEFINITIONS, ...READ, 'create', 'update'),
    right(ALPHA_CSI_DRIVERS, ...READ),
    rightOnStatus(ALPHA_CSI_DRIVERS, 'patch'),
    right(CSI_NODE_INFOS, ...READ),
    right(CSI_DRIVERS, ...READ, 'create', 'patch', 'delete'),
    right(CSI_NODES, ...READ),
    right(EVENTS, 'create', 'patch'),
  ],
  ownNamespace: [],
  readsSecrets: false,
}
