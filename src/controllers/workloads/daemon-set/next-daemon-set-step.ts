import type { ControllerRevision } from '../../../api/kinds/controller-revision.ts'
import type { DaemonSet, DaemonSetStatus } from '../../../api/kinds/daemon-set.ts'
import type { Node } from '../../../api/kinds/node.ts'
import { PODS } from '../../../api/kinds/pod.ts'
import type { Pod } from '../../../api/kinds/pod.ts'
import { selectsLabels } from '../../../api/label-selector.ts'
import { because, defineReasons, objectAwaited } from '../../../api/reason.ts'
import type { ReasonIn } from '../../../api/reason.ts'
import { findTimestamp } from '../../../api/timestamps.ts'
import { isFinishedPod } from '../../../storage/pod-claims.ts'
import { isAvailablePod, isLeaving, isReadyPod, nextAvailableInMs } from '../pod-state.ts'
import { hashOf, nextRevisionStep, REVISION_LABEL, revisionsToDelete } from '../revisions.ts'
import { scaledValue } from '../scaled-value.ts'
import { sortMembers } from '../sort-members.ts'
import { nodeOfDaemon, placeOf } from './daemon-pod.ts'

export type DaemonSetView = {
  readonly seen: {
    readonly set: DaemonSet
    readonly pods: readonly Pod[]
    readonly revisions: readonly ControllerRevision[]
    readonly nodes: readonly Node[]
    readonly nowMs: number
  }
}

export type DaemonSetStep =
  | { readonly kind: 'wait'; readonly reason: DaemonSetReason; readonly retryInMs?: number | undefined }
  | { readonly kind: 'adopt-pods'; readonly pods: readonly Pod[] }
  | { readonly kind: 'release-pods'; readonly pods: readonly Pod[] }
  | { readonly kind: 'adopt-revisions'; readonly revisions: readonly ControllerRevision[] }
  | { readonly kind: 'delete-revisions'; readonly revisions: readonly ControllerRevision[] }
  | { readonly kind: 'create-revision'; readonly revision: ControllerRevision }
  | { readonly kind: 'renumber-revision'; readonly revision: ControllerRevision; readonly number: number }
  | { readonly kind: 'write-status'; readonly status: DaemonSetStatus }
  | { readonly kind: 'create-pods'; readonly nodes: readonly string[]; readonly hash: string }
  | { readonly kind: 'delete-pods'; readonly pods: readonly Pod[] }

export type DaemonSetReason = ReasonIn<typeof REASONS>

export const REASONS = defineReasons({
  Complete: 'every node has its pod',
  SetLeaving: 'the DaemonSet is being deleted',
  PodNotReady: ({ metadata }: Pod) =>
    because(`pod ${metadata.name} is not ready yet`, { waitsFor: objectAwaited(PODS, metadata) }),
})

// A pod that the node refuses again and again is not replaced more often.
const FAILED_POD_MS = 10_000

type Place = {
  readonly name: string
  readonly isWanted: boolean
  readonly mayStay: boolean
  readonly pods: readonly Pod[]
}
type State = {
  readonly set: DaemonSet
  readonly places: readonly Place[]
  readonly hash: string
  readonly nowMs: number
}

/** The next step for a DaemonSet: ownership, the revision of the template, one pod for each node, updates, then the status. */
export function nextDaemonSetStep({ seen }: DaemonSetView): DaemonSetStep {
  const { set, nowMs } = seen
  const isSelected = ({ metadata }: Pod | ControllerRevision): boolean =>
    selectsLabels(set.spec.selector, metadata.labels)
  const { members, toAdopt, toRelease } = sortMembers(set, seen.pods, isSelected)
  if (toAdopt.length > 0) return { kind: 'adopt-pods', pods: toAdopt }
  if (toRelease.length > 0) return { kind: 'release-pods', pods: toRelease }
  if (set.metadata.deletionTimestamp !== undefined) return { kind: 'wait', reason: REASONS.SetLeaving }
  const revisions = sortMembers(set, seen.revisions, isSelected)
  if (revisions.toAdopt.length > 0) return { kind: 'adopt-revisions', revisions: revisions.toAdopt }
  const step = nextRevisionStep(set, revisions.members)
  if (step.kind === 'create') return { ...step, kind: 'create-revision' }
  if (step.kind === 'renumber') return { ...step, kind: 'renumber-revision' }
  const hash = hashOf(step.revision)
  const state: State = { set, places: placesOf(seen, members), hash, nowMs }
  const pods = placeStep(state, members) ?? updateStep(state)
  if (pods) return pods
  const status = statusOf(state)
  if (!isSameStatus(status, set.status)) return { kind: 'write-status', status }
  const inUse = new Set(members.map(({ metadata }) => metadata.labels?.[REVISION_LABEL] ?? ''))
  const names = revisions.members.filter((each) => inUse.has(hashOf(each)) || each === step.revision)
  const old = revisionsToDelete(
    revisions.members,
    new Set(names.map(({ metadata }) => metadata.name ?? '')),
    set.spec.revisionHistoryLimit ?? 10,
  )
  if (old.length > 0) return { kind: 'delete-revisions', revisions: old }
  return waitStep(state, members)
}

function placesOf({ set, nodes }: DaemonSetView['seen'], members: readonly Pod[]): readonly Place[] {
  const byNode = Map.groupBy(members, nodeOfDaemon)
  return nodes.map((node) => {
    const name = node.metadata.name ?? ''
    return { name, ...placeOf(set, node), pods: sortByAge(byNode.get(name) ?? []) }
  })
}

const sortByAge = (pods: readonly Pod[]): readonly Pod[] =>
  pods.toSorted((one, other) =>
    (one.metadata.creationTimestamp ?? '').localeCompare(other.metadata.creationTimestamp ?? ''),
  )

/** Missing and surplus pods of each node. */
function placeStep({ set, places, hash, nowMs }: State, members: readonly Pod[]): DaemonSetStep | undefined {
  const surges = limitOf(set, 'maxSurge', places) > 0
  const missing: string[] = []
  const surplus: Pod[] = []
  for (const { name, isWanted, mayStay, pods } of places) {
    const present = pods.filter((pod) => !isLeaving(pod))
    if (!mayStay) surplus.push(...present)
    if (!mayStay || (pods.length === 0 && !isWanted)) continue
    const ended = present.filter(isFinishedPod)
    surplus.push(...ended.filter((pod) => untilReplacedMs(pod, nowMs) <= 0))
    const running = present.filter((pod) => !isFinishedPod(pod))
    // Without surge, a node gets a new pod when the old one is gone.
    if (isWanted && (surges ? running.length === 0 && ended.length === 0 : pods.length === 0)) missing.push(name)
    surplus.push(...surplusOf(running, { surges, hash, minReadySeconds: set.spec.minReadySeconds ?? 0, nowMs }))
  }
  const known = new Set(places.map(({ name }) => name))
  surplus.push(...members.filter((pod) => !pod.spec.nodeName && !known.has(nodeOfDaemon(pod)) && !isLeaving(pod)))
  if (surplus.length > 0) return { kind: 'delete-pods', pods: surplus }
  return missing.length > 0 ? { kind: 'create-pods', nodes: missing, hash } : undefined
}

const untilReplacedMs = (pod: Pod, nowMs: number): number =>
  pod.status?.phase === 'Failed' ? (findTimestamp(pod.metadata.creationTimestamp) ?? 0) + FAILED_POD_MS - nowMs : 0

type Rules = {
  readonly surges: boolean
  readonly hash: string
  readonly minReadySeconds: number
  readonly nowMs: number
}

/** All pods of a node but the oldest. With surge, a new pod may stand beside an old one until it is available. */
function surplusOf(running: readonly Pod[], { surges, hash, minReadySeconds, nowMs }: Rules): readonly Pod[] {
  if (!surges) return running.slice(1)
  const [newPod, ...newer] = running.filter((pod) => isNew(pod, hash))
  const [oldPod, ...older] = running.filter((pod) => !isNew(pod, hash))
  const isReplaced = newPod && oldPod && (!isReadyPod(oldPod) || isAvailablePod(newPod, minReadySeconds, nowMs))
  return [...newer, ...older, ...(isReplaced ? [oldPod] : [])]
}

const isNew = ({ metadata }: Pod, hash: string): boolean => metadata.labels?.[REVISION_LABEL] === hash

function limitOf({ spec }: DaemonSet, name: 'maxSurge' | 'maxUnavailable', places: readonly Place[]): number {
  if ((spec.updateStrategy?.type ?? 'RollingUpdate') !== 'RollingUpdate') return 0
  const desired = places.filter(({ isWanted }) => isWanted).length
  const value = spec.updateStrategy?.rollingUpdate?.[name] ?? (name === 'maxSurge' ? 0 : 1)
  return scaledValue(value, desired, 'up')
}

/** Pods of an older template are replaced, as many at a time as the strategy allows. Those that are not available cost nothing. */
function updateStep({ set, places, hash, nowMs }: State): DaemonSetStep | undefined {
  if (set.spec.updateStrategy?.type === 'OnDelete') return undefined
  const isAvailable = (pod: Pod): boolean => isAvailablePod(pod, set.spec.minReadySeconds ?? 0, nowMs)
  const wanted = places.filter(({ isWanted }) => isWanted)
  const nodes = wanted.map(({ name, pods }) => ({ name, running: pods.filter((pod) => !isLeaving(pod)) }))
  const old = nodes.flatMap(({ name, running }) =>
    running.length === 1 && running[0] && !isNew(running[0], hash) ? [{ name, pod: running[0] }] : [],
  )
  const broken = old.filter(({ pod }) => !isAvailable(pod))
  const sound = old.filter(({ pod }) => isAvailable(pod))
  const maxSurge = limitOf(set, 'maxSurge', places)
  if (maxSurge > 0) {
    const surging = nodes.filter(({ running }) => running.length > 1).length
    const chosen = [...broken, ...sound.slice(0, Math.max(0, maxSurge - surging))].map(({ name }) => name)
    return chosen.length > 0 ? { kind: 'create-pods', nodes: chosen, hash } : undefined
  }
  const unavailable = nodes.filter(({ running }) => running.length !== 1 || !running.every(isAvailable)).length
  const room = Math.max(0, limitOf(set, 'maxUnavailable', places) - unavailable)
  const chosen = [...broken, ...sound.slice(0, room)].map(({ pod }) => pod)
  return chosen.length > 0 ? { kind: 'delete-pods', pods: chosen } : undefined
}

function statusOf({ set, places, hash, nowMs }: State): DaemonSetStatus {
  const wanted = places.filter(({ isWanted }) => isWanted)
  const first = wanted.flatMap(({ pods }) => pods[0] ?? [])
  const available = first.filter((pod) => isAvailablePod(pod, set.spec.minReadySeconds ?? 0, nowMs)).length
  return {
    observedGeneration: set.metadata.generation ?? 0,
    desiredNumberScheduled: wanted.length,
    currentNumberScheduled: first.length,
    numberMisscheduled: places.filter(({ isWanted, pods }) => !isWanted && pods.length > 0).length,
    numberReady: first.filter(isReadyPod).length,
    updatedNumberScheduled: first.filter((pod) => isNew(pod, hash)).length,
    numberAvailable: available,
    numberUnavailable: wanted.length - available,
  }
}

/** Counts that are 0 may be absent. */
const isSameStatus = (wanted: DaemonSetStatus, present: DaemonSetStatus | undefined): boolean =>
  Object.entries(wanted).every(([name, value]) => value === (present?.[name as keyof DaemonSetStatus] ?? 0))

function waitStep({ set, nowMs }: State, members: readonly Pod[]): DaemonSetStep {
  const unready = members.find((pod) => !isReadyPod(pod))
  const failed = members.flatMap((pod) => (pod.status?.phase === 'Failed' ? [untilReplacedMs(pod, nowMs)] : []))
  const available = nextAvailableInMs(members, set.spec.minReadySeconds ?? 0, nowMs)
  const waits = [...failed, ...(available === undefined ? [] : [available])].filter((ms) => ms > 0)
  const retry = waits.length === 0 ? {} : { retryInMs: Math.min(...waits) }
  return { kind: 'wait', reason: unready ? REASONS.PodNotReady(unready) : REASONS.Complete, ...retry }
}
