import type { AccessMode, PersistentVolume } from '../api/kinds/persistent-volume.ts'
import type { PersistentVolumeClaim } from '../api/kinds/persistent-volume-claim.ts'
import { keyOf } from '../api/object-key.ts'
import { getOrAdd } from '../base/get-or-add.ts'
import { claimKeyOf } from './claim-reference.ts'
import { classNameOf } from './names.ts'
import { capacityOf, requestedSizeOf, sizeRank } from './requested-size.ts'
import { createSortedGroup } from './sorted-group.ts'
import type { SortedGroup } from './sorted-group.ts'

/** Volumes in the order in which claims choose them. */
export interface VolumeStock {
  /** Adds the volume, or replaces the one with that name. */
  put(volume: PersistentVolume): void
  remove(name: string): void
  /** Volumes that refer to this claim, by its uid or only by its name. */
  reservedFor(claim: PersistentVolumeClaim): readonly PersistentVolume[]
  /**
   * Free volumes with the claim's class, modes and attributes class and at least its size, best first: those with the fewest access modes, then the
   * smallest, then by name.
   */
  freeFor(claim: PersistentVolumeClaim): Iterable<PersistentVolume>
}

type Group = SortedGroup<PersistentVolume> & { readonly modes: readonly AccessMode[] }
type Place =
  | { readonly kind: 'free'; readonly shelf: string; readonly group: string; readonly rank: bigint }
  | { readonly kind: 'reserved'; readonly claim: string }

export function createVolumeStock(volumes: Iterable<PersistentVolume> = []): VolumeStock {
  // By what claim and volume must have in common, then by access modes.
  const shelves = new Map<string, Map<string, Group>>()
  const reserved = new Map<string, Map<string, PersistentVolume>>()
  const places = new Map<string, Place>()

  const remove = (name: string): void => {
    const place = places.get(name)
    if (!place) return
    places.delete(name)
    if (place.kind === 'reserved') {
      const names = reserved.get(place.claim)
      names?.delete(name)
      if (names?.size === 0) reserved.delete(place.claim)
      return
    }
    const groups = shelves.get(place.shelf)
    const group = groups?.get(place.group)
    group?.remove(place.rank, name)
    if (group?.size() === 0) groups?.delete(place.group)
    if (groups?.size === 0) shelves.delete(place.shelf)
  }
  const put = (volume: PersistentVolume): void => {
    const name = keyOf(volume)
    remove(name)
    const claim = claimKeyOf(volume)
    if (claim !== undefined) {
      places.set(name, { kind: 'reserved', claim })
      getOrAdd(reserved, claim, () => new Map<string, PersistentVolume>()).set(name, volume)
    } else if (isFreeVolume(volume)) {
      const modes = [...new Set(volume.spec.accessModes)].sort()
      const place = {
        kind: 'free',
        shelf: shelfOf(volume),
        group: modes.join(),
        rank: sizeRank(capacityOf(volume)),
      } as const
      places.set(name, place)
      const groups = getOrAdd(shelves, place.shelf, () => new Map<string, Group>())
      getOrAdd(groups, place.group, () => ({ ...createSortedGroup<PersistentVolume>(), modes })).add(
        place.rank,
        name,
        volume,
      )
    }
  }
  const reservedFor = (claim: PersistentVolumeClaim): PersistentVolume[] =>
    [...(reserved.get(keyOf(claim))?.values() ?? [])].filter(
      ({ spec: { claimRef } }) => !claimRef?.uid || claimRef.uid === claim.metadata.uid,
    )
  const freeFor = function* (claim: PersistentVolumeClaim): Iterable<PersistentVolume> {
    const wanted = claim.spec.accessModes ?? []
    const groups = [...(shelves.get(shelfOf(claim))?.values() ?? [])].filter(({ modes }) =>
      wanted.every((mode) => modes.includes(mode)),
    )
    const least = sizeRank(requestedSizeOf(claim))
    for (const group of groups.sort(byNumberOfModes)) yield* group.upFrom(least)
  }
  for (const volume of volumes) put(volume)
  return { put, remove, reservedFor, freeFor }
}

/** Not bound to any claim, and available for one. */
export const isFreeVolume = ({ metadata, spec, status }: PersistentVolume): boolean =>
  !spec.claimRef && status?.phase === 'Available' && metadata.deletionTimestamp === undefined

/** What a claim and its possible volumes have in common, regardless of size and access modes. */
export function shelfOf(object: PersistentVolume | PersistentVolumeClaim): string {
  const { volumeMode = 'Filesystem', volumeAttributesClassName = '' } = object.spec
  return JSON.stringify([classNameOf(object), volumeMode, volumeAttributesClassName])
}

const byNumberOfModes = ({ modes: one }: Group, { modes: other }: Group): number =>
  one.length - other.length || (one.join() < other.join() ? -1 : 1)
