import { readAttachmentView, wishesOfPod } from '../controllers/attach-detach/attachment-view.ts'
import type { PodWish } from '../controllers/attach-detach/attachment-view.ts'
import { nextAttachmentStep } from '../controllers/attach-detach/next-attachment-step.ts'
import { readAttachView } from '../sidecars/attacher/attach-view.ts'
import type { AttachHeld } from '../sidecars/attacher/attach-view.ts'
import { nextAttachStep } from '../sidecars/attacher/next-attach-step.ts'
import { NODES } from '../api/kinds/node.ts'
import { PERSISTENT_VOLUMES } from '../api/kinds/persistent-volume.ts'
import type { PersistentVolume } from '../api/kinds/persistent-volume.ts'
import { PODS } from '../api/kinds/pod.ts'
import { findTimestamp } from '../api/timestamps.ts'
import { SECRETS } from '../api/kinds/secret.ts'
import { VOLUME_ATTACHMENTS } from '../api/kinds/volume-attachment.ts'
import type { VolumeAttachment, VolumeError } from '../api/kinds/volume-attachment.ts'
import type { ClusterReader } from './cluster-reader.ts'
import { explainFinalizers } from './explain-finalizers.ts'
import { isReadyNode } from './explain-node.ts'
import { explainRegistration } from './explain-registration.ts'
import type { LastError, Link } from './explanation.ts'
import { isDriverKnown } from './is-driver-known.ts'
import { absentLink, blockedLink, idOf, idOfAwaited, readyLink, unseenLink, waitingLink } from './links.ts'
import { readNodeId } from './read-node-id.ts'
import { REASONS } from './reasons.ts'
import type { WhyReason } from './why-reason.ts'

export type AttachmentQuestion = {
  readonly reader: ClusterReader
  /** Whether to explain why it is not detached. Default false. */
  readonly isToGo?: boolean
}

/** How sentences refer to an attachment: its name is a hash. */
export const attachmentTitle = (volume: string, nodeName: string): string =>
  `the attachment of volume ${volume} to node ${nodeName}`

const volumeNameOf = ({ spec: { source } }: VolumeAttachment): string =>
  source.persistentVolumeName ?? source.inlineVolumeSpec?.csi?.volumeHandle ?? 'without a name'

/** Why a volume is not attached, or not detached. */
export async function explainAttachment(name: string, { reader, isToGo = false }: AttachmentQuestion): Promise<Link> {
  const found = await reader.get(VOLUME_ATTACHMENTS, { name })
  if (found.kind === 'absent') return absentLink({ kind: 'VolumeAttachment', name })
  if (found.kind === 'unseen') return unseenLink({ kind: 'VolumeAttachment', name })
  const attachment = found.object
  const { nodeName } = attachment.spec
  const volume = await volumeOf(attachment, reader)
  if (!isToGo)
    return {
      ...(await explainAttacher(attachment, volume, reader)),
      title: attachmentTitle(volumeNameOf(attachment), nodeName),
    }
  const holding =
    attachment.metadata.deletionTimestamp === undefined
      ? await explainHolder(attachment, volume, reader)
      : await explainAttacher(attachment, volume, reader)
  return {
    ...holding,
    isLeaving: false,
    title: `volume ${volumeNameOf(attachment)} to be detached from node ${nodeName}`,
  }
}

async function volumeOf({ spec }: VolumeAttachment, reader: ClusterReader): Promise<PersistentVolume | undefined> {
  const { persistentVolumeName: name } = spec.source
  const found = name === undefined ? undefined : await reader.get(PERSISTENT_VOLUMES, { name })
  return found?.kind === 'found' ? found.object : undefined
}

/** What the attacher is going to do. */
async function explainAttacher(
  attachment: VolumeAttachment,
  volume: PersistentVolume | undefined,
  reader: ClusterReader,
): Promise<Link> {
  const { attacher, nodeName } = attachment.spec
  const object = idOf(attachment)
  const isLeaving = attachment.metadata.deletionTimestamp !== undefined
  const state = isLeaving ? 'detaching' : attachment.status?.attached ? 'attached' : 'not attached'
  const nodeId = await readNodeId(reader, nodeName, attacher)
  if (
    nodeId.kind === 'unseen' &&
    attachment.status?.attached !== true &&
    !isLeaving &&
    !attachment.status?.attachError
  ) {
    return blockedLink(object, state, [unseenLink({ kind: 'CSINode', name: nodeName })])
  }
  const sources = { attachment: () => attachment, volume: () => volume, nodeRecords: () => nodeId.records }
  const { seen } = readAttachView(sources, object.name) ?? { seen: { attachment } }
  let step = nextAttachStep({ seen })
  if (step.kind === 'read-secret') {
    const secret = await reader.get(SECRETS, step.ref)
    const kind = secret.kind === 'absent' ? 'missing' : 'read'
    step = nextAttachStep({ seen, held: { ...NOTHING_HELD, secret: { kind } } })
  }
  switch (step.kind) {
    case 'wait':
      if (step.reason.code === 'Attached') return readyLink(object, state)
      return isLeaving ? explainFinalizers(attachment, {}) : waitingLink(object, state, step.reason)
    case 'refuse': {
      const { reason } = step
      if (reason.code === 'DriverNotRegistered')
        return blockedLink(object, state, [await explainRegistration(attacher, nodeName, reader)], { isLeaving })
      const isAbsent = reason.code === 'VolumeMissing' || reason.code === 'SecretMissing'
      if (!isAbsent || reason.waitsFor?.kind !== 'object') return waitingLink(object, state, reason, { isLeaving })
      return blockedLink(object, state, [absentLink(idOfAwaited(reason.waitsFor), reason)], { isLeaving })
    }
    default: {
      const error = isLeaving ? attachment.status?.detachError : attachment.status?.attachError
      const reason = (await isDriverKnown(attacher, reader))
        ? ((await busyReason(attachment, error, reader)) ?? attacherReason(attachment, error))
        : REASONS.driverUninstalled(attacher, 'attacher', isLeaving ? 'detach' : 'attach')
      return waitingLink(object, state, reason, {
        isLeaving,
        ...lastErrorOf(error),
      })
    }
  }
}

const NOTHING_HELD: AttachHeld = {
  nowMs: 0,
  rules: { publishReadonly: false, singleNodeMultiWriter: false, defaultFstype: '' },
  busy: new Set(),
  isVolumeReleasing: false,
  hasDrifted: false,
}

// The number of the gRPC code.
const DEADLINE_EXCEEDED = 4

// The workers that the attacher of kubernetes-csi has by default.
const WORKERS = 10

/** Without an error, the attacher may have no worker left: detaches take all of them. */
async function busyReason(
  { metadata, spec: { attacher } }: VolumeAttachment,
  error: VolumeError | undefined,
  reader: ClusterReader,
): Promise<WhyReason | undefined> {
  if (error?.message || metadata.deletionTimestamp !== undefined) return undefined
  const detaching = ((await reader.list(VOLUME_ATTACHMENTS)) ?? [])
    .filter((other) => other.spec.attacher === attacher && other.metadata.deletionTimestamp !== undefined)
    .sort((one, other) => deletedMs(one) - deletedMs(other))
  const [oldest] = detaching
  if (!oldest || detaching.length < WORKERS) return undefined
  const { name = '', deletionTimestamp: since = '' } = oldest.metadata
  return REASONS.attacherBusy(attacher, { detaches: detaching.length, oldest: name, since })
}

const deletedMs = ({ metadata }: VolumeAttachment): number => findTimestamp(metadata.deletionTimestamp) ?? 0

function attacherReason(attachment: VolumeAttachment, error: VolumeError | undefined): WhyReason {
  const { attacher } = attachment.spec
  const isLeaving = attachment.metadata.deletionTimestamp !== undefined
  if (!error?.message) return (isLeaving ? REASONS.awaitingDetach : REASONS.awaitingAttach)(attacher)
  const failed = isLeaving ? REASONS.detachFailed : REASONS.attachFailed
  return failed(attacher, volumeNameOf(attachment), error.message, error.errorCode === DEADLINE_EXCEEDED)
}

const lastErrorOf = (error: VolumeError | undefined): { lastError?: LastError } =>
  error?.message ? { lastError: { message: error.message, ...(error.time ? { time: error.time } : {}) } } : {}

/** Why the volume is not being detached from its node. */
async function explainHolder(
  attachment: VolumeAttachment,
  volume: PersistentVolume | undefined,
  reader: ClusterReader,
): Promise<Link> {
  const { nodeName } = attachment.spec
  const [object, state] = [idOf(attachment), attachment.status?.attached ? 'attached' : 'not attached']
  const node = await reader.get(NODES, { name: nodeName })
  const wishes = volume ? await wishesFor(nodeName, volume, reader) : []
  const view = readAttachmentView(
    {
      attachment: () => attachment,
      volume: () => volume,
      node: () => (node.kind === 'found' ? node.object : undefined),
      wishes: () => wishes,
      elsewhere: () => ({ elsewhere: [], otherPods: [] }),
    },
    object.name,
  )
  const [user] = wishes
  if (user) {
    const { metadata, status } = user.pod
    const isSilent = node.kind === 'found' && !isReadyNode(node.object)
    const reason = REASONS.usesVolume(metadata.name ?? '', nodeName, isSilent)
    return blockedLink(object, state, [waitingLink(idOf(user.pod), status?.phase ?? 'Pending', reason)])
  }
  const step = view && nextAttachmentStep(view)
  if (step?.kind !== 'wait') return waitingLink(object, state, REASONS.notDetachedYet)
  if (step.reason.code !== 'VolumeInUse') return waitingLink(object, state, step.reason)
  const holder = { kind: 'Node', name: nodeName }
  const link =
    node.kind === 'absent'
      ? absentLink(holder, REASONS.nodeGoneWithVolume(object.name))
      : step.reason.detail?.['nodeIsHealthy'] === 'true'
        ? waitingLink(holder, 'Ready', step.reason)
        : waitingLink(holder, 'NotReady', REASONS.nodeSilentWithVolume(nodeName, object.name))
  return blockedLink(object, state, [link])
}

/** Pods on the node that have the volume through its claim. */
async function wishesFor(nodeName: string, volume: PersistentVolume, reader: ClusterReader): Promise<PodWish[]> {
  const { claimRef } = volume.spec
  if (!claimRef?.namespace) return []
  const claim = {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: claimRef,
    spec: { volumeName: volume.metadata.name ?? '' },
    status: { phase: 'Bound' },
  } as const
  const lookup = {
    claim: (_: string, each: string) => (each === claimRef.name ? claim : undefined),
    volume: () => volume,
    driver: () => undefined,
  }
  return ((await reader.list(PODS, claimRef.namespace)) ?? [])
    .filter((pod) => pod.spec.nodeName === nodeName)
    .flatMap((pod) => wishesOfPod(pod, lookup, { skipAttach: false }).wishes)
}
