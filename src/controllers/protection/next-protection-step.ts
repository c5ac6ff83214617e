import { hasFinalizer } from '../../api/finalizers.ts'
import { PERSISTENT_VOLUME_CLAIMS } from '../../api/kinds/persistent-volume-claim.ts'
import type { PersistentVolumeClaim } from '../../api/kinds/persistent-volume-claim.ts'
import { PERSISTENT_VOLUMES } from '../../api/kinds/persistent-volume.ts'
import type { PersistentVolume } from '../../api/kinds/persistent-volume.ts'
import { PODS } from '../../api/kinds/pod.ts'
import type { Pod } from '../../api/kinds/pod.ts'
import type { VolumeAttributesClass } from '../../api/kinds/volume-attributes-class.ts'
import type { KubeObject } from '../../api/object.ts'
import { isControlledBy } from '../../api/owner-references.ts'
import { awaiting, because, defineReasons } from '../../api/reason.ts'
import type { ReasonIn } from '../../api/reason.ts'
import { CACHE_BEHIND_MS } from '../../kube/controller/index.ts'
import { PV_PROTECTION, PVC_PROTECTION, VAC_PROTECTION } from '../../storage/names.ts'
import { podClaimsOf } from '../../storage/pod-claims.ts'

export const REASONS = defineReasons({
  Protected: 'the object is protected',
  NotHeld: because('nothing that we know of needs the object', {
    cure: 'Wait until the owners of the remaining finalizers have removed them.',
  }),
  UsedByPod: ({ metadata }: Pod) =>
    because(`pod ${metadata.name} is using the claim`, {
      ...awaiting(PODS, metadata),
      cure: 'Delete the pod, even if it has ended.',
    }),
  VolumeBound: (claim: { readonly namespace?: string; readonly name?: string }) =>
    because(`the volume is bound to claim ${claim.namespace}/${claim.name}`, {
      ...awaiting(PERSISTENT_VOLUME_CLAIMS, claim),
      cure: 'Delete the claim.',
    }),
  UsedByVolume: ({ metadata }: PersistentVolume) =>
    because(`volume ${metadata.name} has the attributes of this class`, {
      ...awaiting(PERSISTENT_VOLUMES, metadata),
      cure: 'Change the claim of the volume to another VolumeAttributesClass, or delete it.',
    }),
  UsedByClaim: ({ metadata }: PersistentVolumeClaim) =>
    because(`claim ${metadata.namespace}/${metadata.name} names the class`, {
      ...awaiting(PERSISTENT_VOLUME_CLAIMS, metadata),
      cure: 'Change the claim to another VolumeAttributesClass, or delete it.',
    }),
})

type ProtectionReason = ReasonIn<typeof REASONS>

export type ProtectionStep =
  | { readonly kind: 'wait'; readonly reason: ProtectionReason; readonly retryInMs?: number }
  | { readonly kind: 'add-finalizer' }
  | { readonly kind: 'remove-finalizer' }

export type ClaimProtectionView = {
  readonly seen: {
    readonly claim: PersistentVolumeClaim
    /** Pods of the namespace; they need not all use the claim. */
    readonly pods: readonly Pod[]
  }
  readonly held?: {
    /** Whether `pods` was read from the server, not only from the cache. */
    readonly arePodsConfirmed: boolean
  }
}

export type ClaimProtectionStep = ProtectionStep | { readonly kind: 'look-at-pods' }

export function nextClaimProtectionStep({ seen: { claim, pods }, held }: ClaimProtectionView): ClaimProtectionStep {
  const { arePodsConfirmed = false } = held ?? {}
  const step = nextFinalizerStep(claim, PVC_PROTECTION, () => {
    const user = pods.find((pod) => usesClaim(pod, claim))
    return user && REASONS.UsedByPod(user)
  })
  if (step.kind === 'remove-finalizer' && held && !arePodsConfirmed) return { kind: 'look-at-pods' }
  return step.kind === 'wait' && step.reason.waitsFor && arePodsConfirmed
    ? { ...step, retryInMs: CACHE_BEHIND_MS }
    : step
}

/** A pod without a node is not using it yet, and does not get a node while the claim is being deleted. */
export function usesClaim(pod: Pod, claim: PersistentVolumeClaim): boolean {
  if (!pod.spec.nodeName || pod.metadata.namespace !== claim.metadata.namespace) return false
  return podClaimsOf(pod).some(({ claimName, isEphemeral }) => {
    if (claimName !== claim.metadata.name) return false
    return !isEphemeral || (!isShutDown(pod) && isControlledBy(claim, pod))
  })
}

/** None of its containers is running: the pod only waits for the deletion of its own claims. */
export const isShutDown = ({ metadata }: Pod): boolean =>
  metadata.deletionTimestamp !== undefined && metadata.deletionGracePeriodSeconds === 0

export type VolumeProtectionView = { readonly seen: { readonly volume: PersistentVolume } }

export const nextVolumeProtectionStep = ({ seen: { volume } }: VolumeProtectionView): ProtectionStep =>
  nextFinalizerStep(volume, PV_PROTECTION, () =>
    volume.status?.phase === 'Bound' ? REASONS.VolumeBound(volume.spec.claimRef ?? {}) : undefined,
  )

/** `volume` and `claim` are one of each that use the class. */
export type ClassProtectionView = {
  readonly seen: {
    readonly attributesClass: VolumeAttributesClass
    readonly volume?: PersistentVolume | undefined
    readonly claim?: PersistentVolumeClaim | undefined
  }
}

export const nextClassProtectionStep = ({ seen }: ClassProtectionView): ProtectionStep =>
  nextFinalizerStep(seen.attributesClass, VAC_PROTECTION, () => {
    if (seen.volume) return REASONS.UsedByVolume(seen.volume)
    return seen.claim && REASONS.UsedByClaim(seen.claim)
  })

/** The current, target and requested classes of a claim. */
export const attributesClassesOfClaim = ({ spec, status }: PersistentVolumeClaim): string[] =>
  withoutEmpty([
    spec.volumeAttributesClassName,
    status?.currentVolumeAttributesClassName,
    status?.modifyVolumeStatus?.targetVolumeAttributesClassName,
  ])

export const attributesClassesOfVolume = ({ spec }: PersistentVolume): string[] =>
  withoutEmpty([spec.volumeAttributesClassName])

const withoutEmpty = (names: readonly (string | undefined)[]): string[] => [
  ...new Set(names.flatMap((name) => (name ? [name] : []))),
]

/** An object has the finalizer until it is being deleted and is not in use. */
function nextFinalizerStep(
  object: KubeObject,
  finalizer: string,
  findUse: () => ProtectionReason | undefined,
): ProtectionStep {
  const isHeld = hasFinalizer(object, finalizer)
  if (object.metadata.deletionTimestamp === undefined)
    return isHeld ? { kind: 'wait', reason: REASONS.Protected } : { kind: 'add-finalizer' }
  if (!isHeld) return { kind: 'wait', reason: REASONS.NotHeld }
  const use = findUse()
  return use ? { kind: 'wait', reason: use } : { kind: 'remove-finalizer' }
}
