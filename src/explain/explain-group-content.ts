import { readGroupContentView } from '../sidecars/snapshotter/group-content-view.ts'
import type { GroupContentHeld, GroupContentView } from '../sidecars/snapshotter/group-content-view.ts'
import { nextGroupContentStep } from '../sidecars/snapshotter/next-group-content-step.ts'
import type { GroupContentStep } from '../sidecars/snapshotter/next-group-content-step.ts'
import { SECRETS } from '../api/kinds/secret.ts'
import { VOLUME_GROUP_SNAPSHOT_CLASSES, VOLUME_GROUP_SNAPSHOT_CONTENTS } from '../api/kinds/volume-group-snapshot.ts'
import { GROUP_CONTENT_FINALIZER } from '../storage/snapshot-names.ts'
import { callMemoryOf } from './call-memory.ts'
import type { ClusterReader } from './cluster-reader.ts'
import { explainFinalizers } from './explain-finalizers.ts'
import type { Link } from './explanation.ts'
import { isDriverKnown } from './is-driver-known.ts'
import { absentLink, blockedLink, idOf, idOfAwaited, readyLink, unseenLink, waitingLink } from './links.ts'
import { REASONS } from './reasons.ts'

/** Why the driver has not taken the snapshots of a group content, or not deleted them. */
export async function explainGroupContent(name: string, reader: ClusterReader): Promise<Link> {
  const object = { kind: 'VolumeGroupSnapshotContent', name }
  const found = await reader.get(VOLUME_GROUP_SNAPSHOT_CONTENTS, { name })
  if (found.kind === 'absent') return absentLink(object)
  if (found.kind === 'unseen') return unseenLink(object)
  const content = found.object
  const className = content.spec.volumeGroupSnapshotClassName ?? ''
  const classFound = className === '' ? undefined : await reader.get(VOLUME_GROUP_SNAPSHOT_CLASSES, { name: className })
  const groupClass = classFound?.kind === 'found' ? classFound.object : undefined
  const seen = readGroupContentView(content, () => groupClass, content.spec.driver)
  if (!seen) return absentLink(object)
  const step = await decide(seen, reader)
  const isLeaving = content.metadata.deletionTimestamp !== undefined
  const state = isLeaving ? 'Terminating' : content.status?.readyToUse ? 'ready to use' : 'not ready'
  const parts = isLeaving ? { isLeaving } : {}
  const { driver } = content.spec
  const remaining = explainFinalizers(content, { [GROUP_CONTENT_FINALIZER]: `the snapshotter of ${driver}` })
  switch (step.kind) {
    case 'wait':
    case 'refuse': {
      const { reason } = step
      if (reason.code === 'GroupSnapshotReady') return readyLink(idOf(content), state, { reason })
      if (reason.code === 'Released') return remaining
      return reason.waitsFor?.kind === 'object'
        ? blockedLink(idOf(content), state, [absentLink(idOfAwaited(reason.waitsFor), reason)], parts)
        : waitingLink(idOf(content), state, reason, parts)
    }
    case 'unmark-being-created':
      return readyLink(idOf(content), state)
    case 'delete':
      return waitingLink(idOf(content), state, REASONS.awaitingSnapshotDeletion(driver), parts)
    default: {
      if (isLeaving) return remaining
      const isKnown = await isDriverKnown(driver, reader)
      const reason = isKnown
        ? REASONS.awaitingGroupSnapshot(driver)
        : REASONS.snapshotDriverNotInstalled(driver, className)
      return waitingLink(idOf(content), state, reason)
    }
  }
}

const RULES: GroupContentHeld = {
  nowMs: 0,
  canTakeGroups: true,
  names: { prefix: 'groupsnapshot', uuidLength: -1 },
  passesMetadata: false,
}

/** The decision of the snapshotter, with what it would remember of its last call, as far as the content tells. */
async function decide(seen: GroupContentView['seen'], reader: ClusterReader): Promise<GroupContentStep> {
  let held = RULES
  let step = nextGroupContentStep({ seen, held })
  if (step.kind === 'read-secret') {
    // A secret that may not be read counts as present, so that everything else is explained.
    const isMissing = (await reader.get(SECRETS, step.ref)).kind === 'absent'
    held = { ...held, secret: isMissing ? { kind: 'missing' } : { kind: 'read', values: {} } }
    step = nextGroupContentStep({ seen, held })
  }
  const { error, volumeGroupSnapshotHandle } = seen.content.status ?? {}
  const memory = callMemoryOf(step.kind, { error: error?.message, isTaken: volumeGroupSnapshotHandle !== undefined })
  return memory ? nextGroupContentStep({ seen, held: { ...held, memory } }) : step
}
