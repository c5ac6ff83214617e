import type { CSIStorageCapacity } from '../api/kinds/csi-storage-capacity.ts'
import type { PersistentVolume } from '../api/kinds/persistent-volume.ts'
import { classNameOf } from '../storage/names.ts'

// The class and the topology in one key: neither class names nor labels contain a line break.
const placeOf = (className: string, terms: readonly string[]): string => `${className}\n${[...terms].sort().join(', ')}`

export const placeOfCapacity = ({ storageClassName, nodeTopology }: CSIStorageCapacity): string =>
  placeOf(
    storageClassName,
    Object.entries(nodeTopology?.matchLabels ?? {}).map(([key, value]) => `${key}=${value}`),
  )

/** Where the nodes are that reach the volume. */
export const placeOfVolume = (volume: PersistentVolume): string =>
  placeOf(
    classNameOf(volume),
    (volume.spec.nodeAffinity?.required?.nodeSelectorTerms ?? []).map(({ matchExpressions = [] }) =>
      matchExpressions.map(({ key, values = [] }) => `${key}=${values.join('|')}`).join(' '),
    ),
  )
