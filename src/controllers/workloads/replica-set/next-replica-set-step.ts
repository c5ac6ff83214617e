import type { Pod } from '../../../api/kinds/pod.ts'
import type { ReplicaSetCondition, ReplicaSetStatus } from '../../../api/kinds/replica-set.ts'
import { removeCondition, setCondition } from '../../../api/conditions.ts'
import { isEqualJson } from '../../../api/equal-json.ts'
import { selectsLabels } from '../../../api/label-selector.ts'
import { PODS } from '../../../api/kinds/pod.ts'
import { because, defineReasons, objectAwaited } from '../../../api/reason.ts'
import type { ReasonIn } from '../../../api/reason.ts'
import { isActivePod, isAvailablePod, isLeaving, isReadyPod, nextAvailableInMs } from '../pod-state.ts'
import { sortMembers } from '../sort-members.ts'
import { choosePodsToDelete } from './choose-pods-to-delete.ts'
import type { ReplicaOwner } from './replica-owner.ts'

/** The last attempt to create or delete pods failed. */
export type ReplicaFailure = { readonly reason: 'FailedCreate' | 'FailedDelete'; readonly message: string }

export type ReplicaSetView = {
  readonly seen: {
    readonly set: ReplicaOwner
    /** Pods that the set controls, and pods of its namespace without a controller. */
    readonly pods: readonly Pod[]
    readonly nowMs: number
    /** Whether the status counts pods that are being deleted. */
    readonly countsLeaving: boolean
  }
  readonly held?: { readonly failure?: ReplicaFailure | undefined }
}

export type ReplicaSetStep =
  | { readonly kind: 'wait'; readonly reason: ReplicaSetReason; readonly retryInMs?: number | undefined }
  | { readonly kind: 'adopt-pods'; readonly pods: readonly Pod[] }
  | { readonly kind: 'release-pods'; readonly pods: readonly Pod[] }
  | { readonly kind: 'create-pods'; readonly count: number }
  | { readonly kind: 'delete-pods'; readonly pods: readonly Pod[] }
  | { readonly kind: 'write-status'; readonly status: ReplicaSetStatus }

export type ReplicaSetReason = ReasonIn<typeof REASONS>

/** Why nothing happens to the pods of a ReplicaSet. */
export const REASONS = defineReasons({
  Complete: 'all pods are available',
  SetLeaving: 'the set is being deleted',
  PodNotReady: ({ metadata }: Pod) =>
    because(`pod ${metadata.name} is not ready yet`, { waitsFor: objectAwaited(PODS, metadata) }),
  PodNotAvailable: ({ metadata }: Pod) =>
    because(`pod ${metadata.name} has not been ready for minReadySeconds yet`, {
      waitsFor: objectAwaited(PODS, metadata),
    }),
})

// In one step.
const LARGEST_BATCH = 500

/** The next step for a ReplicaSet or ReplicationController: as many active pods as it wants, then its status. */
export function nextReplicaSetStep(view: ReplicaSetView): ReplicaSetStep {
  const { set, nowMs } = view.seen
  const { replicas = 1, minReadySeconds = 0, selector } = set.spec
  // Pods that have ended do not count, and are neither adopted nor released.
  const active = view.seen.pods.filter(isActivePod)
  const { members, toAdopt, toRelease } = sortMembers(set, active, ({ metadata }) =>
    selectsLabels(selector, metadata.labels),
  )
  if (toAdopt.length > 0) return { kind: 'adopt-pods', pods: toAdopt }
  if (toRelease.length > 0) return { kind: 'release-pods', pods: toRelease }
  const isSetLeaving = set.metadata.deletionTimestamp !== undefined
  const missing = replicas - members.length
  if (!isSetLeaving && missing > 0) return { kind: 'create-pods', count: Math.min(missing, LARGEST_BATCH) }
  if (!isSetLeaving && missing < 0)
    return { kind: 'delete-pods', pods: choosePodsToDelete(members, Math.min(-missing, LARGEST_BATCH)) }
  const status = replicaStatus(view, members)
  if (!isSameStatus(status, set.status)) return { kind: 'write-status', status }
  if (isSetLeaving) return { kind: 'wait', reason: REASONS.SetLeaving }
  const unready = members.find((pod) => !isReadyPod(pod))
  const unavailable = members.find((pod) => !isAvailablePod(pod, minReadySeconds, nowMs))
  const cause = unready
    ? REASONS.PodNotReady(unready)
    : unavailable
      ? REASONS.PodNotAvailable(unavailable)
      : REASONS.Complete
  const retryInMs = nextAvailableInMs(members, minReadySeconds, nowMs)
  return { kind: 'wait', reason: cause, ...(retryInMs === undefined ? {} : { retryInMs }) }
}

/** The status that follows from the active pods. */
export function replicaStatus({ seen, held }: ReplicaSetView, members: readonly Pod[]): ReplicaSetStatus {
  const { set, nowMs } = seen
  const { minReadySeconds = 0, template } = set.spec
  const labels = Object.entries(template.metadata?.labels ?? {})
  const isFullyLabeled = ({ metadata }: Pod): boolean =>
    labels.every(([name, value]) => metadata.labels?.[name] === value)
  const leaving = seen.pods.filter((pod) => isLeaving(pod) && isOwn(set, pod))
  const conditions = conditionsOf(set.status?.conditions, held?.failure, nowMs)
  return {
    replicas: members.length,
    fullyLabeledReplicas: members.filter(isFullyLabeled).length,
    readyReplicas: members.filter(isReadyPod).length,
    availableReplicas: members.filter((pod) => isAvailablePod(pod, minReadySeconds, nowMs)).length,
    ...(seen.countsLeaving ? { terminatingReplicas: leaving.length } : {}),
    observedGeneration: set.metadata.generation ?? 0,
    conditions,
  }
}

const isOwn = (set: ReplicaOwner, { metadata }: Pod): boolean =>
  (metadata.ownerReferences ?? []).some(({ uid, controller }) => controller && uid === set.metadata.uid)

/** A failure with the same reason keeps its first message and time. */
function conditionsOf(
  before: readonly ReplicaSetCondition[] = [],
  failure: ReplicaFailure | undefined,
  nowMs: number,
): readonly ReplicaSetCondition[] {
  const old = before.find(({ type }) => type === 'ReplicaFailure')
  if (!failure) return removeCondition(before, 'ReplicaFailure')
  if (old?.status === 'True' && old.reason === failure.reason) return before
  return setCondition<ReplicaSetCondition>(before, { type: 'ReplicaFailure', status: 'True', ...failure }, nowMs)
}

/** Counts that are 0, and an empty list, may be absent. */
function isSameStatus(
  { conditions = [], ...counts }: ReplicaSetStatus,
  present: ReplicaSetStatus | undefined,
): boolean {
  const { conditions: before = [], ...stored } = present ?? ({} as Partial<ReplicaSetStatus>)
  return (
    isEqualJson(conditions, before) &&
    Object.entries(counts).every(([name, value]) => value === (stored[name as keyof typeof stored] ?? 0))
  )
}
