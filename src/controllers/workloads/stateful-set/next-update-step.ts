import type { Pod } from '../../../api/kinds/pod.ts'
import { isAvailablePod, isLeaving } from '../pod-state.ts'
import { nameOf, REVISION_LABEL } from '../revisions.ts'
import { scaledValue } from '../scaled-value.ts'
import { ordinalRange } from './identity.ts'
import type { SetState, StatefulSetStep } from './set-state.ts'
import { REASONS } from './reasons.ts'

/**
 * The next step of a rolling update: from the highest ordinal down to the partition, pods of another revision are deleted. Without
 * `maxUnavailable`, each waits until the one before is available. Undefined if all pods are up to date.
 */
export function nextUpdateStep(state: SetState): StatefulSetStep | undefined {
  const { set } = state
  const { updateStrategy: { type = 'RollingUpdate', rollingUpdate } = {} } = set.spec
  const outdated = (pod: Pod): boolean => pod.metadata.labels?.[REVISION_LABEL] !== nameOf(state.update)
  if (type === 'OnDelete')
    return [...state.replicas.values()].some(outdated)
      ? { kind: 'wait', reason: REASONS.WaitingForDeletion }
      : undefined
  const first = ordinalRange(set).start + (rollingUpdate?.partition ?? 0)
  const targets = [...state.replicas]
    .filter(([ordinal]) => ordinal >= first)
    .sort(([one], [other]) => other - one)
    .map(([, pod]) => pod)
  return rollingUpdate?.maxUnavailable === undefined
    ? oneByOne(state, targets, outdated)
    : upTo(rollingUpdate.maxUnavailable, { state, targets, outdated })
}

function oneByOne(
  state: SetState,
  targets: readonly Pod[],
  outdated: (pod: Pod) => boolean,
): StatefulSetStep | undefined {
  for (const pod of targets) {
    if (outdated(pod) && !isLeaving(pod)) return { kind: 'delete-pods', pods: [pod] }
    if (isUnavailable(state, pod))
      return { kind: 'wait', reason: isLeaving(pod) ? REASONS.PodLeaving(pod) : REASONS.PodNotReady(pod) }
  }
  return undefined
}

function upTo(
  maxUnavailable: number | string,
  { state, targets, outdated }: { state: SetState; targets: readonly Pod[]; outdated: (pod: Pod) => boolean },
): StatefulSetStep | undefined {
  const limit = Math.max(1, scaledValue(maxUnavailable, state.set.spec.replicas ?? 1, 'down'))
  const unavailable = [...state.replicas.values()].filter((pod) => isUnavailable(state, pod))
  const [first] = unavailable
  const old = targets.filter((pod) => outdated(pod) && !isLeaving(pod))
  const room = limit - unavailable.length
  if (room > 0 && old.length > 0) return { kind: 'delete-pods', pods: old.slice(0, room) }
  return first && old.length > 0 ? { kind: 'wait', reason: REASONS.PodNotReady(first) } : undefined
}

const isUnavailable = ({ set, nowMs }: SetState, pod: Pod): boolean =>
  isLeaving(pod) || !isAvailablePod(pod, set.spec.minReadySeconds ?? 0, nowMs)
