import type { PersistentVolumeClaim } from '../../api/kinds/persistent-volume-claim.ts'
import type { PersistentVolume } from '../../api/kinds/persistent-volume.ts'
import type { Pod } from '../../api/kinds/pod.ts'
import type { VolumeAttachment } from '../../api/kinds/volume-attachment.ts'
import { keyOf } from '../../api/object-key.ts'
import { classNameOf } from '../../storage/names.ts'
import { podClaimKeysOf } from '../../storage/pod-claims.ts'
import { claimKeyOf } from '../caches.ts'
import { accessModesCell, bytesCell, timeCell } from '../cells.ts'
import type { LifeRecorder } from '../life/life-recorder.ts'
import type { Row, Tone } from '../protocol.ts'
import { keysOf } from '../table.ts'
import type { Table } from '../table.ts'
import { linkOf } from '../targets.ts'
import { unusedSince, usersOf } from '../unused-since.ts'
import type { VolumeUse } from '../unused-since.ts'

export const volumeTable = (recorder: Pick<LifeRecorder, 'leftAtMs'>): Table => ({
  name: 'volumes',
  title: 'Volumes',
  columns: [
    { title: 'Name', kind: 'id' },
    { title: 'Status', kind: 'state' },
    { title: 'Size', kind: 'bytes' },
    { title: 'Claim', kind: 'text' },
    { title: 'Access', kind: 'text' },
    { title: 'Class', kind: 'text' },
    { title: 'Driver', kind: 'text' },
    { title: 'Attached to', kind: 'text' },
    { title: 'Used by', kind: 'text' },
    { title: 'Unused for', kind: 'time' },
    { title: 'Reclaim', kind: 'text' },
    { title: 'Age', kind: 'time' },
  ],
  keysOf: {
    volumes: (volume) => [keyOf(volume)],
    attachments: keysOf<VolumeAttachment>(({ spec }) => [spec.source.persistentVolumeName ?? '']),
    // A claim, or a pod that uses it, may begin or end the use of the volume.
    claims: keysOf<PersistentVolumeClaim>(({ spec }) => (spec.volumeName ? [spec.volumeName] : [])),
    pods: keysOf<Pod>((pod, { claims }) =>
      podClaimKeysOf(pod).flatMap((claimKey) => claims.get(claimKey)?.spec.volumeName ?? []),
    ),
  },
  row: (key, { volumes, claims, podsOfClaim, attachmentsOfVolume }) => {
    const volume = volumes.get(key)
    if (!volume) return undefined
    const claimKey = claimKeyOf(volume) ?? ''
    const claim = claims.get(claimKey)
    const pods = claim?.spec.volumeName === key ? podsOfClaim(claimKey) : []
    return volumeRow({ claim, volume, pods }, attachmentsOfVolume(key), recorder)
  },
})

export function volumeRow(
  use: VolumeUse & { readonly volume: PersistentVolume },
  attachments: readonly VolumeAttachment[],
  recorder: Pick<LifeRecorder, 'leftAtMs'>,
): Row {
  const { volume, pods } = use
  const { metadata, spec } = volume
  const unused = unusedSince(use, recorder)
  return {
    key: keyOf(volume),
    tone: toneOf(volume),
    ...linkOf(volume),
    cells: [
      metadata.name ?? '',
      stateOf(volume),
      bytesCell(spec.capacity?.['storage']),
      claimKeyOf(volume) ?? '',
      accessModesCell(spec.accessModes),
      classNameOf(volume),
      spec.csi?.driver ?? '',
      attachments.map(formatAttachment).join(', '),
      usersOf(pods).join(', '),
      unused.kind === 'unused' ? (unused.sinceMs ?? null) : null,
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
