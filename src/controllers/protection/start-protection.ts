import type { Api } from '../../api/api.ts'
import { addFinalizerPatch, dropFinalizerPatch } from '../../api/finalizers.ts'
import { PERSISTENT_VOLUME_CLAIMS } from '../../api/kinds/persistent-volume-claim.ts'
import { PERSISTENT_VOLUMES } from '../../api/kinds/persistent-volume.ts'
import { PODS } from '../../api/kinds/pod.ts'
import type { Pod } from '../../api/kinds/pod.ts'
import { VOLUME_ATTRIBUTES_CLASSES } from '../../api/kinds/volume-attributes-class.ts'
import type { KubeObject } from '../../api/object.ts'
import type { ResourceType } from '../../api/resource-type.ts'
import { count } from '../../base/options/index.ts'
import type { ConfigOf, OptionTable } from '../../base/options/index.ts'
import { defineController, keyIfPresent, on, patchAsSeen, startControllers } from '../../kube/controller/index.ts'
import type { ControllerRole } from '../../kube/controller/index.ts'
import { untilServed } from '../../kube/cache/optional-cache.ts'
import { PV_PROTECTION, PVC_PROTECTION, VAC_PROTECTION } from '../../storage/names.ts'
import { podClaimKeysOf } from '../../storage/pod-claims.ts'
import type { StartRole } from '../../kube/process/role-world.ts'
import {
  attributesClassesOfClaim,
  attributesClassesOfVolume,
  nextClaimProtectionStep,
  nextClassProtectionStep,
  nextVolumeProtectionStep,
} from './next-protection-step.ts'
import type { ClaimProtectionStep, ClaimProtectionView } from './next-protection-step.ts'
import type { ClassProtectionView, VolumeProtectionView } from './next-protection-step.ts'
import { createPodReader } from './read-pods.ts'

/** The flags of the protection of claims and volumes. */
export const protectionOptions = {
  // Claims that are deleted together share one list of pods: the more of them may wait for it, the fewer lists are needed.
  workers: count(100, 'Number of claims, and number of volumes, to process concurrently.', { minimum: 1 }),
} satisfies OptionTable

type ProtectionConfig = ConfigOf<typeof protectionOptions>

/** Protects claims that pods use, and volumes that claims use, from deletion. */
export const startProtection: StartRole<ProtectionConfig> = (config, world, signal) =>
  startControllers(world, signal, (role) => [defineClaimProtection(config, role), defineVolumeProtection(config, role)])

/** Protects VolumeAttributesClasses that claims or volumes use from deletion. Servers before Kubernetes 1.34 do not have the kind. */
export const startClassProtection: StartRole<object> = (_config, world, signal) =>
  startControllers(world, signal, async (role) => {
    await untilServed(VOLUME_ATTRIBUTES_CLASSES, role)
    return [defineClassProtection(role)]
  })

function defineClaimProtection({ workers }: ProtectionConfig, { api, clock, follow, createQueue }: ControllerRole) {
  const claims = follow(PERSISTENT_VOLUME_CLAIMS)
  const pods = follow(PODS)
  const podsOf = pods.indexBy(podClaimKeysOf)
  const readPods = createPodReader(api, clock)
  const isLeaving = (key: string): boolean => claims.get(key)?.metadata.deletionTimestamp !== undefined
  return defineController<ClaimProtectionView, ClaimProtectionStep, undefined, { pods: readonly Pod[] }>({
    name: 'claim-protection',
    queue: createQueue({ name: 'protection-claims', lanes: { default: workers } }),
    watch: [
      on(claims, keyIfPresent),
      // A pod that is gone or being deleted may have been the last user of a claim.
      on(pods, ({ before, after }) =>
        before && (!after || after.metadata.deletionTimestamp !== undefined)
          ? podClaimKeysOf(before).filter(isLeaving)
          : undefined,
      ),
    ],
    view: (key, { reads }) => {
      const claim = claims.get(key)
      const held = { arePodsConfirmed: reads.pods !== undefined }
      return claim && { seen: { claim, pods: reads.pods ?? podsOf(key) }, held }
    },
    decide: nextClaimProtectionStep,
    perform: {
      'look-at-pods': async (_step, { key, view, reads, signal }) => {
        reads.pods = (await readPods(view.seen.claim.metadata.namespace ?? '', signal)).get(key) ?? []
      },
      ...finalizerSteps(api, PERSISTENT_VOLUME_CLAIMS, PVC_PROTECTION, ({ seen }: ClaimProtectionView) => seen.claim),
    },
  })
}

function defineVolumeProtection({ workers }: ProtectionConfig, { api, follow, createQueue }: ControllerRole) {
  const volumes = follow(PERSISTENT_VOLUMES)
  return defineController({
    name: 'volume-protection',
    queue: createQueue({ name: 'protection-volumes', lanes: { default: workers } }),
    watch: [on(volumes, keyIfPresent)],
    view: (name) => {
      const volume = volumes.get(name)
      return volume && { seen: { volume } }
    },
    decide: nextVolumeProtectionStep,
    perform: finalizerSteps(api, PERSISTENT_VOLUMES, PV_PROTECTION, ({ seen }: VolumeProtectionView) => seen.volume),
  })
}

function defineClassProtection({ api, follow, createQueue }: ControllerRole) {
  const classes = follow(VOLUME_ATTRIBUTES_CLASSES)
  const claims = follow(PERSISTENT_VOLUME_CLAIMS)
  const claimsOf = claims.indexBy(attributesClassesOfClaim)
  const volumes = follow(PERSISTENT_VOLUMES)
  const volumesOf = volumes.indexBy(attributesClassesOfVolume)
  const isLeaving = (name: string): boolean => classes.get(name)?.metadata.deletionTimestamp !== undefined
  return defineController({
    name: 'class-protection',
    queue: createQueue({ name: 'vacprotection' }),
    watch: [
      on(classes, keyIfPresent),
      // An object that used the class before may have been its last user.
      on(claims, ({ before }) => before && attributesClassesOfClaim(before).filter(isLeaving)),
      on(volumes, ({ before }) => before && attributesClassesOfVolume(before).filter(isLeaving)),
    ],
    view: (name) => {
      const attributesClass = classes.get(name)
      const [volume] = volumesOf(name)
      const [claim] = claimsOf(name)
      return attributesClass && { seen: { attributesClass, volume, claim } }
    },
    decide: nextClassProtectionStep,
    perform: finalizerSteps(
      api,
      VOLUME_ATTRIBUTES_CLASSES,
      VAC_PROTECTION,
      ({ seen }: ClassProtectionView) => seen.attributesClass,
    ),
  })
}

const finalizerSteps = <View, T extends KubeObject>(
  api: Api,
  type: ResourceType<T>,
  finalizer: string,
  objectOf: (view: View) => T,
) => ({
  'add-finalizer': (_step: object, { view }: { readonly view: View }) =>
    patchAsSeen(api, type, objectOf(view), addFinalizerPatch(objectOf(view), finalizer, { form: 'json' })),
  'remove-finalizer': (_step: object, { view }: { readonly view: View }) =>
    patchAsSeen(api, type, objectOf(view), dropFinalizerPatch(objectOf(view), finalizer)),
})
