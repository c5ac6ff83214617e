import { PERSISTENT_VOLUME_CLAIMS } from '../../api/kinds/persistent-volume-claim.ts'
import { PODS } from '../../api/kinds/pod.ts'
import type { Pod } from '../../api/kinds/pod.ts'
import { keyOf, keyOfRef } from '../../api/object-key.ts'
import { startWhole } from '../../base/stops.ts'
import type { Stops } from '../../base/stops.ts'
import { startController } from '../../kube/controller.ts'
import { createWorkQueue } from '../../kube/work-queue.ts'
import { podClaimsOf } from '../../volumes/pod-claims.ts'
import type { ControllerWorld, StartClusterController, WorkingController } from '../cluster-controller.ts'
import type { EphemeralConfig } from './ephemeral-options.ts'
import type { EphemeralView } from './next-ephemeral-step.ts'
import { createPodReconciler } from './reconcile-pod.ts'

const BY_CLAIM = 'ephemeral/claim'

/** Makes the claims that pods bring with them. */
export const startEphemeral: StartClusterController<EphemeralConfig> = async (config, world, signal) => {
  return startWhole((stops) => assemble(config, world, signal, stops))
}

async function assemble(config: EphemeralConfig, world: ControllerWorld, signal: AbortSignal, stops: Stops): Promise<WorkingController> {
  const { api, informers, clock, random, log, events } = world
  const { onStop } = stops
  const pods = informers.get(PODS)
  const claims = informers.get(PERSISTENT_VOLUME_CLAIMS)
  pods.addIndex(BY_CLAIM, ownClaimKeysOf)
  const queue = createWorkQueue({ clock, random, lanes: { default: config.workers }, observe: world.queues?.observerOf('ephemeral') })

  onStop(
    pods.onChange(({ key, after }) => {
      if (after && ownClaimKeysOf(after).length > 0) queue.add(key)
    }),
  )
  // One that is gone is made anew; one that is in the way may be gone.
  onStop(
    claims.onChange(({ key, after }) => {
      if (!after) for (const pod of pods.byIndex(BY_CLAIM, key)) queue.add(keyOf(pod))
    }),
  )
  await Promise.all([pods.synced(signal), claims.synced(signal)])

  const readSeen = (key: string): EphemeralView['seen'] | undefined => {
    const pod = pods.get(key)
    return pod && { pod, claims: ownClaimKeysOf(pod).flatMap((claimKey) => claims.get(claimKey) ?? []) }
  }
  const controller = startController({ name: 'ephemeral', queue, log, reconcile: createPodReconciler({ api, clock, events, readSeen }) })
  onStop(() => controller.stop())
  log.info('ephemeral volumes are made', { workers: config.workers })
  return { isIdle: () => queue.depth() === 0, stop: stops.run }
}

const ownClaimKeysOf = (pod: Pod): string[] =>
  podClaimsOf(pod)
    .filter(({ isEphemeral }) => isEphemeral)
    .map(({ claimName }) => keyOfRef({ namespace: pod.metadata.namespace ?? '', name: claimName }))
