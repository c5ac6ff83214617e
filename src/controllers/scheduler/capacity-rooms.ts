import type { CSIStorageCapacity } from '../../api/kinds/csi-storage-capacity.ts'
import { keyOf } from '../../api/object-key.ts'
import { labelRequirementsOf, matchesLabelSelector } from '../../api/label-selector.ts'
import { SelectorError } from '../../api/selector-error.ts'
import { sizeRank } from '../../storage/requested-size.ts'
import { createAnchoredGroups } from './anchored-groups.ts'
import { anchorsOfCapacity } from './anchors-of.ts'
import type { Room } from './cluster-view.ts'
import type { Place } from './node-matcher.ts'

/** What drivers say about the room they have, by class and place. */
export interface CapacityRooms {
  put(capacity: CSIStorageCapacity): void
  remove(capacity: CSIStorageCapacity): void
  at(className: string, place: Place): readonly Room[]
}

export function createCapacityRooms(): CapacityRooms {
  const classes = createAnchoredGroups(() => new Map<string, Map<string, Room>>())
  const known = new Map<string, CSIStorageCapacity>()

  const put = (capacity: CSIStorageCapacity): void => {
    remove(capacity)
    const room = roomOf(capacity)
    if (!room) return
    known.set(keyOf(capacity), capacity)
    for (const byClass of classes.enter(anchorsOfCapacity(capacity))) {
      const rooms = byClass.get(capacity.storageClassName) ?? new Map<string, Room>()
      byClass.set(capacity.storageClassName, rooms.set(keyOf(capacity), room))
    }
  }
  const remove = (capacity: CSIStorageCapacity): void => {
    const before = known.get(keyOf(capacity))
    if (!before) return
    known.delete(keyOf(capacity))
    for (const byClass of classes.leave(anchorsOfCapacity(before))) {
      const rooms = byClass.get(before.storageClassName)
      rooms?.delete(keyOf(before))
      if (rooms?.size === 0) byClass.delete(before.storageClassName)
    }
  }
  const at = (className: string, { labels }: Place): Room[] =>
    classes.around(labels).flatMap((byClass) => [...(byClass.get(className)?.values() ?? [])])
  return { put, remove, at }
}

/** Undefined for what makes no room anywhere. */
function roomOf({ nodeTopology, capacity, maximumVolumeSize = capacity }: CSIStorageCapacity): Room | undefined {
  if (!nodeTopology || maximumVolumeSize === undefined) return undefined
  try {
    const requirements = labelRequirementsOf(nodeTopology)
    return {
      sizeBytes: sizeRank(maximumVolumeSize),
      matches: ({ labels }) => matchesLabelSelector(requirements, labels),
    }
  } catch (error) {
    if (error instanceof SelectorError) return undefined
    throw error
  }
}
