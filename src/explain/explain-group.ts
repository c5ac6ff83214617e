import { groupContentNameOf, readGroupView } from '../controllers/snapshot/group-view.ts'
import type { GroupSources, GroupView } from '../controllers/snapshot/group-view.ts'
import { nextGroupStep } from '../controllers/snapshot/next-group-step.ts'
import type { GroupStep } from '../controllers/snapshot/next-group-step.ts'
import { keyOf } from '../api/object-key.ts'
import type { ObjectRef } from '../api/object.ts'
import { PERSISTENT_VOLUME_CLAIMS } from '../api/kinds/persistent-volume-claim.ts'
import { PERSISTENT_VOLUMES } from '../api/kinds/persistent-volume.ts'
import {
  VOLUME_GROUP_SNAPSHOT_CLASSES,
  VOLUME_GROUP_SNAPSHOT_CONTENTS,
  VOLUME_GROUP_SNAPSHOTS,
} from '../api/kinds/volume-group-snapshot.ts'
import type { VolumeGroupSnapshot } from '../api/kinds/volume-group-snapshot.ts'
import { VOLUME_SNAPSHOT_CONTENTS, VOLUME_SNAPSHOTS } from '../api/kinds/volume-snapshot.ts'
import { findAnnotation } from '../storage/names.ts'
import { DEFAULT_GROUP_SNAPSHOT_CLASS, GROUP_BOUND_FINALIZER } from '../storage/snapshot-names.ts'
import type { ClusterReader } from './cluster-reader.ts'
import { explainFinalizers } from './explain-finalizers.ts'
import { explainGroupContent } from './explain-group-content.ts'
import type { SnapshotQuestion } from './explain-snapshot.ts'
import type { Link } from './explanation.ts'
import { absentLink, blockedLink, idOf, idOfAwaited, prefixCause, readyLink, unseenLink, waitingLink } from './links.ts'
import { REASONS } from './reasons.ts'
import type { WhyCode, WhyReason } from './why-reason.ts'

/** Why a VolumeGroupSnapshot is not ready to use, or not deleted. */
export async function explainGroup(ref: ObjectRef, question: SnapshotQuestion): Promise<Link> {
  const { reader } = question
  const object = { kind: 'VolumeGroupSnapshot', ...ref }
  const found = await reader.get(VOLUME_GROUP_SNAPSHOTS, ref)
  if (found.kind === 'absent') return absentLink(object)
  if (found.kind === 'unseen') return unseenLink(object)
  const group = found.object
  const seen = await readSeen(group, reader)
  const step = nextDecisive(seen)
  if (step.kind === 'wait' && step.reason.code === 'GroupSnapshotReady')
    return readyLink(idOf(group), stateOf(group), {
      reason: step.reason,
      dependsOn: seen.content ? [readyLink(idOf(seen.content), 'ready to use')] : [],
    })
  return group.metadata.deletionTimestamp === undefined
    ? explainStaying(seen, step, question)
    : explainLeaving(seen, step, reader)
}

const stateOf = ({ metadata, status }: VolumeGroupSnapshot): string =>
  metadata.deletionTimestamp === undefined ? (status?.readyToUse ? 'ready to use' : 'not ready') : 'Terminating'

type Seen = GroupView['seen']

async function readSeen(group: VolumeGroupSnapshot, reader: ClusterReader): Promise<Seen> {
  const { namespace = '', uid } = group.metadata
  const content = await reader.get(VOLUME_GROUP_SNAPSHOT_CONTENTS, { name: groupContentNameOf(group) })
  const claims = (await reader.list(PERSISTENT_VOLUME_CLAIMS, namespace)) ?? []
  const volumes = (await reader.list(PERSISTENT_VOLUMES)) ?? []
  const snapshots = (await reader.list(VOLUME_SNAPSHOTS, namespace)) ?? []
  const contents = (await reader.list(VOLUME_SNAPSHOT_CONTENTS)) ?? []
  const classes = (await reader.list(VOLUME_GROUP_SNAPSHOT_CLASSES)) ?? []
  const sources: GroupSources = {
    group: () => group,
    groupContent: () => (content.kind === 'found' ? content.object : undefined),
    groupClass: (name) => classes.find(({ metadata }) => metadata.name === name),
    defaultGroupClasses: () => classes.filter((each) => findAnnotation(each, DEFAULT_GROUP_SNAPSHOT_CLASS) === 'true'),
    claimsIn: () => claims,
    volume: (name) => volumes.find(({ metadata }) => metadata.name === name),
    volumeOfHandle: (driver, handle) =>
      volumes.find(({ spec }) => spec.csi?.driver === driver && spec.csi.volumeHandle === handle),
    snapshot: (key) => snapshots.find((snapshot) => keyOf(snapshot) === key),
    content: (name) => contents.find(({ metadata }) => metadata.name === name),
    snapshotsOf: () => snapshots.filter(({ metadata }) => metadata.ownerReferences?.some((owner) => owner.uid === uid)),
    claimsFrom: (key) =>
      claims.filter(
        ({ spec }) => spec.dataSource?.kind === 'VolumeSnapshot' && `${namespace}/${spec.dataSource.name}` === key,
      ),
  }
  return readGroupView(sources, keyOf(group)) ?? { group, defaultClasses: [], sources: [], members: [], snapshots: [] }
}

/** The first decision that is more than adding the finalizer. */
function nextDecisive(seen: Seen): GroupStep {
  const step = nextGroupStep({ seen })
  if (step.kind !== 'protect') return step
  const { metadata } = seen.group
  const finalizers = [...(metadata.finalizers ?? []), GROUP_BOUND_FINALIZER]
  const next = nextGroupStep({ seen: { ...seen, group: { ...seen.group, metadata: { ...metadata, finalizers } } } })
  return next.kind === 'wait' || next.kind === 'refuse' || next.kind === 'record' ? next : step
}

// They name an object that does not exist.
const ABSENT: ReadonlySet<WhyCode> = new Set<WhyCode>([
  'GroupContentMissing',
  'GroupSnapshotClassMissing',
  'GroupVolumeMissing',
])

async function explainStaying(
  { group, content }: Seen,
  step: GroupStep,
  { reader, explainClaim }: SnapshotQuestion,
): Promise<Link> {
  const [object, state] = [idOf(group), stateOf(group)]
  const isTaken = content?.status?.readyToUse === true
  if (step.kind !== 'wait' && step.kind !== 'refuse')
    return step.kind === 'record' && content && !isTaken
      ? blockedLink(object, state, [await explainGroupContent(content.metadata.name ?? '', reader)])
      : waitingLink(object, state, REASONS.awaitingSnapshotController(step.kind, true))
  const reason: WhyReason = step.reason
  if (reason.code === 'GroupSnapshotBeingTaken')
    return blockedLink(object, state, [await explainGroupContent(content?.metadata.name ?? '', reader)])
  const { waitsFor } = reason
  if (waitsFor?.kind !== 'object') return waitingLink(object, state, reason)
  const { namespace = '', name } = waitsFor
  const claim = reason.code === 'GroupClaimNotBound' ? await explainClaim?.({ namespace, name }) : undefined
  if (claim?.status === 'waits') return blockedLink(object, state, [prefixCause(claim, reason.message ?? '')])
  const awaited = idOfAwaited(waitsFor)
  return blockedLink(object, state, [
    ABSENT.has(reason.code) ? absentLink(awaited, reason) : waitingLink(awaited, 'present', reason),
  ])
}

async function explainLeaving({ group, content }: Seen, step: GroupStep, reader: ClusterReader): Promise<Link> {
  const [object, state, isLeaving] = [idOf(group), 'Terminating', true]
  if (step.kind === 'wait' && step.reason.code === 'GroupContentStillThere' && content)
    return blockedLink(object, state, [await explainGroupContent(content.metadata.name ?? '', reader)], { isLeaving })
  if (step.kind === 'wait' && step.reason.waitsFor?.kind === 'object')
    return blockedLink(object, state, [waitingLink(idOfAwaited(step.reason.waitsFor), 'present', step.reason)], {
      isLeaving,
    })
  const remaining = explainFinalizers(group, { [GROUP_BOUND_FINALIZER]: 'the snapshot controller' })
  return step.kind === 'wait' || step.kind === 'release' || remaining.reason?.code === 'ForeignFinalizer'
    ? remaining
    : waitingLink(object, state, REASONS.awaitingSnapshotController(step.kind, true), { isLeaving })
}
