import type { Api } from '../api/api.ts'
import { CSI_NODES } from '../api/kinds/csi-node.ts'
import type { CSINode } from '../api/kinds/csi-node.ts'
import { NODES } from '../api/kinds/node.ts'
import type { Node } from '../api/kinds/node.ts'
import { PERSISTENT_VOLUME_CLAIMS } from '../api/kinds/persistent-volume-claim.ts'
import type { PersistentVolumeClaim } from '../api/kinds/persistent-volume-claim.ts'
import { PERSISTENT_VOLUMES } from '../api/kinds/persistent-volume.ts'
import type { PersistentVolume } from '../api/kinds/persistent-volume.ts'
import { PODS } from '../api/kinds/pod.ts'
import type { Pod } from '../api/kinds/pod.ts'
import { VOLUME_ATTACHMENTS } from '../api/kinds/volume-attachment.ts'
import type { VolumeAttachment } from '../api/kinds/volume-attachment.ts'
import { collectAll } from '../api/list-all.ts'

/** Volumes of all drivers, and everything that uses them, as `heal` and `sweep` compare them. */
export type VolumeObjects = {
  readonly attachments: readonly VolumeAttachment[]
  readonly claims: readonly PersistentVolumeClaim[]
  readonly volumes: readonly PersistentVolume[]
  readonly pods: readonly Pod[]
  readonly csiNodes: readonly CSINode[]
  readonly nodes: readonly Node[]
}

export async function readVolumeObjects(api: Api, signal: AbortSignal): Promise<VolumeObjects> {
  // What refers to another object is listed before it: an object that is created meanwhile does not seem to refer to nothing.
  return {
    attachments: await collectAll(api, VOLUME_ATTACHMENTS, { signal }),
    claims: await collectAll(api, PERSISTENT_VOLUME_CLAIMS, { signal }),
    volumes: await collectAll(api, PERSISTENT_VOLUMES, { signal }),
    pods: await collectAll(api, PODS, { signal }),
    csiNodes: await collectAll(api, CSI_NODES, { signal }),
    nodes: await collectAll(api, NODES, { signal }),
  }
}
