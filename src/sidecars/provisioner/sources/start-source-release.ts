import { hasFinalizer } from '../../../api/finalizers.ts'
import { PERSISTENT_VOLUME_CLAIMS } from '../../../api/kinds/persistent-volume-claim.ts'
import type { PersistentVolumeClaim } from '../../../api/kinds/persistent-volume-claim.ts'
import { PERSISTENT_VOLUMES } from '../../../api/kinds/persistent-volume.ts'
import { createStops } from '../../../base/stops.ts'
import { ControllerServiceCapability_RPC_Type as Capability } from '../../../csi/generated/csi/v1/csi.ts'
import { startController } from '../../../kube/controller.ts'
import { createOwnWrites } from '../../../kube/own-writes.ts'
import type { OwnWrites } from '../../../kube/own-writes.ts'
import { createWorkQueue } from '../../../kube/work-queue.ts'
import type { RoleParts, RunningRole } from '../../role.ts'
import { BETA_STORAGE_PROVISIONER, findAnnotation, STORAGE_PROVISIONER } from '../../../storage/names.ts'
import { CLONE_SOURCE_FINALIZER } from '../names.ts'
import type { ProvisionerConfig } from '../provisioner-options.ts'
import { findSourceKey, isWithoutVolume, parseSourceKey, sourceKeyOf } from './next-source-step.ts'
import { createSourceReconciler } from './reconcile-source.ts'
import { startSnapshotSweep } from './start-snapshot-sweep.ts'

export type SourceReleaseParts = RoleParts & {
  /** Whether a call that needs the source is under way or in doubt, though its claim may be gone. */
  isInUse(sourceKey: string): boolean
  /** Claims with the writes of the whole role in them. Left out: with those of this part alone. */
  readonly claims?: OwnWrites<PersistentVolumeClaim>
  /** A release that `isReleasing` spoke of is over, whether or not the finalizer is gone. */
  onReleased?(sourceKey: string): void
}

export interface SourceRelease extends RunningRole {
  /** Something that needed the source has ended: look again. */
  sourceReleased(sourceKey: string): void
  /** Our finalizer is on its way off the source, though it can still be seen: nothing new may rely on it. */
  isReleasing(sourceKey: string): boolean
}

const BY_SOURCE = 'sources/source'

/** Lets go of claims and snapshots that volumes were copied from, once the last copy is made. */
export async function startSourceRelease(
  config: ProvisionerConfig,
  parts: SourceReleaseParts,
  signal: AbortSignal,
): Promise<SourceRelease> {
  const { facts, informers, clock, random, log, isInUse, onReleased = () => {} } = parts
  const kinds = {
    PersistentVolumeClaim: facts.controller.has(Capability.CLONE_VOLUME),
    VolumeSnapshot: facts.controller.has(Capability.CREATE_DELETE_SNAPSHOT),
  }
  const claimCache = informers.get(PERSISTENT_VOLUME_CLAIMS)
  const volumeCache = informers.get(PERSISTENT_VOLUMES)
  claimCache.addIndex(BY_SOURCE, (claim) => [findSourceKey(claim) ?? ''])
  await Promise.all([claimCache.synced(signal), volumeCache.synced(signal)])

  const stops = createStops()
  const claims = parts.claims ?? createOwnWrites(claimCache)
  if (!parts.claims) stops.onStop(() => claims.stop())
  const backoff = { initialMs: config.retryIntervalStartMs, maximumMs: config.retryIntervalMaxMs }
  const queue = createWorkQueue({
    clock,
    random,
    lanes: { default: config.cloningProtectionThreads },
    backoff,
    observe: parts.queues?.observerOf('sources'),
  })
  const add = (sourceKey: string): void => {
    const source = parseSourceKey(sourceKey)
    if (source && kinds[source.kind]) queue.add(sourceKey)
  }
  const provisionerOf = (claim: PersistentVolumeClaim): string | undefined =>
    findAnnotation(claim, STORAGE_PROVISIONER) ?? findAnnotation(claim, BETA_STORAGE_PROVISIONER)
  // The finalizer is the same for all drivers, but only its own provisioner knows which calls are under way.
  const isOurs = (claim: PersistentVolumeClaim): boolean => {
    const driverName = volumeCache.get(claim.spec.volumeName ?? '')?.spec.csi?.driver ?? provisionerOf(claim)
    return driverName === undefined || driverName === facts.name
  }

  stops.onStop(
    claimCache.onChange(({ before, after }) => {
      if (after && hasFinalizer(after, CLONE_SOURCE_FINALIZER)) add(sourceKeyOf(after))
      const user = after ?? before
      const key = user && findSourceKey(user)
      if (!key) return
      const isClone = key.startsWith('PersistentVolumeClaim/')
      // To look at a snapshot takes a request, so only the moment counts in which it may have become free.
      const becameFree = before !== undefined && isWithoutVolume(before) && !(after && isWithoutVolume(after))
      if (isClone || (becameFree && provisionerOf(user) === facts.name)) add(key)
    }),
  )
  const releasing = new Set<string>()
  const reconcile = createSourceReconciler({
    api: parts.api,
    clock,
    driverName: facts.name,
    claims,
    usersOf: (key) => claimCache.byIndex(BY_SOURCE, key),
    isOurs,
    isInUse,
    releasing,
    onReleased,
  })
  const controller = startController({ name: 'sources', queue, reconcile, log })
  stops.onStop(() => controller.stop())
  const sweep =
    kinds.VolumeSnapshot && config.snapshotOrphanSweepIntervalMs > 0
      ? startSnapshotSweep({
          api: parts.api,
          clock,
          log,
          intervalMs: config.snapshotOrphanSweepIntervalMs,
          onHeld: add,
        })
      : undefined
  if (sweep) stops.onStop(() => sweep.stop())
  return {
    isIdle: () => queue.depth() === 0 && (sweep?.isIdle() ?? true),
    stop: stops.run,
    sourceReleased: add,
    isReleasing: (key) => releasing.has(key),
  }
}
