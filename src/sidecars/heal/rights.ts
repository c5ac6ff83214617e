import { CSI_NODES } from '../../api/kinds/csi-node.ts'
import { NODES } from '../../api/kinds/node.ts'
import { PERSISTENT_VOLUME_CLAIMS } from '../../api/kinds/persistent-volume-claim.ts'
import { PERSISTENT_VOLUMES } from '../../api/kinds/persistent-volume.ts'
import { PODS } from '../../api/kinds/pod.ts'
import { VOLUME_ATTACHMENTS } from '../../api/kinds/volume-attachment.ts'
import { EVENT_RIGHT, LEASE_RIGHT } from '../../kube/process/common-rights.ts'
import { READ, right } from '../../kube/process/rights.ts'
import type { Rights } from '../../kube/process/rights.ts'

const LISTED = [CSI_NODES, NODES, PERSISTENT_VOLUME_CLAIMS, PERSISTENT_VOLUMES, PODS]

/** It reads who uses a volume, and removes the finalizer of an attachment. The driver may need a secret to detach. */
export const HEAL_RIGHTS: Rights = {
  cluster: [right(VOLUME_ATTACHMENTS, ...READ, 'patch'), ...LISTED.map((type) => right(type, 'list')), EVENT_RIGHT],
  ownNamespace: [LEASE_RIGHT],
  readsSecrets: true,
}
