import type { ObjectMeta } from '../object.ts'
import type { ResourceType } from '../resource-type.ts'
import type { PersistentVolumeSpec } from './persistent-volume.ts'
import type { Volume } from './pod.ts'

export type VolumeAttachment = {
  readonly apiVersion: 'storage.k8s.io/v1'
  readonly kind: 'VolumeAttachment'
  readonly metadata: ObjectMeta
  readonly spec: VolumeAttachmentSpec
  readonly status?: VolumeAttachmentStatus
}

export const VOLUME_ATTACHMENTS: ResourceType<VolumeAttachment> = {
  group: 'storage.k8s.io',
  version: 'v1',
  kind: 'VolumeAttachment',
  plural: 'volumeattachments',
  namespaced: false,
}

export type VolumeAttachmentSpec = {
  readonly attacher: string
  readonly nodeName: string
  /** Exactly one. */
  readonly source: {
    readonly persistentVolumeName?: string
    readonly inlineVolumeSpec?: PersistentVolumeSpec
    /** The source of a pod's volume. Only our own server takes it, and stores it as `inlineVolumeSpec`; nobody reads it. */
    readonly volumeSource?: Omit<Volume, 'name'>
  }
}

export type VolumeAttachmentStatus = {
  readonly attached: boolean
  /** What the driver gave back, for the node to pass on when it stages and publishes. */
  readonly attachmentMetadata?: Readonly<Record<string, string>>
  readonly attachError?: VolumeError
  readonly detachError?: VolumeError
}

export type VolumeError = {
  readonly time?: string | null
  readonly message?: string
  /** The gRPC code, for some failures. */
  readonly errorCode?: number
}
