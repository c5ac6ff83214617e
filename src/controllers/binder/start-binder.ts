import { PERSISTENT_VOLUME_CLAIMS } from '../../api/kinds/persistent-volume-claim.ts'
import type { PersistentVolumeClaim } from '../../api/kinds/persistent-volume-claim.ts'
import { PERSISTENT_VOLUMES } from '../../api/kinds/persistent-volume.ts'
import type { PersistentVolume } from '../../api/kinds/persistent-volume.ts'
import { PODS } from '../../api/kinds/pod.ts'
import type { Pod } from '../../api/kinds/pod.ts'
import { STORAGE_CLASSES } from '../../api/kinds/storage-class.ts'
import { keyOf } from '../../api/object-key.ts'
import { startWhole } from '../../base/stops.ts'
import type { Stops } from '../../base/stops.ts'
import { startController } from '../../kube/controller.ts'
import { createOwnWrites } from '../../kube/own-writes.ts'
import { createRecentMap } from '../../kube/recent-map.ts'
import { createWorkQueue } from '../../kube/work-queue.ts'
import { claimKeyOf } from '../../volumes/claim-reference.ts'
import { findDefaultClass } from '../../volumes/default-class.ts'
import { findBestVolume } from '../../volumes/find-best-volume.ts'
import { BIND_COMPLETED, classNameOf, findClassName, hasAnnotation, isDelayedBinding, selectedNodeOf } from '../../volumes/names.ts'
import { isFinishedPod, podClaimKeysOf } from '../../volumes/pod-claims.ts'
import { createVolumeStock, isFreeVolume } from '../../volumes/volume-stock.ts'
import type { ControllerWorld, StartClusterController, WorkingController } from '../cluster-controller.ts'
import type { BinderConfig } from './binder-options.ts'
import type { ClaimView, VolumeView } from './binder-view.ts'
import { createBindingWriter } from './binding-writer.ts'
import { createNotices } from './notices.ts'
import { createClaimReconciler } from './reconcile-claim.ts'
import { createVolumeReconciler } from './reconcile-volume.ts'
import { createVolumeLocks } from './volume-locks.ts'
import { createVolumeOffers } from './volume-offers.ts'

const BY_CLAIM = 'binder/claim'
const BY_VOLUME = 'binder/volume'
const BY_CLASS = 'binder/class'
const NO_CLASS = 'none'
// So many claims that went are remembered until their volumes have been looked at.
const MOST_GONE = 10_000

/** Binds claims and volumes to each other, and says what became of those that can't be. */
export const startBinder: StartClusterController<BinderConfig> = async (config, world, signal) => {
  return startWhole((stops) => assemble(config, world, signal, stops))
}

async function assemble(config: BinderConfig, world: ControllerWorld, signal: AbortSignal, stops: Stops): Promise<WorkingController> {
  const { api, informers, clock, random, log } = world
  const { onStop } = stops
  const claimCache = informers.get(PERSISTENT_VOLUME_CLAIMS)
  const volumeCache = informers.get(PERSISTENT_VOLUMES)
  const classCache = informers.get(STORAGE_CLASSES)
  const podCache = informers.get(PODS)
  claimCache.addIndex(BY_VOLUME, ({ spec }) => (spec.volumeName ? [spec.volumeName] : []))
  claimCache.addIndex(BY_CLASS, (claim) => (isChoosing(claim) ? [classIndexOf(claim)] : []))
  volumeCache.addIndex(BY_CLAIM, claimKeysOf)
  podCache.addIndex(BY_CLAIM, podClaimKeysOf)
  const claims = createOwnWrites(claimCache)
  const volumes = createOwnWrites(volumeCache)
  onStop(() => claims.stop())
  onStop(() => volumes.stop())

  const backoff = { initialMs: config.retryIntervalStartMs, maximumMs: config.retryIntervalMaxMs }
  const createQueue = (name: string) =>
    createWorkQueue({ clock, random, lanes: { default: config.workers }, backoff, observe: world.queues?.observerOf(name) })
  const claimQueue = createQueue('binder-claims')
  const volumeQueue = createQueue('binder-volumes')
  const notices = createNotices(world.events)
  const stock = createVolumeStock()
  const goneClaims = createRecentMap<true>(MOST_GONE)
  const locks = createVolumeLocks((name) => offers.offer(name))
  const offers = createVolumeOffers({ enqueue: (key) => claimQueue.add(key), findFree })

  const findClass = (object: PersistentVolumeClaim | PersistentVolume) => classCache.get(classNameOf(object))
  function findFree(name: string): PersistentVolume | undefined {
    const volume = volumes.get(name)
    if (!volume || !isFreeVolume(volume) || locks.isTakenByOther(name, '')) return undefined
    return isDelayedBinding(findClass(volume)) ? undefined : volume
  }

  // Both are told of what the cache shows and of what we wrote ourselves.
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
  const write = createBindingWriter({
    api,
    clock,
    rememberClaim: (claim) => {
      claims.remember(claim)
      noteClaim(keyOf(claim))
    },
    rememberVolume: (volume) => {
      volumes.remember(volume)
      noteVolume(keyOf(volume))
    },
  })

  onStop(
    claimCache.onChange(({ key, before, after }) => {
      noteClaim(key)
      claimQueue.add(key)
      const [formerUid = '', uid] = [before?.metadata.uid, after?.metadata.uid]
      if (before && formerUid !== uid) {
        goneClaims.set(formerUid, true)
        notices.forget(formerUid)
      }
      if (formerUid === uid && before?.spec.volumeName === after?.spec.volumeName) return
      for (const volume of volumeCache.byIndex(BY_CLAIM, key)) volumeQueue.add(keyOf(volume))
      for (const name of [before?.spec.volumeName, after?.spec.volumeName]) if (name) volumeQueue.add(name)
    }),
  )
  onStop(
    volumeCache.onChange(({ key, before, after }) => {
      noteVolume(key)
      if (after) volumeQueue.add(key)
      else notices.forget(before?.metadata.uid ?? '')
      for (const volume of [before, after]) for (const claimKey of volume ? claimKeysOf(volume) : []) claimQueue.add(claimKey)
      for (const claim of claimCache.byIndex(BY_VOLUME, key)) claimQueue.add(keyOf(claim))
    }),
  )
  onStop(
    classCache.onChange(({ key }) => {
      for (const value of [`class ${key}`, NO_CLASS]) for (const claim of claimCache.byIndex(BY_CLASS, value)) claimQueue.add(keyOf(claim))
    }),
  )
  onStop(
    podCache.onChange(({ before, after }) => {
      if (!after || before || after.spec.nodeName) return
      for (const key of podClaimKeysOf(after)) {
        const claim = claimCache.get(key)
        if (claim && isChoosing(claim)) claimQueue.add(key)
      }
    }),
  )
  await Promise.all([claimCache.synced(signal), volumeCache.synced(signal), classCache.synced(signal), podCache.synced(signal)])

  const waitingPodsOf = (key: string): Pod[] => podCache.byIndex(BY_CLAIM, key).filter((pod) => !pod.spec.nodeName && !isFinishedPod(pod))
  const readClaim = (key: string): ClaimView['seen'] | undefined => {
    const claim = claims.get(key)
    if (!claim) return undefined
    const volume = claim.spec.volumeName ? volumes.get(claim.spec.volumeName) : undefined
    if (!isChoosing(claim)) return { claim, ...(volume ? { volume } : {}) }
    const storageClass = findClass(claim)
    const isDelayed = isDelayedBinding(storageClass)
    const match = findBestVolume(claim, stock, { reservedOnly: isDelayed, isTaken: (found) => locks.isTakenByOther(keyOf(found), key) })
    const defaultClass = findClassName(claim) === undefined ? findDefaultClass(classCache.all()) : undefined
    const waitingPods = isDelayed && selectedNodeOf(claim) === '' ? waitingPodsOf(key) : []
    return { claim, waitingPods, ...(match ? { match } : {}), ...(storageClass ? { storageClass } : {}), ...(defaultClass ? { defaultClass } : {}) }
  }
  const readVolume = (name: string): VolumeView['seen'] | undefined => {
    const volume = volumes.get(name)
    if (!volume) return undefined
    const claim = claims.get(claimKeyOf(volume) ?? '')
    return { volume, ...(claim ? { claim } : {}) }
  }

  const reconcileClaim = createClaimReconciler({
    api,
    clock,
    podPatienceMs: config.podPatienceMs,
    readSeen: readClaim,
    write,
    locks,
    notices,
    enqueue: (key) => claimQueue.add(key),
    onSettled: (key) => offers.settle(key),
  })
  const reconcileVolume = createVolumeReconciler({
    api,
    clock,
    readSeen: readVolume,
    isKnownGone: (uid) => goneClaims.get(uid) ?? false,
    write,
    locks,
    notices,
    enqueue: (name) => volumeQueue.add(name),
  })
  const controllers = [
    startController({ name: 'binder', queue: claimQueue, reconcile: reconcileClaim, log }),
    startController({ name: 'binder-volumes', queue: volumeQueue, reconcile: reconcileVolume, log }),
  ]
  for (const controller of controllers) onStop(() => controller.stop())
  log.info('binder is working', { workers: config.workers })
  return { isIdle: () => claimQueue.depth() === 0 && volumeQueue.depth() === 0, stop: stops.run }
}

/** Takes any volume that fits: it is not bound, names none and stays. */
const isChoosing = (claim: PersistentVolumeClaim): boolean =>
  !claim.spec.volumeName && claim.metadata.deletionTimestamp === undefined && !hasAnnotation(claim, BIND_COMPLETED)

const claimKeysOf = (volume: PersistentVolume): string[] => {
  const key = claimKeyOf(volume)
  return key === undefined ? [] : [key]
}

function classIndexOf(claim: PersistentVolumeClaim): string {
  const name = findClassName(claim)
  return name === undefined ? NO_CLASS : `class ${name}`
}
