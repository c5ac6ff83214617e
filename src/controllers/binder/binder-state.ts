import { PERSISTENT_VOLUME_CLAIMS } from '../../api/kinds/persistent-volume-claim.ts'
import { PERSISTENT_VOLUMES } from '../../api/kinds/persistent-volume.ts'
import { PODS } from '../../api/kinds/pod.ts'
import { STORAGE_CLASSES } from '../../api/kinds/storage-class.ts'
import type { ControllerRole } from '../../kube/controller/index.ts'
import { claimKeysOf } from '../../storage/claim-reference.ts'
import { classNameOf, findClassName, isDelayedBinding } from '../../storage/names.ts'
import { podClaimKeysOf } from '../../storage/pod-claims.ts'
import { createVolumeStock, isFreeVolume } from '../../storage/volume-stock.ts'
import type { BinderConfig } from './binder-options.ts'
import { isChoosing } from './claim-view.ts'
import { createVolumeOffers } from './volume-offers.ts'

export const BY_CLAIM = 'binder/claim'
export const BY_VOLUME = 'binder/volume'
export const BY_CLASS = 'binder/class'
export const NO_CLASS = 'none'

/** What the controllers of claims and of volumes share. */
export type BinderState = ReturnType<typeof createBinderState>

export function createBinderState(config: BinderConfig, { follow, createQueue, holds, onStop }: ControllerRole) {
  const claims = follow(PERSISTENT_VOLUME_CLAIMS, {
    indexes: {
      [BY_VOLUME]: ({ spec }) => (spec.volumeName ? [spec.volumeName] : []),
      [BY_CLASS]: (claim) => {
        const className = findClassName(claim)
        return isChoosing(claim) ? [className === undefined ? NO_CLASS : `class ${className}`] : []
      },
    },
  })
  const volumes = follow(PERSISTENT_VOLUMES, { indexes: { [BY_CLAIM]: claimKeysOf } })
  const classes = follow(STORAGE_CLASSES)
  const pods = follow(PODS, { indexes: { [BY_CLAIM]: podClaimKeysOf } })
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
  // Changes from the API server, and our own writes before it reports them.
  onStop(claims.onChange(({ key }) => noteClaim(key)))
  onStop(claims.onWrite(noteClaim))
  onStop(volumes.onChange(({ key }) => noteVolume(key)))
  onStop(volumes.onWrite(noteVolume))
  onStop(holds.onRelease(offers.offer))
  return { claims, volumes, classes, pods, claimQueue, volumeQueue, stock, offers }
}
