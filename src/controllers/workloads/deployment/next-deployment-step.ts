import { isEqualJson } from '../../../api/equal-json.ts'
import type { Deployment, DeploymentStatus } from '../../../api/kinds/deployment.ts'
import type { Pod } from '../../../api/kinds/pod.ts'
import { REPLICA_SETS } from '../../../api/kinds/replica-set.ts'
import type { ReplicaSet } from '../../../api/kinds/replica-set.ts'
import { selectsLabels } from '../../../api/label-selector.ts'
import { because, defineReasons, objectAwaited } from '../../../api/reason.ts'
import type { ReasonIn } from '../../../api/reason.ts'
import { isFinishedPod } from '../../../storage/pod-claims.ts'
import { sortMembers } from '../sort-members.ts'
import { deadlineInMs, deploymentStatus, isComplete } from './deployment-status.ts'
import { isScaled, proportionalScales, rollingScales } from './next-scale.ts'
import type { Scale } from './next-scale.ts'
import {
  isRolling,
  missingAnnotations,
  newReplicaSet,
  newSizeOf,
  REVISION,
  revisionOf,
  rolloutOf,
  sizeOf,
  sumOf,
  wantedSize,
} from './rollout.ts'
import type { Rollout } from './rollout.ts'

export type DeploymentView = {
  readonly seen: {
    readonly set: Deployment
    /** ReplicaSets that the Deployment controls, and those of its namespace without a controller. */
    readonly sets: readonly ReplicaSet[]
    /** The pods of a ReplicaSet, also those that have ended or are being deleted. */
    podsOf(set: ReplicaSet): readonly Pod[]
    readonly nowMs: number
  }
}

export type DeploymentStep =
  | { readonly kind: 'wait'; readonly reason: DeploymentReason; readonly retryInMs?: number | undefined }
  | { readonly kind: 'adopt-sets'; readonly sets: readonly ReplicaSet[] }
  | { readonly kind: 'release-sets'; readonly sets: readonly ReplicaSet[] }
  | { readonly kind: 'create-set'; readonly set: ReplicaSet }
  /** Annotations of the Deployment, its revision, and `minReadySeconds`. */
  | {
      readonly kind: 'update-set'
      readonly set: ReplicaSet
      readonly annotations: Readonly<Record<string, string>>
      readonly minReadySeconds: number
    }
  | { readonly kind: 'scale-sets'; readonly scales: readonly Scale[] }
  | { readonly kind: 'delete-sets'; readonly sets: readonly ReplicaSet[] }
  | { readonly kind: 'write-status'; readonly status: DeploymentStatus; readonly revision: string | undefined }

export type DeploymentReason = ReasonIn<typeof REASONS>

/** Why nothing happens to the ReplicaSets of a Deployment. */
export const REASONS = defineReasons({
  Complete: 'all pods are available and up to date',
  DeploymentLeaving: 'the Deployment is being deleted',
  DeploymentPaused: because('the Deployment is paused', { cure: 'Run kubectl rollout resume.' }),
  ReplicaSetNotAvailable: ({ metadata }: ReplicaSet) =>
    because(`ReplicaSet ${metadata.name} does not have all its pods available yet`, {
      waitsFor: objectAwaited(REPLICA_SETS, metadata),
    }),
  OldPodsRunning: ({ metadata }: ReplicaSet) =>
    because(`pods of ReplicaSet ${metadata.name} have to end before new ones are created`, {
      waitsFor: objectAwaited(REPLICA_SETS, metadata),
    }),
})

/** The next step for a Deployment: ownership, its ReplicaSets, old ones beyond the history limit, then the status. */
export function nextDeploymentStep({ seen }: DeploymentView): DeploymentStep {
  const { set: deployment, nowMs } = seen
  const { members, toAdopt, toRelease } = sortMembers(deployment, seen.sets, ({ metadata }) =>
    selectsLabels(deployment.spec.selector, metadata.labels),
  )
  if (toAdopt.length > 0) return { kind: 'adopt-sets', sets: toAdopt }
  if (toRelease.length > 0) return { kind: 'release-sets', sets: toRelease }
  const rollout = rolloutOf(deployment, members)
  const isLeaving = deployment.metadata.deletionTimestamp !== undefined
  if (isLeaving)
    return statusStep(rollout, nowMs, { isRollout: false }) ?? { kind: 'wait', reason: REASONS.DeploymentLeaving }
  const { newSet } = rollout
  const update = newSet && updateStep({ ...rollout, newSet })
  if (update) return update
  const isPaused = deployment.spec.paused === true
  if (isPaused || isScaled(rollout)) {
    const scales = proportionalScales(rollout)
    if (scales.length > 0) return { kind: 'scale-sets', scales }
    const step = (isPaused && cleanupStep(rollout)) || statusStep(rollout, nowMs, { isRollout: false })
    if (step || isPaused) return step || { kind: 'wait', reason: REASONS.DeploymentPaused }
  }
  const step = isRolling(deployment) ? rollingStep(rollout) : recreateStep(rollout, seen.podsOf)
  if (step && step.kind !== 'wait') return step
  const cleanup = isComplete(deployment, deployment.status) ? cleanupStep(rollout) : undefined
  return cleanup ?? statusStep(rollout, nowMs, { isRollout: true }) ?? waitStep(rollout, nowMs, step)
}

/** The new set has the annotations of its Deployment, and the highest revision. */
function updateStep(rollout: Rollout & { readonly newSet: ReplicaSet }): DeploymentStep | undefined {
  const { deployment, newSet } = rollout
  const annotations = missingAnnotations(rollout)
  const { minReadySeconds = 0 } = deployment.spec
  const isSame = Object.keys(annotations).length === 0 && (newSet.spec.minReadySeconds ?? 0) === minReadySeconds
  return isSame ? undefined : { kind: 'update-set', set: newSet, annotations, minReadySeconds }
}

function createStep(rollout: Rollout): DeploymentStep {
  const set = newReplicaSet(rollout)
  return { kind: 'create-set', set: { ...set, spec: { ...set.spec, replicas: newSizeOf(rollout, 0) } } }
}

function rollingStep(rollout: Rollout): DeploymentStep | undefined {
  const { newSet } = rollout
  if (!newSet) return createStep(rollout)
  const scales = rollingScales({ ...rollout, newSet })
  return scales.length > 0 ? { kind: 'scale-sets', scales } : undefined
}

/** All old pods end before the first new one is created. */
function recreateStep(rollout: Rollout, podsOf: DeploymentView['seen']['podsOf']): DeploymentStep | undefined {
  const { deployment, newSet, oldSets } = rollout
  const active = oldSets.filter((set) => sizeOf(set) > 0)
  if (active.length > 0) return { kind: 'scale-sets', scales: active.map((set) => ({ set, replicas: 0 })) }
  const running = oldSets.find(
    (set) => (set.status?.replicas ?? 0) > 0 || podsOf(set).some((pod) => !isFinishedPod(pod)),
  )
  if (running) return { kind: 'wait', reason: REASONS.OldPodsRunning(running) }
  if (!newSet) return createStep(rollout)
  const replicas = wantedSize(deployment)
  return sizeOf(newSet) === replicas ? undefined : { kind: 'scale-sets', scales: [{ set: newSet, replicas }] }
}

/** Old sets without pods beyond the history limit, with the lowest revision first. */
function cleanupStep({ deployment, oldSets }: Rollout): DeploymentStep | undefined {
  const { revisionHistoryLimit = 10 } = deployment.spec
  const present = oldSets.filter(({ metadata }) => metadata.deletionTimestamp === undefined)
  const surplus = present
    .toSorted((one, other) => revisionOf(one) - revisionOf(other))
    .slice(0, Math.max(0, present.length - revisionHistoryLimit))
    .filter(
      (set) =>
        sizeOf(set) === 0 &&
        (set.status?.replicas ?? 0) === 0 &&
        (set.status?.observedGeneration ?? 0) >= (set.metadata.generation ?? 0),
    )
  return surplus.length > 0 ? { kind: 'delete-sets', sets: surplus } : undefined
}

function statusStep(rollout: Rollout, nowMs: number, options: { isRollout: boolean }): DeploymentStep | undefined {
  const { deployment, newSet } = rollout
  const status = deploymentStatus(rollout, nowMs, options)
  const revision = newSet?.metadata.annotations?.[REVISION]
  const isSameRevision = revision === undefined || deployment.metadata.annotations?.[REVISION] === revision
  return isSameRevision && isSameStatus(status, deployment.status)
    ? undefined
    : { kind: 'write-status', status, revision }
}

/** Counts that are 0 may be absent. */
function isSameStatus({ conditions, ...counts }: DeploymentStatus, present: DeploymentStatus | undefined): boolean {
  const { conditions: before = [], ...stored } = present ?? {}
  return (
    isEqualJson(conditions, before) &&
    Object.entries(counts).every(([name, value]) => value === (stored[name as keyof typeof stored] ?? 0))
  )
}

function waitStep(rollout: Rollout, nowMs: number, waiting: DeploymentStep | undefined): DeploymentStep {
  const { deployment, newSet, oldSets } = rollout
  const { conditions = [] } = deployment.status ?? {}
  const inMs = deadlineInMs(deployment, conditions, nowMs)
  const isDone = isComplete(deployment, deployment.status) && sumOf(oldSets, sizeOf) === 0
  // The deadline has passed a second later at the latest, whatever was rounded.
  const retry = inMs === undefined || isDone ? {} : { retryInMs: inMs + 1000 }
  if (waiting?.kind === 'wait') return { ...waiting, ...retry }
  return {
    kind: 'wait',
    reason: isDone || !newSet ? REASONS.Complete : REASONS.ReplicaSetNotAvailable(newSet),
    ...retry,
  }
}
