import type { CSIStorageCapacity } from '../../api/kinds/csi-storage-capacity.ts'
import { labelRequirementsOf, matchesLabelSelector } from '../../api/label-selector.ts'
import type { NodeMatcher, Place } from '../../api/node-selector.ts'
import { keyOf } from '../../api/object-key.ts'
import { unlessInvalid } from '../../api/selector-error.ts'
import { sizeRank } from '../../storage/requested-size.ts'
import { anchorsOf, createAnchoredShelves } from './anchored-shelves.ts'
import type { Anchors } from './anchored-shelves.ts'

/** Free storage for volumes of one class where `matches` holds. */
export type Room = { readonly key: string; readonly sizeBytes: bigint; readonly matches: NodeMatcher }

class Rooms extends Map<string, Room> {
  put(room: Room): void {
    this.set(room.key, room)
  }
  remove(key: string): void {
    this.delete(key)
  }
}

/** The free storage that drivers report, by class and node. */
export function createCapacityRooms() {
  const rooms = createAnchoredShelves<Room, Rooms>(() => new Rooms())
  return {
    put: (capacity: CSIStorageCapacity): void => {
      const room = roomOf(capacity)
      if (room) rooms.put(room.key, room, capacity.storageClassName, anchorsOfCapacity(capacity))
    },
    remove: rooms.remove,
    at: (className: string, { labels }: Place): Room[] =>
      rooms.at(className, labels).flatMap((bucket) => [...bucket.values()]),
  }
}

/** Labels of which a node needs at least one to access the storage. */
function anchorsOfCapacity({ nodeTopology }: CSIStorageCapacity): Anchors | undefined {
  const { matchLabels = {}, matchExpressions = [] } = nodeTopology ?? {}
  const [exact] = Object.entries(matchLabels)
  return exact ? [{ key: exact[0], value: exact[1] }] : anchorsOf({ nodeSelectorTerms: [{ matchExpressions }] })
}

/** Undefined for a capacity that no node can access. */
function roomOf(capacity: CSIStorageCapacity): Room | undefined {
  const { nodeTopology, maximumVolumeSize: size = capacity.capacity } = capacity
  const requirements = nodeTopology && unlessInvalid(() => labelRequirementsOf(nodeTopology))
  if (!requirements || size === undefined) return undefined
  const matches: NodeMatcher = ({ labels }) => matchesLabelSelector(requirements, labels)
  return { key: keyOf(capacity), sizeBytes: sizeRank(size), matches }
}
