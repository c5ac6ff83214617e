import { addFinalizerPatch, dropFinalizerPatch } from '../../api/finalizers.ts'
import { PERSISTENT_VOLUME_CLAIMS } from '../../api/kinds/persistent-volume-claim.ts'
import { PODS } from '../../api/kinds/pod.ts'
import type { Pod } from '../../api/kinds/pod.ts'
import { defineController, keyIfPresent, on, patchAsSeen } from '../../kube/controller/index.ts'
import type { ControllerRole } from '../../kube/controller/index.ts'
import { PVC_PROTECTION } from '../../storage/names.ts'
import { podClaimKeysOf } from '../../storage/pod-claims.ts'
import { nextClaimProtectionStep } from './next-claim-protection-step.ts'
import type { ClaimProtectionStep, ClaimProtectionView } from './next-claim-protection-step.ts'
import type { ProtectionConfig } from './protection-options.ts'
import { createPodReader } from './read-pods.ts'

const BY_CLAIM = 'protection/claim'

/** Keeps claims that pods use from being deleted. */
export function defineClaimProtection(config: ProtectionConfig, { api, clock, follow, createQueue }: ControllerRole) {
  const claims = follow(PERSISTENT_VOLUME_CLAIMS)
  const pods = follow(PODS, { indexes: { [BY_CLAIM]: podClaimKeysOf } })
  const readPods = createPodReader(api, clock)
  const isLeaving = (key: string): boolean => claims.get(key)?.metadata.deletionTimestamp !== undefined
  return defineController<ClaimProtectionView, ClaimProtectionStep, undefined, { pods: readonly Pod[] }>({
    name: 'claim-protection',
    queue: createQueue({ name: 'protection-claims', lanes: { default: config.workers } }),
    watch: [
      on(claims, keyIfPresent),
      // A pod that is gone or leaving may have been the last one that kept a claim.
      on(pods, ({ before, after }) =>
        before && (!after || after.metadata.deletionTimestamp !== undefined)
          ? podClaimKeysOf(before).filter(isLeaving)
          : undefined,
      ),
    ],
    view: (key, { reads }) => {
      const claim = claims.get(key)
      return (
        claim && {
          seen: { claim, pods: reads.pods ?? pods.byIndex(BY_CLAIM, key) },
          held: { arePodsConfirmed: reads.pods !== undefined },
        }
      )
    },
    decide: nextClaimProtectionStep,
    perform: {
      'look-at-pods': async (_step, { key, view, reads, signal }) => {
        reads.pods = (await readPods(view.seen.claim.metadata.namespace ?? '', signal)).get(key) ?? []
      },
      'add-finalizer': (_step, { view: { seen } }) =>
        patchAsSeen(
          api,
          PERSISTENT_VOLUME_CLAIMS,
          seen.claim,
          addFinalizerPatch(seen.claim, PVC_PROTECTION, { form: 'json' }),
        ),
      'remove-finalizer': (_step, { view: { seen } }) =>
        patchAsSeen(api, PERSISTENT_VOLUME_CLAIMS, seen.claim, dropFinalizerPatch(seen.claim, PVC_PROTECTION)),
    },
  })
}
