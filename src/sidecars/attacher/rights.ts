import { CSI_NODES } from '../../api/kinds/csi-node.ts'
import { NODES } from '../../api/kinds/node.ts'
import { PERSISTENT_VOLUMES } from '../../api/kinds/persistent-volume.ts'
import { VOLUME_ATTACHMENTS } from '../../api/kinds/volume-attachment.ts'
import { CSI_NODE_INFOS } from '../../compat/alpha-csi-node-info.ts'
import { upstreamRoleRights } from '../../kube/process/common-rights.ts'
import { READ, right, rightOnStatus } from '../../kube/process/rights.ts'

export const ATTACHER_RIGHTS = upstreamRoleRights({
  cluster: [
    right(PERSISTENT_VOLUMES, ...READ, 'patch'),
    right(VOLUME_ATTACHMENTS, ...READ, 'patch'),
    rightOnStatus(VOLUME_ATTACHMENTS, 'patch'),
    right(CSI_NODES, ...READ),
    // Where nodes of the first alpha register their drivers.
    right(CSI_NODE_INFOS, ...READ),
    right(NODES, ...READ),
  ],
  readsSecrets: true,
})
