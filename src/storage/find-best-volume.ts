import { labelRequirementsOf, matchesLabelSelector } from '../api/label-selector.ts'
import type { PersistentVolumeClaim } from '../api/kinds/persistent-volume-claim.ts'
import type { PersistentVolume } from '../api/kinds/persistent-volume.ts'
import { keyOf } from '../api/object-key.ts'
import { isLargeEnough, sizeRank, capacityOf } from './requested-size.ts'
import { shelfOf } from './volume-stock.ts'
import type { VolumeStock } from './volume-stock.ts'

export type MatchOptions = {
  /** Only volumes reserved for the claim: with WaitForFirstConsumer the scheduler chooses. Default false. */
  readonly reservedOnly?: boolean
  /** For the scheduler: whether the volume is accessible from the node. Default: it is. */
  isReachable?(volume: PersistentVolume): boolean
  /** Whether another claim is about to get the volume; not called for volumes reserved for this claim. Default: none is. */
  isTaken?(volume: PersistentVolume): boolean
}

/**
 * The volume that the claim gets: one that is reserved for it, regardless of class, labels and phase; otherwise the smallest that fits, among those
 * with the fewest access modes. Undefined if there is none, or if the reserved volume is not accessible. Throws a `SelectorError` for an invalid
 * selector.
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

/** A reserved volume still needs the right size, access modes and volume mode. */
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

// A volume with the claim's uid comes first: a binding that has begun is completed.
function compareReserved(one: PersistentVolume, other: PersistentVolume): number {
  const named = Number(!one.spec.claimRef?.uid) - Number(!other.spec.claimRef?.uid)
  if (named !== 0) return named
  const modes = (one.spec.accessModes?.length ?? 0) - (other.spec.accessModes?.length ?? 0)
  if (modes !== 0) return modes
  const [left, right] = [sizeRank(capacityOf(one)), sizeRank(capacityOf(other))]
  if (left !== right) return left < right ? -1 : 1
  return keyOf(one) < keyOf(other) ? -1 : 1
}

/** Whether the claim would take the free volume if there were no other. Throws a `SelectorError`. */
export function isCandidate(claim: PersistentVolumeClaim, volume: PersistentVolume): boolean {
  const { accessModes = [], selector } = claim.spec
  return (
    shelfOf(claim) === shelfOf(volume) &&
    accessModes.every((mode) => volume.spec.accessModes?.includes(mode) ?? false) &&
    isLargeEnough(volume, claim) &&
    (!selector || matchesLabelSelector(labelRequirementsOf(selector), volume.metadata.labels))
  )
}
