import { PERSISTENT_VOLUME_CLAIMS } from '../../api/kinds/persistent-volume-claim.ts'
import { PERSISTENT_VOLUMES } from '../../api/kinds/persistent-volume.ts'
import { STORAGE_CLASSES } from '../../api/kinds/storage-class.ts'
import type { ControllerRole } from '../../kube/controller/index.ts'
import { classNameOf, isDelayedBinding } from '../../storage/names.ts'
import { createVolumeStock, isFreeVolume } from '../../storage/volume-stock.ts'
import type { BinderConfig } from './binder-options.ts'
import { isChoosing } from './claim-view.ts'
import { createVolumeOffers } from './volume-offers.ts'

/** Shared by the controllers of claims and of volumes. */
export type BinderState = ReturnType<typeof createBinderState>

export function createBinderState(config: BinderConfig, { follow, createQueue, holds }: ControllerRole) {
  const claims = follow(PERSISTENT_VOLUME_CLAIMS)
  const volumes = follow(PERSISTENT_VOLUMES)
  const classes = follow(STORAGE_CLASSES)
  const options = {
    lanes: { default: config.workers },
    backoff: { initialMs: config.retryIntervalStartMs, maximumMs: config.retryIntervalMaxMs },
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
