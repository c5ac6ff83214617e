import type { ResourceType } from '../resource-type.ts'
import type { VolumeAttachment } from './generated/storage-v1.ts'

export type {
  VolumeAttachment,
  VolumeAttachmentSpec,
  VolumeAttachmentStatus,
  VolumeError,
} from './generated/storage-v1.ts'

export const VOLUME_ATTACHMENTS: ResourceType<VolumeAttachment> = {
  group: 'storage.k8s.io',
  version: 'v1',
  kind: 'VolumeAttachment',
  plural: 'volumeattachments',
  namespaced: false,
}
