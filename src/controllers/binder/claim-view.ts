import type { PersistentVolumeClaim } from '../../api/kinds/persistent-volume-claim.ts'
import type { PersistentVolume } from '../../api/kinds/persistent-volume.ts'
import type { Pod } from '../../api/kinds/pod.ts'
import type { StorageClass } from '../../api/kinds/storage-class.ts'
import { findDefaultClass } from '../../storage/default-class.ts'
import { findBestVolume } from '../../storage/find-best-volume.ts'
import {
  BIND_COMPLETED,
  classNameOf,
  findClassName,
  hasAnnotation,
  isDelayedBinding,
  selectedNodeOf,
} from '../../storage/names.ts'
import { isFinishedPod } from '../../storage/pod-claims.ts'
import type { VolumeStock } from '../../storage/volume-stock.ts'

export type ClaimView = {
  readonly seen: {
    readonly claim: PersistentVolumeClaim
    /** The volume that the claim names. */
    readonly volume?: PersistentVolume | undefined
    /** The best volume for a claim that names none. */
    readonly match?: PersistentVolume | undefined
    /** The class of the claim. */
    readonly storageClass?: StorageClass | undefined
    /** The class that a claim without one gets. */
    readonly defaultClass?: StorageClass | undefined
    /** Pods that use the claim and have not been scheduled yet. */
    readonly waitingPods?: readonly Pod[]
  }
  readonly held?: {
    readonly nowMs: number
    readonly podPatienceMs: number
    /** Whether `volume` was read from the API server, not only from the cache. */
    readonly isVolumeConfirmed: boolean
  }
}

/** The source of a claim's view: the caches of the binder, or the objects that `explain` has read. */
export type ClaimSources = {
  readonly claims: { get(key: string): PersistentVolumeClaim | undefined }
  readonly volumes: { get(volumeName: string): PersistentVolume | undefined }
  readonly classes: { get(className: string): StorageClass | undefined; all(): Iterable<StorageClass> }
  readonly stock: Pick<VolumeStock, 'reservedFor' | 'freeFor'>
  /** Every pod that uses the claim. */
  podsOf(claimKey: string): readonly Pod[]
  /** Whether another claim is about to get the volume. Default: none is. */
  isTaken?(volume: PersistentVolume): boolean
}

/** Throws a `SelectorError` for a claim whose selector is invalid. */
export function readClaimView(sources: ClaimSources, key: string): ClaimView | undefined {
  const { classes, stock, podsOf, isTaken } = sources
  const claim = sources.claims.get(key)
  if (!claim) return undefined
  if (!isChoosing(claim)) return { seen: { claim, volume: sources.volumes.get(claim.spec.volumeName ?? '') } }
  const storageClass = classes.get(classNameOf(claim))
  const isDelayed = isDelayedBinding(storageClass)
  const match = findBestVolume(claim, stock, { reservedOnly: isDelayed, ...(isTaken ? { isTaken } : {}) })
  const defaultClass = findClassName(claim) === undefined ? findDefaultClass(classes.all()) : undefined
  const pods = isDelayed && selectedNodeOf(claim) === '' ? podsOf(key) : []
  const waitingPods = pods.filter((pod) => !pod.spec.nodeName && !isFinishedPod(pod))
  return { seen: { claim, match, storageClass, defaultClass, waitingPods } }
}

/** Whether the claim accepts any matching volume: it is not bound, names no volume and is not being deleted. */
export const isChoosing = (claim: PersistentVolumeClaim): boolean =>
  !claim.spec.volumeName && claim.metadata.deletionTimestamp === undefined && !hasAnnotation(claim, BIND_COMPLETED)
