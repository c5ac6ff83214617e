import type { CSIStorageCapacity } from '../../api/kinds/csi-storage-capacity.ts'
import { keyOf } from '../../api/object-key.ts'
import { bytesCell } from '../cells.ts'
import type { Row } from '../protocol.ts'
import type { Table } from '../table.ts'

export const capacityTable: Table = {
  name: 'capacity',
  title: 'Capacity',
  columns: [
    { title: 'Class', kind: 'text' },
    { title: 'Topology', kind: 'text' },
    { title: 'Free', kind: 'bytes' },
    { title: 'Largest volume', kind: 'bytes' },
  ],
  keysOf: { capacities: (capacity) => [keyOf(capacity)] },
  row: (key, { capacities }) => {
    const capacity = capacities.get(key)
    return capacity && capacityRow(capacity)
  },
}

export function capacityRow(capacity: CSIStorageCapacity): Row {
  const labels = Object.entries(capacity.nodeTopology?.matchLabels ?? {}).map(([key, value]) => `${key}=${value}`)
  return {
    key: keyOf(capacity),
    tone: 'plain',
    cells: [
      capacity.storageClassName,
      labels.join(', '),
      bytesCell(capacity.capacity),
      bytesCell(capacity.maximumVolumeSize),
    ],
  }
}
