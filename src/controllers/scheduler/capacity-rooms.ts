import type { CSIStorageCapacity } from '../../api/kinds/csi-storage-capacity.ts'
import { labelRequirementsOf, matchesLabelSelector } from '../../api/label-selector.ts'
import type { NodeMatcher, Place } from '../../api/node-selector.ts'
import { keyOf } from '../../api/object-key.ts'
import { SelectorError } from '../../api/selector-error.ts'
import { sizeRank } from '../../storage/requested-size.ts'
import { anchorsOf, createAnchoredShelves } from './anchored-shelves.ts'
import type { Anchors } from './anchored-shelves.ts'

/** Free storage for volumes of one class where `matches` holds. */
export type Room = { readonly key: string; readonly sizeBytes: bigint; readonly matches: NodeMatcher }

/** The free storage that drivers report, by class and node. */
export function createCapacityRooms() {
  const rooms = createAnchoredShelves<Room, ReturnType<typeof createRooms>>(createRooms)
  return {
    put: (capacity: CSIStorageCapacity): void => {
      const room = roomOf(capacity)
      if (room) rooms.put(room.key, capacity.storageClassName, anchorsOfCapacity(capacity), room)
      else rooms.remove(keyOf(capacity))
    },
    remove: (capacity: CSIStorageCapacity): void => rooms.remove(keyOf(capacity)),
    at: (className: string, { labels }: Place): Room[] => rooms.at(className, labels).flatMap((bucket) => bucket.all()),
  }
}

function createRooms() {
  const rooms = new Map<string, Room>()
  return {
    put: (room: Room): void => void rooms.set(room.key, room),
    remove: (key: string): void => void rooms.delete(key),
    all: (): Room[] => [...rooms.values()],
  }
}

/** Labels of which a node needs at least one to access the storage. */
function anchorsOfCapacity({
  nodeTopology: { matchLabels = {}, matchExpressions = [] } = {},
}: CSIStorageCapacity): Anchors {
  const [exact] = Object.entries(matchLabels)
  return exact ? [{ key: exact[0], value: exact[1] }] : anchorsOf({ nodeSelectorTerms: [{ matchExpressions }] })
}

/** Undefined for a capacity that no node can access. */
function roomOf(capacity: CSIStorageCapacity): Room | undefined {
  const { nodeTopology, maximumVolumeSize = capacity.capacity } = capacity
  if (!nodeTopology || maximumVolumeSize === undefined) return undefined
  try {
    const requirements = labelRequirementsOf(nodeTopology)
    return {
      key: keyOf(capacity),
      sizeBytes: sizeRank(maximumVolumeSize),
      matches: ({ labels }) => matchesLabelSelector(requirements, labels),
    }
  } catch (error) {
    if (error instanceof SelectorError) return undefined
    throw error
  }
}
