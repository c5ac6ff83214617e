import { PERSISTENT_VOLUME_CLAIMS } from '../../api/kinds/persistent-volume-claim.ts'
import type { PersistentVolumeClaim } from '../../api/kinds/persistent-volume-claim.ts'
import { PERSISTENT_VOLUMES } from '../../api/kinds/persistent-volume.ts'
import type { PersistentVolume } from '../../api/kinds/persistent-volume.ts'
import { STORAGE_CLASSES } from '../../api/kinds/storage-class.ts'
import { keyOf } from '../../api/object-key.ts'
import { unlessInvalid } from '../../api/selector-error.ts'
import { backoffOf } from '../../base/backoff.ts'
import { getOrAdd } from '../../base/get-or-add.ts'
import type { ControllerRole } from '../../kube/controller/index.ts'
import { isCandidate } from '../../storage/find-best-volume.ts'
import { classNameOf, isDelayedBinding } from '../../storage/names.ts'
import { capacityOf, requestedSizeOf, sizeRank } from '../../storage/requested-size.ts'
import { createSortedGroup } from '../../storage/sorted-group.ts'
import type { SortedGroup } from '../../storage/sorted-group.ts'
import { createVolumeStock, isFreeVolume, shelfOf } from '../../storage/volume-stock.ts'
import type { BinderConfig } from './binder-options.ts'
import { isChoosing } from './claim-view.ts'

/** Shared by the controllers of claims and of volumes. */
export type BinderState = ReturnType<typeof createBinderState>

export function createBinderState(config: BinderConfig, { follow, createQueue, holds }: ControllerRole) {
  const claims = follow(PERSISTENT_VOLUME_CLAIMS)
  const volumes = follow(PERSISTENT_VOLUMES)
  const classes = follow(STORAGE_CLASSES)
  const options = {
    lanes: { default: config.workers },
    backoff: backoffOf(config),
  }
  const claimQueue = createQueue({ name: 'binder-claims', ...options })
  const volumeQueue = createQueue({ name: 'binder-volumes', ...options })
  /** Volumes in the order in which claims choose them. */
  const stock = createVolumeStock()
  const offers = createVolumeOffers({
    enqueue: (key) => claimQueue.add(key),
    findFree: (volumeName) => {
      const volume = volumes.get(volumeName)
      if (!volume || !isFreeVolume(volume) || holds.isHeldByOther(volumeName, '')) return undefined
      return isDelayedBinding(classes.get(classNameOf(volume))) ? undefined : volume
    },
  })
  const noteClaim = (key: string): void => {
    const claim = claims.get(key)
    offers.note(key, claim && isChoosing(claim) ? claim : undefined)
  }
  const noteVolume = (volumeName: string): void => {
    const volume = volumes.get(volumeName)
    if (volume) stock.put(volume)
    else stock.remove(volumeName)
    offers.offer(volumeName)
  }
  claims.onUpdate(noteClaim)
  volumes.onUpdate(noteVolume)
  holds.onRelease(offers.offer)
  return { claims, volumes, classes, claimQueue, volumeQueue, stock, offers }
}

/**
 * Offers volumes that become free to waiting claims. A claim has one offer at a time, and considers all free volumes when it is processed: a volume
 * that it does not take is offered to the next claim.
 */
export function createVolumeOffers({
  findFree,
  enqueue,
}: {
  /** Undefined if the volume is not free, or another claim is about to get it. */
  findFree(volumeName: string): PersistentVolume | undefined
  /** Queues the claim. */
  enqueue(claimKey: string): void
}) {
  const waiting = createWaitingClaims()
  // Claims with an offer are not among the waiting ones until they have been processed.
  const offered = new Map<string, { readonly volumeName: string; newest: PersistentVolumeClaim | undefined }>()

  /** The newest state of a claim; undefined if it is not waiting for a volume, or is gone. */
  const note = (key: string, claim: PersistentVolumeClaim | undefined): void => {
    const present = offered.get(key)
    if (present) present.newest = claim
    else if (claim) waiting.put(claim)
    else waiting.remove(key)
  }
  /** The volume may be free. */
  const offer = (volumeName: string): void => {
    const volume = findFree(volumeName)
    const claim = volume && waiting.findFor(volume)
    if (!claim) return
    const key = keyOf(claim)
    waiting.remove(key)
    offered.set(key, { volumeName, newest: claim })
    enqueue(key)
  }
  /** A pass over the claim has ended. */
  const settle = (key: string): void => {
    const settled = offered.get(key)
    if (!settled) return
    // The next claim first: this one has made its choice.
    offer(settled.volumeName)
    offered.delete(key)
    note(key, settled.newest)
  }
  return { note, offer, settle }
}

/** Claims without a volume, in the order in which volumes are offered to them. */
export function createWaitingClaims() {
  const shelves = new Map<string, SortedGroup<PersistentVolumeClaim>>()
  const places = new Map<string, { readonly shelf: string; readonly rank: bigint }>()
  const remove = (key: string): void => {
    const place = places.get(key)
    if (!place) return
    places.delete(key)
    const group = shelves.get(place.shelf)
    group?.remove(place.rank, key)
    if (group?.size() === 0) shelves.delete(place.shelf)
  }
  /** Replaces the stored state of the claim. */
  const put = (claim: PersistentVolumeClaim): void => {
    const key = keyOf(claim)
    remove(key)
    const place = { shelf: shelfOf(claim), rank: sizeRank(requestedSizeOf(claim)) }
    places.set(key, place)
    getOrAdd(shelves, place.shelf, createSortedGroup<PersistentVolumeClaim>).add(place.rank, key, claim)
  }
  /** The claim that makes the best use of the volume: the largest that fits. */
  const findFor = (volume: PersistentVolume): PersistentVolumeClaim | undefined => {
    for (const claim of shelves.get(shelfOf(volume))?.downFrom(sizeRank(capacityOf(volume))) ?? []) {
      // A claim with an invalid selector must not prevent others from getting their volume.
      if (unlessInvalid(() => isCandidate(claim, volume))) return claim
    }
    return undefined
  }
  return { put, remove, findFor }
}
