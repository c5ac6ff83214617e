import type { PersistentVolumeClaim } from '../../api/kinds/persistent-volume-claim.ts'
import type { Pod } from '../../api/kinds/pod.ts'
import { isControlledBy } from '../../api/owner-references.ts'
import { PVC_PROTECTION } from '../../storage/names.ts'
import { podClaimsOf } from '../../storage/pod-claims.ts'
import { nextFinalizerStep } from './next-finalizer-step.ts'
import type { ProtectionStep } from './next-finalizer-step.ts'
import { REASONS } from './reasons.ts'

export type ClaimProtectionView = {
  readonly seen: {
    readonly claim: PersistentVolumeClaim
    /** Pods of the namespace; they need not all use the claim. */
    readonly pods: readonly Pod[]
  }
  /** Undefined when asked from outside. */
  readonly held?: {
    /** `pods` is what the server has, not only what the cache shows. */
    readonly arePodsConfirmed: boolean
  }
}

export type ClaimProtectionStep = ProtectionStep | { readonly kind: 'look-at-pods' }

// The server has a pod that the cache does not show, and may never show if the pod is deleted first.
const CACHE_BEHIND_MS = 1000

/** What to do next about the protection of one claim. */
export function nextClaimProtectionStep({ seen: { claim, pods }, held }: ClaimProtectionView): ClaimProtectionStep {
  const { arePodsConfirmed = false } = held ?? {}
  const step = nextFinalizerStep(claim, PVC_PROTECTION, () => {
    const user = pods.find((pod) => usesClaim(pod, claim))
    return user && REASONS.usedByPod(user)
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

/** None of its containers is running: the pod only waits until its own claims are gone. */
export const isShutDown = ({ metadata }: Pod): boolean =>
  metadata.deletionTimestamp !== undefined && metadata.deletionGracePeriodSeconds === 0
