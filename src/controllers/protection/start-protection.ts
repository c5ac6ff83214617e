import type { Api } from '../../api/api.ts'
import { addFinalizerPatch, dropFinalizerPatch } from '../../api/finalizers.ts'
import { PERSISTENT_VOLUME_CLAIMS } from '../../api/kinds/persistent-volume-claim.ts'
import { PERSISTENT_VOLUMES } from '../../api/kinds/persistent-volume.ts'
import { PODS } from '../../api/kinds/pod.ts'
import type { Pod } from '../../api/kinds/pod.ts'
import { VOLUME_ATTRIBUTES_CLASSES } from '../../api/kinds/volume-attributes-class.ts'
import { listAll } from '../../api/list-all.ts'
import type { ObjectKey } from '../../api/object-key.ts'
import type { KubeObject } from '../../api/object.ts'
import type { ResourceType } from '../../api/resource-type.ts'
import { sleep } from '../../base/clock.ts'
import type { Clock } from '../../base/clock.ts'
import { getOrAdd } from '../../base/get-or-add.ts'
import { count } from '../../base/options/index.ts'
import type { ConfigOf, OptionTable } from '../../base/options/index.ts'
import { untilServed } from '../../kube/cache/optional-cache.ts'
import { createRecentMap } from '../../kube/cache/recent-map.ts'
import { defineController, keyIfPresent, on, patchAsSeen, startControllers } from '../../kube/controller/index.ts'
import type { ControllerRole } from '../../kube/controller/index.ts'
import type { StartRole } from '../../kube/process/role-world.ts'
import { PV_PROTECTION, PVC_PROTECTION, VAC_PROTECTION } from '../../storage/names.ts'
import { podClaimKeysOf } from '../../storage/pod-claims.ts'
import {
  attributesClassesOfClaim,
  attributesClassesOfVolume,
  nextClaimProtectionStep,
  nextClassProtectionStep,
  nextVolumeProtectionStep,
} from './next-protection-step.ts'
import type {
  ClaimProtectionStep,
  ClaimProtectionView,
  ClassProtectionView,
  VolumeProtectionView,
} from './next-protection-step.ts'
import { claimUidOf } from '../../storage/life-of.ts'

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
    lifeOf: ({ seen }) => [seen.claim.metadata.uid],
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
    lifeOf: ({ seen }) => [claimUidOf(seen.volume)],
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

/** Pods by the keys of their claims. */
type PodsByClaim = ReadonlyMap<ObjectKey, readonly Pod[]>

/** The current pods of a namespace on the server. */
type ReadPods = (namespace: string, signal: AbortSignal) => Promise<PodsByClaim>

// The pause after a list is this many times longer than the list took: claims that are deleted meanwhile share the next list.
const REST_TIMES = 5
const LONGEST_REST_MS = 1000
const MOST_NAMESPACES = 1000

/** Callers that ask while a list is in progress share the next one: the current one may have been read before they asked. */
export function createPodReader(api: Api, clock: Clock): ReadPods {
  const running = new Map<string, Promise<unknown>>()
  const restUntilMs = createRecentMap<number>(MOST_NAMESPACES)
  const waiting = new Map<string, Promise<PodsByClaim>>()

  // Grouped by claim once for all callers: a namespace may have thousands of pods, and as many claims that are deleted together.
  const list = async (namespace: string): Promise<PodsByClaim> => {
    const pods = new Map<ObjectKey, Pod[]>()
    for await (const pod of listAll(api, PODS, { namespace }))
      for (const key of podClaimKeysOf(pod)) getOrAdd(pods, key, (): Pod[] => []).push(pod)
    return pods
  }
  const begin = async (namespace: string, signal: AbortSignal): Promise<PodsByClaim> => {
    try {
      await running.get(namespace)?.catch(() => {})
      const restMs = (restUntilMs.get(namespace) ?? 0) - clock.monotonicMs()
      if (restMs > 0) await sleep(clock, restMs, signal)
    } finally {
      waiting.delete(namespace)
    }
    const startedMs = clock.monotonicMs()
    const reading = list(namespace)
    running.set(namespace, reading)
    try {
      return await reading
    } finally {
      if (running.get(namespace) === reading) running.delete(namespace)
      const nowMs = clock.monotonicMs()
      restUntilMs.set(namespace, nowMs + Math.min(LONGEST_REST_MS, (nowMs - startedMs) * REST_TIMES))
    }
  }
  return (namespace, signal) => getOrAdd(waiting, namespace, () => begin(namespace, signal))
}
