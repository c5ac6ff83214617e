import type { ControllerRevision } from '../../../api/kinds/controller-revision.ts'
import type { PersistentVolumeClaim } from '../../../api/kinds/persistent-volume-claim.ts'
import type { Pod } from '../../../api/kinds/pod.ts'
import type { StatefulSet } from '../../../api/kinds/stateful-set.ts'
import { selectsLabels } from '../../../api/label-selector.ts'
import { nextAvailableInMs } from '../pod-state.ts'
import { nameOf, nextRevisionStep, REVISION_LABEL, revisionsToDelete } from '../revisions.ts'
import { sortMembers } from '../sort-members.ts'
import { ordinalOf } from './identity.ts'
import { nextReplicaStep } from './next-replica-step.ts'
import { nextSurplusStep } from './next-surplus-step.ts'
import { nextUpdateStep } from './next-update-step.ts'
import { REASONS } from './reasons.ts'
import { placesOf } from './set-state.ts'
import type { SetState, StatefulSetStep } from './set-state.ts'
import { isSameStatus, statusOf } from './stateful-set-status.ts'

export type { StatefulSetStep } from './set-state.ts'

export type StatefulSetView = {
  readonly seen: {
    readonly set: StatefulSet
    /** Pods that the set controls, and pods of its namespace without a controller. */
    readonly pods: readonly Pod[]
    /** Revisions, in the same way. */
    readonly revisions: readonly ControllerRevision[]
    findClaim(name: string): PersistentVolumeClaim | undefined
    readonly nowMs: number
  }
}

/**
 * The next step for a StatefulSet. Ownership and revisions come first, then the status, so that it is also written if no pod can be created. Pods
 * are created before surplus ones are deleted, and an update starts once both are done.
 */
export function nextStatefulSetStep(view: StatefulSetView): StatefulSetStep {
  const { set, nowMs } = view.seen
  const isSelected = ({ metadata }: Pod | ControllerRevision): boolean =>
    selectsLabels(set.spec.selector, metadata.labels)
  const isSelectedPod = (pod: Pod): boolean => isSelected(pod) && ordinalOf(set, pod) !== undefined
  const pods = sortMembers(set, view.seen.pods, isSelectedPod)
  if (pods.toAdopt.length > 0) return { kind: 'adopt-pods', pods: pods.toAdopt }
  if (pods.toRelease.length > 0) return { kind: 'release-pods', pods: pods.toRelease }
  const revisions = sortMembers(set, view.seen.revisions, isSelected)
  if (revisions.toAdopt.length > 0) return { kind: 'adopt-revisions', revisions: revisions.toAdopt }

  const isSetLeaving = set.metadata.deletionTimestamp !== undefined
  const step = nextRevisionStep(set, revisions.members)
  if (step.kind !== 'use') {
    if (isSetLeaving) return { kind: 'wait', reason: REASONS.SetLeaving }
    return step.kind === 'create' ? { ...step, kind: 'create-revision' } : { ...step, kind: 'renumber-revision' }
  }
  const update = step.revision
  const current = revisions.members.find((each) => nameOf(each) === set.status?.currentRevision) ?? update
  const status = statusOf(set, pods.members, { current: nameOf(current), update: nameOf(update), nowMs })
  if (!isSameStatus(status, set.status)) return { kind: 'write-status', status }
  if (isSetLeaving) return { kind: 'wait', reason: REASONS.SetLeaving }

  const state: SetState = { ...view.seen, ...placesOf(set, pods.members), current, update }
  const next = nextPodStep(state)
  if (next.kind !== 'wait') return next
  const inUse = new Set([current, update].map(nameOf))
  for (const { metadata } of pods.members) inUse.add(metadata.labels?.[REVISION_LABEL] ?? '')
  const old = revisionsToDelete(revisions.members, inUse, set.spec.revisionHistoryLimit ?? 10)
  if (old.length > 0) return { kind: 'delete-revisions', revisions: old }
  const retryInMs = nextAvailableInMs(pods.members, set.spec.minReadySeconds ?? 0, nowMs)
  return { ...next, ...(retryInMs === undefined ? {} : { retryInMs }) }
}

function nextPodStep(state: SetState): StatefulSetStep {
  const step = nextReplicaStep(state)
  const isOrdered = state.set.spec.podManagementPolicy !== 'Parallel'
  if (step && (isOrdered || step.kind !== 'wait')) return step
  return nextSurplusStep(state) ?? nextUpdateStep(state) ?? step ?? { kind: 'wait', reason: REASONS.Complete }
}
