import type { VolumeAttachment } from '../api/kinds/volume-attachment.ts'

/** For an index of attachments by the name of their volume. */
export const volumeNamesOf = ({ spec: { source } }: VolumeAttachment): string[] =>
  source.persistentVolumeName ? [source.persistentVolumeName] : []

/** For an index of attachments by the name of their node. */
export const nodeNamesOf = ({ spec }: VolumeAttachment): string[] => [spec.nodeName]
