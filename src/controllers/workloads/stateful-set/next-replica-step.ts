import type { PersistentVolumeClaim } from '../../../api/kinds/persistent-volume-claim.ts'
import type { Pod } from '../../../api/kinds/pod.ts'
import { isFinishedPod } from '../../../storage/pod-claims.ts'
import { isAvailablePod, isLeaving } from '../pod-state.ts'
import { claimOwners, isClaimOfFormerPod } from './claim-owners.ts'
import {
  claimNameOf,
  claimTemplatesOf,
  hasOwnClaims,
  missingIdentity,
  newClaim,
  newPod,
  ordinalRange,
  podNameOf,
} from './identity.ts'
import { REASONS } from './reasons.ts'
import type { StatefulSetReason } from './reasons.ts'
import { revisionFor } from './set-state.ts'
import type { SetState, StatefulSetStep } from './set-state.ts'
import { isRunningAndReady } from './stateful-set-status.ts'

// In one step of a set whose pods are managed in parallel.
const LARGEST_BATCH = 500

/**
 * The next step for the pods that the set should have. In order, nothing happens to a pod before all with a lower ordinal are available; in
 * parallel, pods do not wait for each other. Undefined if all are as they should be.
 */
export function nextReplicaStep(state: SetState): StatefulSetStep | undefined {
  const { start, end } = ordinalRange(state.set)
  const isOrdered = state.set.spec.podManagementPolicy !== 'Parallel'
  const steps: StatefulSetStep[] = []
  let waiting: StatefulSetStep | undefined
  for (let ordinal = start; ordinal < end && steps.length < LARGEST_BATCH; ordinal++) {
    const step = stepFor(state, ordinal)
    if (!step) continue
    if (isOrdered) return step
    if (step.kind === 'wait') waiting ??= step
    else steps.push(step)
  }
  return mergeSteps(steps) ?? waiting
}

/** All steps of the kind that comes first. */
function mergeSteps(steps: readonly StatefulSetStep[]): StatefulSetStep | undefined {
  const [first] = steps
  if (first?.kind === 'delete-pods')
    return { ...first, pods: steps.flatMap((s) => (s.kind === first.kind ? s.pods : [])) }
  if (first?.kind === 'create-pods' || first?.kind === 'create-claims')
    return { ...first, pods: steps.flatMap((s) => (s.kind === first.kind ? s.pods : [])) }
  return first
}

/** What has to happen to the pod with this ordinal before the next; undefined if it is as it should be. */
function stepFor(state: SetState, ordinal: number): StatefulSetStep | undefined {
  const { set, nowMs } = state
  const pod = state.replicas.get(ordinal)
  if (!pod) return createStep(state, ordinal)
  if (isFinishedPod(pod)) return isLeaving(pod) ? wait(REASONS.PodLeaving(pod)) : { kind: 'delete-pods', pods: [pod] }
  const isPending = (pod.status?.phase ?? 'Pending') === 'Pending'
  if (isPending) {
    const step = claimStep(state, pod, ordinal) ?? ownerStep(state, { pod, ordinal, isSurplus: false })
    if (step) return step
  }
  if (isLeaving(pod)) return wait(REASONS.PodLeaving(pod))
  if (!isRunningAndReady(pod)) return wait(REASONS.PodNotReady(pod))
  if (!isAvailablePod(pod, set.spec.minReadySeconds ?? 0, nowMs)) return wait(REASONS.PodNotAvailable(pod))
  const labels = missingIdentity(set, pod, ordinal)
  if (labels) return { kind: 'label-pods', pods: [{ pod, labels }] }
  if (!hasOwnClaims(set, pod, ordinal)) return wait(REASONS.PodStorageDiffers(pod))
  return ownerStep(state, { pod, ordinal, isSurplus: false })
}

function createStep(state: SetState, ordinal: number): StatefulSetStep {
  const { set } = state
  const present = claimsOf(state, ordinal)
  const former = present.find((claim) => isClaimOfFormerPod(set, claim, podNameOf(set, ordinal)))
  if (former) return wait(REASONS.ClaimOfFormerPod(former))
  const leaving = present.find(isLeaving)
  if (leaving) return wait(REASONS.ClaimLeaving(leaving, podNameOf(set, ordinal)))
  const pod = newPod(set, revisionFor(state, ordinal))
  return { kind: 'create-pods', pods: [{ pod, claims: missingClaims(state, ordinal) }] }
}

/** A pending pod whose claims were deleted waits until they exist again. */
function claimStep(state: SetState, pod: Pod, ordinal: number): StatefulSetStep | undefined {
  const leaving = claimsOf(state, ordinal).find(isLeaving)
  if (leaving) return wait(REASONS.ClaimLeaving(leaving, podNameOf(state.set, ordinal)))
  const claims = missingClaims(state, ordinal)
  return claims.length > 0 ? { kind: 'create-claims', pods: [{ pod, claims }] } : undefined
}

/** Claims of the pod whose owners do not follow from the retention policy. */
export function ownerStep(
  state: SetState,
  { pod, ordinal, isSurplus }: { pod: Pod; ordinal: number; isSurplus: boolean },
): StatefulSetStep | undefined {
  const claims = claimsOf(state, ordinal).flatMap((claim) => {
    const owners = claimOwners(claim, { set: state.set, pod, isSurplus })
    return owners.kind === 'change' ? [{ ...owners, claim }] : []
  })
  return claims.length > 0 ? { kind: 'change-claim-owners', claims } : undefined
}

const claimsOf = ({ set, findClaim }: SetState, ordinal: number): PersistentVolumeClaim[] =>
  claimTemplatesOf(set).flatMap((template) => findClaim(claimNameOf(set, template, ordinal)) ?? [])

const missingClaims = ({ set, findClaim }: SetState, ordinal: number): PersistentVolumeClaim[] =>
  claimTemplatesOf(set).flatMap((template) =>
    findClaim(claimNameOf(set, template, ordinal)) ? [] : [newClaim(set, template, ordinal)],
  )

const wait = (reason: StatefulSetReason): StatefulSetStep => ({ kind: 'wait', reason })
