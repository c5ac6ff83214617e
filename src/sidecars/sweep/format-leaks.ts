import { formatQuantity } from '../../base/quantity.ts'
import type { DriverSide, Leak, LeakKind } from './find-leaks.ts'

const TITLES: Readonly<Record<LeakKind, string>> = {
  'volume-without-object': 'Volumes of the driver without a PersistentVolume',
  'object-without-volume': 'PersistentVolumes whose volume the driver does not have',
  'attached-without-object': 'Volumes that the driver has attached, without a VolumeAttachment',
  'object-without-attachment': 'VolumeAttachments that are attached, but not for the driver',
  'snapshot-without-object': 'Snapshots of the driver without a VolumeSnapshotContent',
  'object-without-snapshot': 'VolumeSnapshotContents whose snapshot the driver does not have',
}

/** For people: one paragraph for each kind of leak, then what could not be compared. */
export function formatLeaks(driverName: string, leaks: readonly Leak[], side: DriverSide): string {
  const groups = Map.groupBy(leaks, ({ kind }) => kind)
  const parts =
    leaks.length === 0
      ? [`Driver ${driverName} and the cluster agree: nothing is left over.\n`]
      : Array.from(groups, ([kind, found]) => `${TITLES[kind]}: ${found.length}\n${found.map(formatLeak).join('')}`)
  if (leaks.some(({ kind }) => kind.endsWith('-without-object')))
    parts.push(
      'A driver may serve several clusters: what this cluster does not know may belong to another one. Nothing was deleted.\n',
    )
  const missing = [
    ...(side.volumes ? [] : ['volumes and attachments (the driver has no LIST_VOLUMES)']),
    ...(side.volumes && !side.listsNodes ? ['attachments (the driver has no LIST_VOLUMES_PUBLISHED_NODES)'] : []),
    ...(side.snapshots ? [] : ['snapshots (the driver has no LIST_SNAPSHOTS)']),
  ]
  if (missing.length > 0) parts.push(`Not compared: ${missing.join('; ')}.\n`)
  return parts.join('\n')
}

function formatLeak({ handle, object, node, sizeBytes }: Leak): string {
  const size = sizeBytes ? formatQuantity(BigInt(sizeBytes)) : undefined
  return `  ${[object, handle, node && `on ${node}`, size].filter(Boolean).join('  ')}\n`
}
