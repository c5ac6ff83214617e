import { PERSISTENT_VOLUME_CLAIMS } from '../../api/kinds/persistent-volume-claim.ts'
import type { PersistentVolumeClaim } from '../../api/kinds/persistent-volume-claim.ts'
import { PERSISTENT_VOLUMES } from '../../api/kinds/persistent-volume.ts'
import type { PersistentVolume } from '../../api/kinds/persistent-volume.ts'
import { PODS } from '../../api/kinds/pod.ts'
import type { Pod } from '../../api/kinds/pod.ts'
import { STORAGE_CLASSES } from '../../api/kinds/storage-class.ts'
import type { StorageClass } from '../../api/kinds/storage-class.ts'
import type { ControllerRole, FollowedKind, WorkQueue } from '../../kube/controller/index.ts'
import { claimKeyOf } from '../../storage/claim-reference.ts'
import { BIND_COMPLETED, classNameOf, findClassName, hasAnnotation, isDelayedBinding } from '../../storage/names.ts'
import { podClaimKeysOf } from '../../storage/pod-claims.ts'
import { createVolumeStock, isFreeVolume } from '../../storage/volume-stock.ts'
import type { VolumeStock } from '../../storage/volume-stock.ts'
import type { BinderConfig } from './binder-options.ts'
import { createVolumeOffers } from './volume-offers.ts'
import type { VolumeOffers } from './volume-offers.ts'

export const BY_CLAIM = 'binder/claim'
export const BY_VOLUME = 'binder/volume'
export const BY_CLASS = 'binder/class'
export const NO_CLASS = 'none'

/** What the controllers of claims and of volumes share. */
export type BinderState = {
  readonly claims: FollowedKind<PersistentVolumeClaim>
  readonly volumes: FollowedKind<PersistentVolume>
  readonly classes: FollowedKind<StorageClass>
  readonly pods: FollowedKind<Pod>
  readonly claimQueue: WorkQueue
  readonly volumeQueue: WorkQueue
  /** Volumes in the order in which claims choose them. */
  readonly stock: VolumeStock
  /** Brings volumes that become free to claims that wait. */
  readonly offers: VolumeOffers
}

export function createBinderState(
  config: BinderConfig,
  { follow, createQueue, holds, onStop }: ControllerRole,
): BinderState {
  const claims = follow(PERSISTENT_VOLUME_CLAIMS, {
    indexes: {
      [BY_VOLUME]: ({ spec }) => (spec.volumeName ? [spec.volumeName] : []),
      [BY_CLASS]: (claim) => (isChoosing(claim) ? [classIndexOf(claim)] : []),
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
  const stock = createVolumeStock()

  const findFree = (name: string): PersistentVolume | undefined => {
    const volume = volumes.get(name)
    if (!volume || !isFreeVolume(volume) || holds.isHeldByOther(name, '')) return undefined
    return isDelayedBinding(classes.get(classNameOf(volume))) ? undefined : volume
  }
  const offers = createVolumeOffers({ enqueue: (key) => claimQueue.add(key), findFree })
  const noteClaim = (key: string): void => {
    const claim = claims.get(key)
    offers.note(key, claim && isChoosing(claim) ? claim : undefined)
  }
  const noteVolume = (name: string): void => {
    const volume = volumes.get(name)
    if (volume) stock.put(volume)
    else stock.remove(name)
    offers.offer(name)
  }
  // What the server tells and what we wrote ourselves.
  onStop(claims.onChange(({ key }) => noteClaim(key)))
  onStop(claims.onWrite(noteClaim))
  onStop(volumes.onChange(({ key }) => noteVolume(key)))
  onStop(volumes.onWrite(noteVolume))
  onStop(holds.onRelease(offers.offer))
  return { claims, volumes, classes, pods, claimQueue, volumeQueue, stock, offers }
}

/** Takes any volume that fits: it is not bound, names no volume and is not being deleted. */
export const isChoosing = (claim: PersistentVolumeClaim): boolean =>
  !claim.spec.volumeName && claim.metadata.deletionTimestamp === undefined && !hasAnnotation(claim, BIND_COMPLETED)

export const claimKeysOf = (volume: PersistentVolume): string[] => {
  const key = claimKeyOf(volume)
  return key === undefined ? [] : [key]
}

function classIndexOf(claim: PersistentVolumeClaim): string {
  const name = findClassName(claim)
  return name === undefined ? NO_CLASS : `class ${name}`
}
