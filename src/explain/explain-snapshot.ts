import { nextSnapshotStep } from '../controllers/snapshot/next-snapshot-step.ts'
import type { SnapshotStep } from '../controllers/snapshot/next-snapshot-step.ts'
import { contentNameOf, groupRefOf, readSnapshotView } from '../controllers/snapshot/snapshot-view.ts'
import type { SnapshotView } from '../controllers/snapshot/snapshot-view.ts'
import { keyOf } from '../api/object-key.ts'
import type { KubeObject, ObjectRef } from '../api/object.ts'
import type { ResourceType } from '../api/resource-type.ts'
import { PERSISTENT_VOLUME_CLAIMS } from '../api/kinds/persistent-volume-claim.ts'
import { PERSISTENT_VOLUMES } from '../api/kinds/persistent-volume.ts'
import { VOLUME_GROUP_SNAPSHOTS } from '../api/kinds/volume-group-snapshot.ts'
import { VOLUME_SNAPSHOT_CLASSES, VOLUME_SNAPSHOT_CONTENTS, VOLUME_SNAPSHOTS } from '../api/kinds/volume-snapshot.ts'
import type { VolumeSnapshot, VolumeSnapshotClass } from '../api/kinds/volume-snapshot.ts'
import { findAnnotation } from '../storage/names.ts'
import {
  DEFAULT_SNAPSHOT_CLASS,
  SNAPSHOT_AS_SOURCE_FINALIZER,
  SNAPSHOT_BOUND_FINALIZER,
  SNAPSHOT_IN_GROUP_FINALIZER,
} from '../storage/snapshot-names.ts'
import type { ClusterReader } from './cluster-reader.ts'
import { explainContent } from './explain-content.ts'
import { explainFinalizers } from './explain-finalizers.ts'
import type { Link, ObjectId } from './explanation.ts'
import { absentLink, blockedLink, idOf, idOfAwaited, prefixCause, readyLink, unseenLink, waitingLink } from './links.ts'
import { REASONS } from './reasons.ts'
import type { WhyCode, WhyReason } from './why-reason.ts'

export type SnapshotQuestion = {
  readonly reader: ClusterReader
  /** Explains the source claim of a snapshot. Absent if this claim is being explained. */
  explainClaim?(ref: ObjectRef): Promise<Link>
}

/** Why a VolumeSnapshot is not ready to use, or not deleted. */
export async function explainSnapshot(ref: ObjectRef, question: SnapshotQuestion): Promise<Link> {
  const { reader } = question
  const object = { kind: 'VolumeSnapshot', ...ref }
  const found = await reader.get(VOLUME_SNAPSHOTS, ref)
  if (found.kind === 'absent') return absentLink(object)
  if (found.kind === 'unseen') return unseenLink(object)
  const snapshot = found.object
  const { seen, hidden } = await readSeen(snapshot, reader)
  const step = nextDecisive(seen)
  const [id, state] = [idOf(snapshot), stateOf(snapshot)]
  if (step.kind === 'wait' && step.reason.code === 'SnapshotReady')
    return readyLink(id, state, {
      reason: step.reason,
      dependsOn: seen.content ? [readyLink(idOf(seen.content), 'ready to use')] : [],
    })
  // Without an object that may not be read, nothing can be decided.
  if (hidden) return blockedLink(id, state, [unseenLink(hidden)])
  return snapshot.metadata.deletionTimestamp === undefined
    ? explainStaying(seen, step, question)
    : explainLeaving(seen, step, reader)
}

const stateOf = ({ metadata, status }: VolumeSnapshot): string =>
  metadata.deletionTimestamp === undefined ? (status?.readyToUse ? 'ready to use' : 'not ready') : 'Terminating'

type Seen = SnapshotView['seen']

/** `hidden`: an object that may not be read. */
async function readSeen(snapshot: VolumeSnapshot, reader: ClusterReader): Promise<{ seen: Seen; hidden?: ObjectId }> {
  let hidden: ObjectId | undefined
  const find = async <T extends KubeObject>(type: ResourceType<T>, ref: ObjectRef): Promise<T | undefined> => {
    if (!ref.name) return undefined
    const found = await reader.get(type, ref)
    if (found.kind === 'unseen') hidden ??= { kind: type.kind, ...ref }
    return found.kind === 'found' ? found.object : undefined
  }
  const { namespace = '' } = snapshot.metadata
  const { source, volumeSnapshotClassName = '' } = snapshot.spec
  const claims = await reader.list(PERSISTENT_VOLUME_CLAIMS, namespace)
  const content = await find(VOLUME_SNAPSHOT_CONTENTS, { name: contentNameOf(snapshot) })
  const snapshotClass = await find(VOLUME_SNAPSHOT_CLASSES, { name: volumeSnapshotClassName })
  const claim = await find(PERSISTENT_VOLUME_CLAIMS, { namespace, name: source.persistentVolumeClaimName ?? '' })
  const volume = await find(PERSISTENT_VOLUMES, { name: claim?.spec.volumeName ?? '' })
  const group = await find(VOLUME_GROUP_SNAPSHOTS, { namespace, name: groupRefOf(snapshot)?.name ?? '' })
  const classes = volumeSnapshotClassName === '' ? ((await reader.list(VOLUME_SNAPSHOT_CLASSES)) ?? []) : []
  const isFromSnapshot = (dataSource?: { kind: string; name: string }): boolean =>
    dataSource?.kind === 'VolumeSnapshot' && dataSource.name === snapshot.metadata.name
  const sources = {
    snapshot: () => snapshot,
    content: () => content,
    snapshotClass: () => snapshotClass,
    claim: () => claim,
    volume: () => volume,
    group: () => group,
    // A member that does not name its group itself is explained without it.
    groupContentOf: () => undefined,
    claimsFrom: () =>
      (claims ?? []).filter(({ spec }) => isFromSnapshot(spec.dataSource) || isFromSnapshot(spec.dataSourceRef)),
    defaultClasses: () => classes.filter((each) => findAnnotation(each, DEFAULT_SNAPSHOT_CLASS) === 'true'),
  }
  const seen = readSnapshotView(sources, keyOf(snapshot)) ?? { snapshot, defaultClasses: [] }
  return { seen, ...(hidden ? { hidden } : {}) }
}

/** The first decision that is more than adding finalizers: upstream's controller adds them later than ours. */
function nextDecisive(seen: Seen): SnapshotStep {
  const step = nextSnapshotStep({ seen })
  if (step.kind !== 'protect') return step
  const { metadata } = seen.snapshot
  const finalizers = [...(metadata.finalizers ?? []), ...step.finalizers]
  const next = nextSnapshotStep({
    seen: { ...seen, snapshot: { ...seen.snapshot, metadata: { ...metadata, finalizers } } },
  })
  return next.kind === 'wait' || next.kind === 'refuse' || next.kind === 'record' ? next : step
}

async function explainStaying(
  { snapshot, content }: Seen,
  step: SnapshotStep,
  { reader, explainClaim }: SnapshotQuestion,
): Promise<Link> {
  const [object, state] = [idOf(snapshot), stateOf(snapshot)]
  if (step.kind !== 'wait' && step.kind !== 'refuse') {
    // The status of the content is copied when it changes: what the content is waiting for comes first.
    if (step.kind === 'record' && content?.status?.readyToUse !== true && content)
      return blockedLink(object, state, [await explainContent(content.metadata.name ?? '', reader)])
    return waitingLink(object, state, REASONS.awaitingSnapshotController(step.kind))
  }
  const { reason } = step
  switch (reason.code) {
    case 'SnapshotBeingTaken':
      return blockedLink(object, state, [await explainContent(content?.metadata.name ?? '', reader)])
    case 'SnapshotClassMissing':
      return blockedLink(object, state, [await missingClass(reason, reader)])
    case 'ClaimNotBound': {
      const { namespace = '', name = '' } = reason.waitsFor?.kind === 'object' ? reason.waitsFor : {}
      const claim = explainClaim && (await explainClaim({ namespace, name }))
      return claim?.status === 'waits'
        ? blockedLink(object, state, [prefixCause(claim, reason.message ?? '')], { reason })
        : linkFor(snapshot, { cure: 'Find out why the claim is not bound.', ...reason })
    }
    default:
      return linkFor(snapshot, reason)
  }
}

async function missingClass(reason: WhyReason, reader: ClusterReader): Promise<Link> {
  const { name = '' } = reason.waitsFor ?? {}
  const others = ((await reader.list(VOLUME_SNAPSHOT_CLASSES)) ?? []).map(nameOf).sort()
  const cure =
    others.length === 0 ? {} : { cure: `Create it, or name one of these in a new snapshot: ${others.join(', ')}.` }
  return absentLink({ kind: 'VolumeSnapshotClass', name }, { ...reason, ...cure })
}

const nameOf = ({ metadata }: VolumeSnapshotClass): string => metadata.name ?? ''

// They name an object that does not exist.
const ABSENT: ReadonlySet<WhyCode> = new Set<WhyCode>(['ClaimMissing', 'ContentMissing', 'VolumeMissing'])

function linkFor(snapshot: VolumeSnapshot, reason: WhyReason): Link {
  const { waitsFor } = reason
  if (waitsFor?.kind !== 'object') return waitingLink(idOf(snapshot), stateOf(snapshot), reason)
  const awaited = idOfAwaited(waitsFor)
  return blockedLink(idOf(snapshot), stateOf(snapshot), [
    ABSENT.has(reason.code) ? absentLink(awaited, reason) : waitingLink(awaited, 'present', reason),
  ])
}

async function explainLeaving(
  { snapshot, content, restoring }: Seen,
  step: SnapshotStep,
  reader: ClusterReader,
): Promise<Link> {
  const [object, state, isLeaving] = [idOf(snapshot), 'Terminating', true]
  if (step.kind === 'wait' && step.reason.code === 'BeingRestored' && restoring)
    return blockedLink(
      object,
      state,
      [waitingLink(idOf(restoring), restoring.status?.phase ?? 'Pending', step.reason)],
      {
        isLeaving,
      },
    )
  if (step.kind === 'wait' && step.reason.code === 'ContentStillThere' && content)
    return blockedLink(object, state, [await explainContent(content.metadata.name ?? '', reader)], { isLeaving })
  if (step.kind === 'wait' && step.reason.code === 'SnapshotInGroup' && step.reason.waitsFor?.kind === 'object')
    return blockedLink(object, state, [waitingLink(idOfAwaited(step.reason.waitsFor), 'present', step.reason)], {
      isLeaving,
    })
  const foreign = explainFinalizers(snapshot, {
    [SNAPSHOT_AS_SOURCE_FINALIZER]: 'the snapshot controller',
    [SNAPSHOT_BOUND_FINALIZER]: 'the snapshot controller',
    [SNAPSHOT_IN_GROUP_FINALIZER]: 'the snapshot controller',
  })
  return step.kind === 'wait' || step.kind === 'release' || foreign.reason?.code === 'ForeignFinalizer'
    ? foreign
    : waitingLink(object, state, REASONS.awaitingSnapshotController(step.kind), { isLeaving })
}
