import type { PersistentVolumeClaim } from '../../api/kinds/persistent-volume-claim.ts'
import type { PersistentVolume } from '../../api/kinds/persistent-volume.ts'
import type { Pod } from '../../api/kinds/pod.ts'
import { keyOf } from '../../api/object-key.ts'
import { classNameOf } from '../../storage/names.ts'
import { isFinishedPod, podClaimKeysOf } from '../../storage/pod-claims.ts'
import { claimKeyOf } from '../caches.ts'
import { accessModesCell, bytesCell, timeCell } from '../cells.ts'
import type { Row, Tone } from '../protocol.ts'
import { keysOf } from '../table.ts'
import type { Table } from '../table.ts'

export const claimTable: Table = {
  name: 'claims',
  title: 'Claims',
  columns: [
    { title: 'Namespace', kind: 'text' },
    { title: 'Name', kind: 'text' },
    { title: 'Status', kind: 'state' },
    { title: 'Size', kind: 'bytes' },
    { title: 'Access', kind: 'text' },
    { title: 'Class', kind: 'text' },
    { title: 'Used by', kind: 'text' },
    { title: 'Volume', kind: 'text' },
    { title: 'Created', kind: 'time' },
  ],
  keysOf: {
    claims: (claim) => [keyOf(claim)],
    pods: keysOf<Pod>(podClaimKeysOf),
    volumes: keysOf<PersistentVolume>((volume) => [claimKeyOf(volume) ?? '']),
  },
  row: (key, { claims, podsOfClaim }) => {
    const claim = claims.get(key)
    return claim && claimRow(claim, podsOfClaim(key))
  },
}

export function claimRow(claim: PersistentVolumeClaim, pods: readonly Pod[]): Row {
  const { metadata, spec, status } = claim
  const size = status?.capacity?.['storage'] ?? spec.resources?.requests?.['storage']
  const users = pods.filter((pod) => !isFinishedPod(pod)).map((pod) => pod.metadata.name ?? '')
  return {
    key: keyOf(claim),
    tone: toneOf(claim),
    target: `pvc/${keyOf(claim)}`,
    cells: [
      metadata.namespace ?? '',
      metadata.name ?? '',
      stateOf(claim),
      bytesCell(size),
      accessModesCell(status?.accessModes ?? spec.accessModes),
      classNameOf(claim),
      users.join(', '),
      spec.volumeName ?? '',
      timeCell(metadata.creationTimestamp),
    ],
  }
}

export const stateOf = ({ metadata, status }: PersistentVolumeClaim): string =>
  metadata.deletionTimestamp === undefined ? (status?.phase ?? 'Pending') : 'Terminating'

function toneOf(claim: PersistentVolumeClaim): Tone {
  const state = stateOf(claim)
  return state === 'Bound' ? 'good' : state === 'Lost' ? 'bad' : 'waiting'
}
