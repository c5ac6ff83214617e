import { labelRequirementsOf, matchesLabelSelector } from '../api/label-selector.ts'
import type { PersistentVolumeClaim } from '../api/kinds/persistent-volume-claim.ts'
import type { PersistentVolume } from '../api/kinds/persistent-volume.ts'
import { keyOf } from '../api/object-key.ts'
import { isLargeEnough, sizeRank, capacityOf } from './requested-size.ts'
import { shelfOf } from './volume-stock.ts'
import type { VolumeStock } from './volume-stock.ts'

export type MatchOptions = {
  /** Only what is reserved for the claim: the scheduler chooses for claims that wait for their pod. Default false. */
  readonly reservedOnly?: boolean
  /** The scheduler's: whether the node that it looks at reaches the volume. Default: all do. */
  isReachable?(volume: PersistentVolume): boolean
  /** Volumes that somebody else is about to get. What is reserved for the claim is never asked about. Default: none. */
  isTaken?(volume: PersistentVolume): boolean
}

/**
 * The volume that the claim gets: one that is reserved for it, whatever its class, labels and phase; else the smallest that fits, among
 * those with the fewest access modes. Undefined when there is none, also where what is reserved can't be reached. Throws a
 * `SelectorError` for a selector that makes no sense.
 */
export function findBestVolume(
  claim: PersistentVolumeClaim,
  stock: Pick<VolumeStock, 'reservedFor' | 'freeFor'>,
  options: MatchOptions = {},
): PersistentVolume | undefined {
  const { reservedOnly = false, isReachable = () => true, isTaken = () => false } = options
  const [reserved] = stock
    .reservedFor(claim)
    .filter((volume) => fitsReserved(claim, volume))
    .sort(compareReserved)
  if (reserved) return isReachable(reserved) ? reserved : undefined
  if (reservedOnly) return undefined
  const labels = claim.spec.selector ? labelRequirementsOf(claim.spec.selector) : []
  for (const volume of stock.freeFor(claim)) {
    if (
      isLargeEnough(volume, claim) &&
      matchesLabelSelector(labels, volume.metadata.labels) &&
      !isTaken(volume) &&
      isReachable(volume)
    )
      return volume
  }
  return undefined
}

/** That a person meant it for the claim makes it no larger, and no block device. */
function fitsReserved(claim: PersistentVolumeClaim, volume: PersistentVolume): boolean {
  const { accessModes = [], volumeMode = 'Filesystem', volumeAttributesClassName = '' } = claim.spec
  const { spec, metadata } = volume
  return (
    metadata.deletionTimestamp === undefined &&
    (spec.volumeMode ?? 'Filesystem') === volumeMode &&
    (spec.volumeAttributesClassName ?? '') === volumeAttributesClassName &&
    accessModes.every((mode) => spec.accessModes?.includes(mode) ?? false) &&
    isLargeEnough(volume, claim)
  )
}

// One that has the claim's uid comes first: a binding that was begun is ended, whatever else has come meanwhile.
function compareReserved(one: PersistentVolume, other: PersistentVolume): number {
  const named = Number(!one.spec.claimRef?.uid) - Number(!other.spec.claimRef?.uid)
  if (named !== 0) return named
  const modes = (one.spec.accessModes?.length ?? 0) - (other.spec.accessModes?.length ?? 0)
  if (modes !== 0) return modes
  const [left, right] = [sizeRank(capacityOf(one)), sizeRank(capacityOf(other))]
  if (left !== right) return left < right ? -1 : 1
  return keyOf(one) < keyOf(other) ? -1 : 1
}

/** Whether a free volume is one that the claim would take if there were no other. Throws a `SelectorError`. */
export function isCandidate(claim: PersistentVolumeClaim, volume: PersistentVolume): boolean {
  const { accessModes = [], selector } = claim.spec
  return (
    shelfOf(claim) === shelfOf(volume) &&
    accessModes.every((mode) => volume.spec.accessModes?.includes(mode) ?? false) &&
    isLargeEnough(volume, claim) &&
    (!selector || matchesLabelSelector(labelRequirementsOf(selector), volume.metadata.labels))
  )
}
