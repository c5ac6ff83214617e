import { PERSISTENT_VOLUME_CLAIMS } from '../../api/kinds/persistent-volume-claim.ts'
import { PERSISTENT_VOLUMES } from '../../api/kinds/persistent-volume.ts'
import { PODS } from '../../api/kinds/pod.ts'
import { startWhole } from '../../base/stops.ts'
import type { Stops } from '../../base/stops.ts'
import { startController } from '../../kube/controller.ts'
import { createOwnWrites } from '../../kube/own-writes.ts'
import { createWorkQueue } from '../../kube/work-queue.ts'
import { PV_PROTECTION, PVC_PROTECTION } from '../../volumes/names.ts'
import { podClaimKeysOf } from '../../volumes/pod-claims.ts'
import type { ControllerWorld, StartClusterController, WorkingController } from '../cluster-controller.ts'
import type { ClaimProtectionView } from './next-claim-protection-step.ts'
import type { ProtectionConfig } from './protection-options.ts'
import { createPodReader } from './read-pods.ts'
import { createClaimReconciler } from './reconcile-claim.ts'
import { createVolumeReconciler } from './reconcile-volume.ts'
import { createFinalizerWriter } from './write-finalizer.ts'

const BY_CLAIM = 'protection/claim'

/** Keeps claims that pods use and volumes that claims use from being deleted. */
export const startProtection: StartClusterController<ProtectionConfig> = async (config, world, signal) => {
  return startWhole((stops) => assemble(config, world, signal, stops))
}

async function assemble(config: ProtectionConfig, world: ControllerWorld, signal: AbortSignal, stops: Stops): Promise<WorkingController> {
  const { api, informers, clock, random, log } = world
  const { onStop } = stops
  const claimCache = informers.get(PERSISTENT_VOLUME_CLAIMS)
  const volumeCache = informers.get(PERSISTENT_VOLUMES)
  const podCache = informers.get(PODS)
  podCache.addIndex(BY_CLAIM, podClaimKeysOf)
  const claims = createOwnWrites(claimCache)
  const volumes = createOwnWrites(volumeCache)
  onStop(() => claims.stop())
  onStop(() => volumes.stop())
  const createQueue = (name: string) =>
    createWorkQueue({ clock, random, lanes: { default: config.workers }, observe: world.queues?.observerOf(name) })
  const claimQueue = createQueue('protection-claims')
  const volumeQueue = createQueue('protection-volumes')

  onStop(claimCache.onChange(({ key, after }) => (after ? claimQueue.add(key) : undefined)))
  onStop(volumeCache.onChange(({ key, after }) => (after ? volumeQueue.add(key) : undefined)))
  onStop(
    podCache.onChange(({ before, after }) => {
      if (!before || (after && after.metadata.deletionTimestamp === undefined)) return
      for (const key of podClaimKeysOf(before)) if (claimCache.get(key)?.metadata.deletionTimestamp !== undefined) claimQueue.add(key)
    }),
  )
  await Promise.all([claimCache.synced(signal), volumeCache.synced(signal), podCache.synced(signal)])

  const readSeen = (key: string): ClaimProtectionView['seen'] | undefined => {
    const claim = claims.get(key)
    return claim && { claim, pods: podCache.byIndex(BY_CLAIM, key) }
  }
  const controllers = [
    startController({
      name: 'claim-protection',
      queue: claimQueue,
      log,
      reconcile: createClaimReconciler({
        readSeen,
        readPods: createPodReader(api, clock),
        write: createFinalizerWriter({ api, clock, type: PERSISTENT_VOLUME_CLAIMS, finalizer: PVC_PROTECTION, objects: claims }),
      }),
    }),
    startController({
      name: 'volume-protection',
      queue: volumeQueue,
      log,
      reconcile: createVolumeReconciler({
        readVolume: (name) => volumes.get(name),
        write: createFinalizerWriter({ api, clock, type: PERSISTENT_VOLUMES, finalizer: PV_PROTECTION, objects: volumes }),
      }),
    }),
  ]
  for (const controller of controllers) onStop(() => controller.stop())
  log.info('protection is working', { workers: config.workers })
  return { isIdle: () => claimQueue.depth() === 0 && volumeQueue.depth() === 0, stop: stops.run }
}
