import type { VolumeSnapshot } from '../../api/kinds/volume-snapshot.ts'
import { keyOf } from '../../api/object-key.ts'
import { bytesCell, timeCell } from '../cells.ts'
import type { Row } from '../protocol.ts'
import type { Table } from '../table.ts'
import { linkOf } from '../targets.ts'

export const snapshotTable: Table = {
  name: 'snapshots',
  title: 'Snapshots',
  columns: [
    { title: 'Namespace', kind: 'text' },
    { title: 'Name', kind: 'text' },
    { title: 'Status', kind: 'state' },
    { title: 'Restore size', kind: 'bytes' },
    { title: 'Source', kind: 'text' },
    { title: 'Class', kind: 'text' },
    { title: 'Content', kind: 'id' },
    { title: 'Age', kind: 'time' },
  ],
  keysOf: { snapshots: (snapshot) => [keyOf(snapshot)] },
  row: (key, { snapshots }) => {
    const snapshot = snapshots.get(key)
    return snapshot && snapshotRow(snapshot)
  },
}

export function snapshotRow(snapshot: VolumeSnapshot): Row {
  const { metadata, spec, status } = snapshot
  const isFailed = status?.error !== undefined && status.readyToUse !== true
  return {
    key: keyOf(snapshot),
    tone: isFailed ? 'bad' : stateOf(snapshot) === 'Ready' ? 'good' : 'waiting',
    ...linkOf(snapshot),
    cells: [
      metadata.namespace ?? '',
      metadata.name ?? '',
      isFailed ? 'Failed' : stateOf(snapshot),
      bytesCell(status?.restoreSize),
      spec.source.persistentVolumeClaimName ?? spec.source.volumeSnapshotContentName ?? '',
      spec.volumeSnapshotClassName ?? '',
      status?.boundVolumeSnapshotContentName ?? '',
      timeCell(status?.creationTime ?? metadata.creationTimestamp),
    ],
  }
}

const stateOf = ({ metadata, status }: VolumeSnapshot): string =>
  metadata.deletionTimestamp === undefined ? (status?.readyToUse ? 'Ready' : 'Pending') : 'Terminating'
