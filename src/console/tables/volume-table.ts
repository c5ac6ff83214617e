import type { PersistentVolume } from '../../api/kinds/persistent-volume.ts'
import type { VolumeAttachment } from '../../api/kinds/volume-attachment.ts'
import { keyOf } from '../../api/object-key.ts'
import { classNameOf } from '../../storage/names.ts'
import { claimKeyOf } from '../caches.ts'
import { accessModesCell, bytesCell, timeCell } from '../cells.ts'
import type { Row, Tone } from '../protocol.ts'
import { keysOf } from '../table.ts'
import type { Table } from '../table.ts'

export const volumeTable: Table = {
  name: 'volumes',
  title: 'Volumes',
  columns: [
    { title: 'Name', kind: 'text' },
    { title: 'Status', kind: 'state' },
    { title: 'Size', kind: 'bytes' },
    { title: 'Access', kind: 'text' },
    { title: 'Claim', kind: 'text' },
    { title: 'Class', kind: 'text' },
    { title: 'Driver', kind: 'text' },
    { title: 'Attached to', kind: 'text' },
    { title: 'Reclaim', kind: 'text' },
    { title: 'Created', kind: 'time' },
  ],
  keysOf: {
    volumes: (volume) => [keyOf(volume)],
    attachments: keysOf<VolumeAttachment>(({ spec }) => [spec.source.persistentVolumeName ?? '']),
  },
  row: (key, { volumes, attachmentsOfVolume }) => {
    const volume = volumes.get(key)
    return volume && volumeRow(volume, attachmentsOfVolume(key))
  },
}

export function volumeRow(volume: PersistentVolume, attachments: readonly VolumeAttachment[]): Row {
  const { metadata, spec } = volume
  return {
    key: keyOf(volume),
    tone: toneOf(volume),
    target: `pv/${metadata.name ?? ''}`,
    cells: [
      metadata.name ?? '',
      stateOf(volume),
      bytesCell(spec.capacity?.['storage']),
      accessModesCell(spec.accessModes),
      claimKeyOf(volume) ?? '',
      classNameOf(volume),
      spec.csi?.driver ?? '',
      attachments.map(formatAttachment).join(', '),
      spec.persistentVolumeReclaimPolicy ?? '',
      timeCell(metadata.creationTimestamp),
    ],
  }
}

const formatAttachment = ({ spec, status, metadata }: VolumeAttachment): string => {
  if (metadata.deletionTimestamp !== undefined) return `${spec.nodeName} (detaching)`
  return status?.attached ? spec.nodeName : `${spec.nodeName} (attaching)`
}

export const stateOf = ({ metadata, status }: PersistentVolume): string =>
  metadata.deletionTimestamp === undefined ? (status?.phase ?? 'Pending') : 'Terminating'

function toneOf(volume: PersistentVolume): Tone {
  switch (stateOf(volume)) {
    case 'Bound':
    case 'Available':
      return 'good'
    case 'Failed':
      return 'bad'
    case 'Released':
      return volume.spec.persistentVolumeReclaimPolicy === 'Retain' ? 'plain' : 'waiting'
    default:
      return 'waiting'
  }
}
