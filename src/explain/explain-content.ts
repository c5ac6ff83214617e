import { readContentView } from '../sidecars/snapshotter/content-view.ts'
import type { ContentHeld, ContentView } from '../sidecars/snapshotter/content-view.ts'
import { nextContentStep } from '../sidecars/snapshotter/next-content-step.ts'
import type { ContentStep } from '../sidecars/snapshotter/next-content-step.ts'
import { SECRETS } from '../api/kinds/secret.ts'
import { VOLUME_SNAPSHOT_CLASSES, VOLUME_SNAPSHOT_CONTENTS, VOLUME_SNAPSHOTS } from '../api/kinds/volume-snapshot.ts'
import type { VolumeSnapshotContent } from '../api/kinds/volume-snapshot.ts'
import { CONTENT_FINALIZER } from '../storage/snapshot-names.ts'
import { callMemoryOf } from './call-memory.ts'
import type { ClusterReader } from './cluster-reader.ts'
import { explainFinalizers } from './explain-finalizers.ts'
import type { Link } from './explanation.ts'
import { isDriverKnown } from './is-driver-known.ts'
import { absentLink, blockedLink, idOf, idOfAwaited, readyLink, unseenLink, waitingLink } from './links.ts'
import { REASONS } from './reasons.ts'

/** Why the driver has not taken the snapshot of a content, or not deleted it. */
export async function explainContent(name: string, reader: ClusterReader): Promise<Link> {
  const object = { kind: 'VolumeSnapshotContent', name }
  const found = await reader.get(VOLUME_SNAPSHOT_CONTENTS, { name })
  if (found.kind === 'absent') return absentLink(object)
  if (found.kind === 'unseen') return unseenLink(object)
  const content = found.object
  const className = content.spec.volumeSnapshotClassName ?? ''
  const classFound = className === '' ? undefined : await reader.get(VOLUME_SNAPSHOT_CLASSES, { name: className })
  const snapshotClass = classFound?.kind === 'found' ? classFound.object : undefined
  const seen = readContentView(content, () => snapshotClass, content.spec.driver)
  if (!seen) return absentLink(object)
  const step = await decide(seen, reader)
  if (classFound?.kind === 'unseen' && step.kind === 'refuse' && step.reason.code === 'SnapshotClassMissing')
    return blockedLink(idOf(content), stateOf(content), [unseenLink({ kind: 'VolumeSnapshotClass', name: className })])
  return content.metadata.deletionTimestamp === undefined
    ? explainStaying(content, step, reader)
    : explainLeaving(content, step, reader)
}

const stateOf = ({ metadata, status }: VolumeSnapshotContent): string =>
  metadata.deletionTimestamp === undefined ? (status?.readyToUse ? 'ready to use' : 'not ready') : 'Terminating'

const RULES: ContentHeld = {
  nowMs: 0,
  canList: true,
  names: { prefix: 'snapshot', uuidLength: -1 },
  passesMetadata: false,
}

/** The decision of the snapshotter, with what it would remember of its last call, as far as the content tells. */
async function decide(seen: ContentView['seen'], reader: ClusterReader): Promise<ContentStep> {
  let held = RULES
  let step = nextContentStep({ seen, held })
  if (step.kind === 'read-secret') {
    // A secret that may not be read counts as present, so that everything else is explained.
    const isMissing = (await reader.get(SECRETS, step.ref)).kind === 'absent'
    held = { ...held, secret: isMissing ? { kind: 'missing' } : { kind: 'read', values: {} } }
    step = nextContentStep({ seen, held })
  }
  const { error, snapshotHandle } = seen.content.status ?? {}
  const memory = callMemoryOf(step.kind, { error: error?.message, isTaken: snapshotHandle !== undefined })
  return memory ? nextContentStep({ seen, held: { ...held, memory } }) : step
}

async function explainStaying(content: VolumeSnapshotContent, step: ContentStep, reader: ClusterReader): Promise<Link> {
  const [object, state] = [idOf(content), stateOf(content)]
  switch (step.kind) {
    case 'wait':
    case 'refuse': {
      const { reason } = step
      if (reason.code === 'SnapshotReady') return explainReady(content, reader)
      if (reason.waitsFor?.kind === 'object')
        return blockedLink(object, state, [absentLink(idOfAwaited(reason.waitsFor), reason)])
      return waitingLink(object, state, reason, lastErrorOf(content))
    }
    case 'unmark-being-created':
      return readyLink(object, state)
    default:
      return waitingLink(object, state, await awaitSnapshotter(content, reader))
  }
}

async function awaitSnapshotter({ spec }: VolumeSnapshotContent, reader: ClusterReader) {
  const { driver, volumeSnapshotClassName: className } = spec
  if (await isDriverKnown(driver, reader)) return REASONS.awaitingSnapshotter(driver)
  return REASONS.snapshotDriverNotInstalled(driver, className)
}

/** A retained content outlives its VolumeSnapshot, and nothing deletes it. */
async function explainReady(content: VolumeSnapshotContent, reader: ClusterReader): Promise<Link> {
  const [object, state] = [idOf(content), stateOf(content)]
  const { namespace = '', name = '' } = content.spec.volumeSnapshotRef
  const snapshot = await reader.get(VOLUME_SNAPSHOTS, { namespace, name })
  const isGone =
    snapshot.kind === 'absent' || (snapshot.kind === 'found' && !isOf(content, snapshot.object.metadata.uid))
  if (isGone && !content.spec.volumeSnapshotRef.uid) return waitingLink(object, state, REASONS.contentNotBound)
  if (isGone)
    return waitingLink(object, state, REASONS.contentRetained(`${namespace}/${name}`, content.spec.deletionPolicy))
  const reason = { code: 'SnapshotReady' } as const
  return readyLink(object, state, {
    reason,
    dependsOn: [readyLink({ kind: 'VolumeSnapshot', namespace, name }, 'ready to use')],
  })
}

const isOf = ({ spec }: VolumeSnapshotContent, uid: string | undefined): boolean =>
  !spec.volumeSnapshotRef.uid || spec.volumeSnapshotRef.uid === uid

async function explainLeaving(content: VolumeSnapshotContent, step: ContentStep, reader: ClusterReader): Promise<Link> {
  const [object, state, isLeaving] = [idOf(content), 'Terminating', true]
  const { driver, volumeSnapshotRef } = content.spec
  const remaining = explainFinalizers(content, { [CONTENT_FINALIZER]: `the snapshotter of ${driver}` })
  switch (step.kind) {
    case 'wait':
    case 'refuse': {
      const { reason } = step
      if (reason.code === 'Released') return remaining
      if (reason.code !== 'SnapshotStillThere')
        return waitingLink(object, state, reason, { isLeaving, ...lastErrorOf(content) })
      const { namespace = '', name = '' } = volumeSnapshotRef
      const snapshot = await reader.get(VOLUME_SNAPSHOTS, { namespace, name })
      const isGone = snapshot.kind === 'absent'
      return isGone
        ? waitingLink(object, state, REASONS.contentNotMarked(content.metadata.name ?? '', `${namespace}/${name}`), {
            isLeaving,
          })
        : blockedLink(object, state, [waitingLink({ kind: 'VolumeSnapshot', namespace, name }, 'present', reason)], {
            isLeaving,
          })
    }
    case 'delete':
      return waitingLink(object, state, REASONS.awaitingSnapshotDeletion(driver), { isLeaving })
    default:
      return remaining
  }
}

const lastErrorOf = ({ status }: VolumeSnapshotContent): Pick<Link, 'lastError'> => {
  const { message, time } = status?.error ?? {}
  return message === undefined ? {} : { lastError: { message, ...(time ? { time } : {}) } }
}
