import type { PersistentVolumeClaim } from '../../api/kinds/persistent-volume-claim.ts'
import type { PersistentVolume } from '../../api/kinds/persistent-volume.ts'
import type { Pod } from '../../api/kinds/pod.ts'
import { keyOf } from '../../api/object-key.ts'
import type { Usage } from '../../explain/index.ts'
import { classNameOf } from '../../storage/names.ts'
import { podClaimKeysOf } from '../../storage/pod-claims.ts'
import { claimKeyOf } from '../caches.ts'
import type { ClaimUsages } from '../claim-usage.ts'
import { accessModesCell, bytesCell, shareCell, timeCell } from '../cells.ts'
import type { Row, Tone } from '../protocol.ts'
import { keysOf } from '../table.ts'
import type { Table } from '../table.ts'
import { linkOf } from '../targets.ts'
import { usersOf } from '../unused-since.ts'

/** `usages`: how full the volumes are, as far as their nodes say so. */
export const claimTable = (usages: Pick<ClaimUsages, 'usageOf'>): Table => ({
  name: 'claims',
  title: 'Claims',
  columns: [
    { title: 'Namespace', kind: 'text' },
    { title: 'Name', kind: 'text' },
    { title: 'Status', kind: 'state' },
    { title: 'Size', kind: 'bytes', isMain: false },
    { title: 'Used', kind: 'bytes' },
    { title: 'Used %', kind: 'share', isMain: true },
    { title: 'Inodes %', kind: 'share' },
    { title: 'Access', kind: 'text' },
    { title: 'Class', kind: 'text' },
    { title: 'Used by', kind: 'text' },
    { title: 'Volume', kind: 'id' },
    { title: 'Age', kind: 'time' },
  ],
  keysOf: {
    claims: (claim) => [keyOf(claim)],
    pods: keysOf<Pod>(podClaimKeysOf),
    volumes: keysOf<PersistentVolume>((volume) => [claimKeyOf(volume) ?? '']),
  },
  row: (key, { claims, podsOfClaim }) => {
    const claim = claims.get(key)
    return claim && claimRow(claim, podsOfClaim(key), usages.usageOf(key))
  },
})

export function claimRow(claim: PersistentVolumeClaim, pods: readonly Pod[], usage?: Usage): Row {
  const { metadata, spec, status } = claim
  const size = status?.capacity?.['storage'] ?? spec.resources?.requests?.['storage']
  return {
    key: keyOf(claim),
    tone: toneOf(claim),
    ...linkOf(claim),
    cells: [
      metadata.namespace ?? '',
      metadata.name ?? '',
      stateOf(claim),
      bytesCell(size),
      usage?.usedBytes ?? null,
      shareCell(usage?.usedBytes, usage?.capacityBytes),
      shareCell(usage?.inodesUsed, usage?.inodes),
      accessModesCell(status?.accessModes ?? spec.accessModes),
      classNameOf(claim),
      usersOf(pods).join(', '),
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
