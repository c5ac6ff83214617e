import type { ObjectMeta } from '../object.ts'
import type { ResourceType } from '../resource-type.ts'

/** Named after the driver. What is said of each field's absence holds on a server that fills in no default. */
export type CSIDriver = {
  readonly apiVersion: 'storage.k8s.io/v1'
  readonly kind: 'CSIDriver'
  readonly metadata: ObjectMeta
  readonly spec: CSIDriverSpec
}

export const CSI_DRIVERS: ResourceType<CSIDriver> = {
  group: 'storage.k8s.io',
  version: 'v1',
  kind: 'CSIDriver',
  plural: 'csidrivers',
  namespaced: false,
}

export type CSIDriverSpec = {
  /** Default true: no node uses a volume before a VolumeAttachment says that it is attached. */
  readonly attachRequired?: boolean
  /** Default false. */
  readonly podInfoOnMount?: boolean
  /** Default `['Persistent']`. */
  readonly volumeLifecycleModes?: readonly VolumeLifecycleMode[]
  /** Default false: the scheduler does not look at CSIStorageCapacity objects. */
  readonly storageCapacity?: boolean
  readonly fsGroupPolicy?: FSGroupPolicy
  readonly tokenRequests?: readonly CSIDriverTokenRequest[]
  /** Default false: NodePublishVolume is not repeated while the pod runs. */
  readonly requiresRepublish?: boolean
  /** Default false: volumes are mounted without `-o context`. */
  readonly seLinuxMount?: boolean
  /** At least 10. Left out: the node's limit is read at registration only. */
  readonly nodeAllocatableUpdatePeriodSeconds?: number
  /** Default false: tokens go into the volume context, not into the secrets. */
  readonly serviceAccountTokenInSecrets?: boolean
}

export type VolumeLifecycleMode = 'Persistent' | 'Ephemeral'

export type FSGroupPolicy = 'ReadWriteOnceWithFSType' | 'File' | 'None'

/** `TokenRequest` of the storage group: an empty audience is that of the API server. */
export type CSIDriverTokenRequest = { readonly audience: string; readonly expirationSeconds?: number }
