import type { PersistentVolume } from '../../api/kinds/persistent-volume.ts'
import type { CSIStorageCapacity } from '../../api/kinds/csi-storage-capacity.ts'
import { bytesCell } from '../cells.ts'
import { placeOfCapacity, placeOfVolume } from '../place.ts'
import type { Cell, Row } from '../protocol.ts'
import { keysOf } from '../table.ts'
import type { Table } from '../table.ts'
import { targetOf } from '../targets.ts'

/** What is provisioned, and how much more there is room for, by class and topology. */
export const capacityTable: Table = {
  name: 'capacity',
  title: 'Capacity',
  columns: [
    { title: 'Class', kind: 'text' },
    { title: 'Topology', kind: 'text' },
    { title: 'Volumes', kind: 'number' },
    { title: 'Provisioned', kind: 'bytes' },
    { title: 'Free', kind: 'bytes', isMain: true },
    { title: 'Largest volume', kind: 'bytes' },
  ],
  note: 'Provisioned: the sum of the PersistentVolumes. Free: what the provisioner reports in CSIStorageCapacity objects, if the driver has storageCapacity enabled.',
  keysOf: {
    capacities: keysOf<CSIStorageCapacity>((capacity) => [placeOfCapacity(capacity)]),
    volumes: keysOf<PersistentVolume>((volume) => [placeOfVolume(volume)]),
  },
  row: (key, { capacitiesAt, volumesAt }) => capacityRow(key, capacitiesAt(key), volumesAt(key)),
}

export function capacityRow(
  key: string,
  capacities: readonly CSIStorageCapacity[],
  volumes: readonly PersistentVolume[],
): Row | undefined {
  if (capacities.length === 0 && volumes.length === 0) return undefined
  const [className = '', topology = ''] = key.split('\n')
  const target = className === '' ? undefined : targetOf('StorageClass', className)
  return {
    key,
    tone: 'plain',
    ...(target === undefined ? {} : { target }),
    cells: [
      className === '' ? 'no class' : className,
      topology === '' ? 'everywhere' : topology,
      volumes.length,
      sumOf(volumes.map(({ spec }) => bytesCell(spec.capacity?.['storage']))) ?? 0,
      sumOf(capacities.map(({ capacity }) => bytesCell(capacity))),
      sumOf(capacities.map(({ maximumVolumeSize }) => bytesCell(maximumVolumeSize)).slice(0, 1)),
    ],
  }
}

/** Null if nothing is known. */
const sumOf = (cells: readonly Cell[]): number | null => {
  const numbers = cells.filter((cell) => typeof cell === 'number')
  return numbers.length === 0 ? null : numbers.reduce((sum, each) => sum + each, 0)
}
