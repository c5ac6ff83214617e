import { PERSISTENT_VOLUME_CLAIMS } from '../api/kinds/persistent-volume-claim.ts'
import { PERSISTENT_VOLUMES } from '../api/kinds/persistent-volume.ts'
import type { PersistentVolume } from '../api/kinds/persistent-volume.ts'
import { SECRETS } from '../api/kinds/secret.ts'
import { STORAGE_CLASSES } from '../api/kinds/storage-class.ts'
import { VOLUME_ATTACHMENTS } from '../api/kinds/volume-attachment.ts'
import type { VolumeAttachment } from '../api/kinds/volume-attachment.ts'
import { refOf } from '../api/object-key.ts'
import { nextVolumeStep } from '../controllers/binder/next-volume-step.ts'
import { nextVolumeProtectionStep } from '../controllers/protection/next-protection-step.ts'
import { nextReleaseStep } from '../sidecars/attacher/next-release-step.ts'
import { nextDeleteStep, readDeleteView } from '../sidecars/provisioner/next-delete-step.ts'
import { clearClaimRef } from '../storage/claim-reference.ts'
import { classNameOf, findAnnotation, PROVISIONED_BY, PV_PROTECTION, VOLUME_FINALIZER } from '../storage/names.ts'
import { decodeSecret } from '../storage/read-secret.ts'
import type { ClusterReader } from './cluster-reader.ts'
import { explainAttachment } from './explain-attachment.ts'
import { explainClaim } from './explain-claim.ts'
import { explainFinalizers } from './explain-finalizers.ts'
import type { Link } from './explanation.ts'
import { isDriverKnown } from './is-driver-known.ts'
import { findLastError } from './last-error.ts'
import { absentLink, blockedLink, idOf, idOfAwaited, readyLink, unseenLink, waitingLink } from './links.ts'
import { REASONS } from './reasons.ts'
import { withFacts } from './why-reason.ts'

const ATTACHER_FINALIZERS = 'external-attacher/'

/** Why a volume is not bound, or not deleted. */
export async function explainVolume(name: string, reader: ClusterReader): Promise<Link> {
  const found = await reader.get(PERSISTENT_VOLUMES, { name })
  if (found.kind === 'absent') return absentLink({ kind: 'PersistentVolume', name })
  if (found.kind === 'unseen') return unseenLink({ kind: 'PersistentVolume', name })
  const volume = found.object
  return volume.metadata.deletionTimestamp === undefined
    ? explainStaying(volume, reader)
    : explainLeaving(volume, reader)
}

async function explainStaying(volume: PersistentVolume, reader: ClusterReader): Promise<Link> {
  const [object, state] = [idOf(volume), volume.status?.phase ?? 'Pending']
  const { claimRef } = volume.spec
  const found = claimRef?.name
    ? await reader.get(PERSISTENT_VOLUME_CLAIMS, { namespace: claimRef.namespace ?? '', name: claimRef.name })
    : undefined
  if (found?.kind === 'unseen')
    return state === 'Bound' ? readyLink(object, state) : blockedLink(object, state, [unseenLink(claimIdOf(volume))])
  const claim = found?.kind === 'found' ? found.object : undefined
  const step = nextVolumeStep({ seen: { volume, ...(claim ? { claim } : {}) } })
  if (step.kind !== 'wait') return waitingLink(object, state, REASONS.notBoundYet(step.kind))
  const { reason } = step
  switch (reason.code) {
    case 'Available':
      return readyLink(object, state, { reason })
    case 'Bound':
      return readyLink(object, state, {
        reason,
        dependsOn: claim ? [readyLink(idOf(claim), claim.status?.phase ?? 'Pending')] : [],
      })
    case 'Reserved':
      return claim
        ? waitingLink(object, state, reason, {
            dependsOn: [
              await explainClaim({ namespace: claimRef?.namespace ?? '', name: claimRef?.name ?? '' }, { reader }),
            ],
          })
        : blockedLink(object, state, [absentLink(claimIdOf(volume))])
    case 'BindingUnderWay':
      return waitingLink(object, state, REASONS.notBoundYet(step.kind))
    case 'DeletionUnderWay':
      return explainDeletion(volume, reader)
    case 'Retained':
      return waitingLink(
        object,
        state,
        withFacts({
          ...reason,
          detail: { claim: `${claimRef?.namespace}/${claimRef?.name}` },
          cure: `Save the data you need. Then delete the volume, or make it available again: ${clearClaimRef(object.name)}.`,
        }),
      )
    default:
      return waitingLink(
        object,
        state,
        volume.status?.message ? { ...reason, detail: { ...reason.detail, error: volume.status.message } } : reason,
      )
  }
}

const claimIdOf = ({ spec: { claimRef } }: PersistentVolume) =>
  idOfAwaited({ kindName: 'PersistentVolumeClaim', namespace: claimRef?.namespace ?? '', name: claimRef?.name ?? '' })

async function explainLeaving(volume: PersistentVolume, reader: ClusterReader): Promise<Link> {
  const [object, isLeaving] = [idOf(volume), true]
  const { finalizers = [] } = volume.metadata
  const protection = nextVolumeProtectionStep({ seen: { volume } })
  if (protection.kind === 'wait' && protection.reason.code === 'VolumeBound') {
    const found = await reader.get(PERSISTENT_VOLUME_CLAIMS, {
      namespace: volume.spec.claimRef?.namespace ?? '',
      name: volume.spec.claimRef?.name ?? '',
    })
    const state =
      found.kind === 'found'
        ? (found.object.status?.phase ?? 'Pending')
        : found.kind === 'absent'
          ? 'absent'
          : 'not visible'
    // A claim that has been deleted already need not be deleted again.
    const isClaimLeaving = found.kind === 'found' && found.object.metadata.deletionTimestamp !== undefined
    const claimLink = isClaimLeaving
      ? await explainClaim(refOf(found.object), { reader })
      : waitingLink(claimIdOf(volume), state, protection.reason)
    return blockedLink(object, 'Terminating', [claimLink], { isLeaving })
  }
  const attachments = await attachmentsOf(volume, reader)
  for (const finalizer of finalizers.filter((each) => each.startsWith(ATTACHER_FINALIZERS))) {
    const step = nextReleaseStep({ seen: { volume, attachments } }, finalizer)
    const [user] = attachments
    if (step.kind === 'wait' && user)
      return blockedLink(object, 'Terminating', [await explainHolding(user, reader)], { isLeaving })
  }
  if (finalizers.includes(VOLUME_FINALIZER)) {
    const deletion = await explainDeletion(volume, reader)
    // The provisioner is done once only finalizers of others remain.
    if (deletion.reason?.code !== 'HeldByOthers') return { ...deletion, isLeaving }
  }
  const attachers = Object.fromEntries(
    finalizers
      .filter((each) => each.startsWith(ATTACHER_FINALIZERS))
      .map((each) => [each, `the attacher of ${volume.spec.csi?.driver ?? 'the volume'}`]),
  )
  return explainFinalizers(volume, { [PV_PROTECTION]: 'the controller that protects volumes', ...attachers })
}

/** Why the provisioner has not deleted the volume. */
async function explainDeletion(volume: PersistentVolume, reader: ClusterReader): Promise<Link> {
  const [object, state] = [
    idOf(volume),
    volume.metadata.deletionTimestamp ? 'Terminating' : (volume.status?.phase ?? 'Pending'),
  ]
  const driverName = findAnnotation(volume, PROVISIONED_BY) ?? volume.spec.csi?.driver ?? ''
  const attachments = await attachmentsOf(volume, reader)
  const className = classNameOf(volume)
  const classFound = className === '' ? undefined : await reader.get(STORAGE_CLASSES, { name: className })
  const view = readDeleteView(
    {
      driverName,
      findVolume: () => volume,
      findClass: () => (classFound?.kind === 'found' ? classFound.object : undefined),
      attachmentsOf: () => attachments,
    },
    volume.metadata.name ?? '',
  )
  if (!view) return absentLink(object)
  let step = nextDeleteStep(view)
  if (step.kind === 'read-secret') {
    const secret = await reader.get(SECRETS, step.ref)
    step = nextDeleteStep({
      ...view,
      seen: { ...view.seen, secret: secret.kind === 'found' ? decodeSecret(secret.object) : { kind: 'missing' } },
    })
  }
  switch (step.kind) {
    case 'wait':
    case 'refuse': {
      const [user] = attachments
      if (step.reason.code === 'VolumeStillAttached' && user)
        return blockedLink(object, state, [await explainHolding(user, reader)], { reason: step.reason })
      return waitingLink(object, state, step.reason)
    }
    default: {
      const lastError =
        (await findLastError(reader, object, ['VolumeFailedDelete'])) ??
        (volume.status?.message ? { message: volume.status.message } : undefined)
      if (!(await isDriverKnown(driverName, reader)))
        return waitingLink(
          object,
          state,
          REASONS.driverUninstalled(driverName, 'provisioner', 'delete'),
          lastError ? { lastError } : {},
        )
      const reason = lastError
        ? REASONS.deleteFailed(driverName, lastError.message)
        : REASONS.awaitingDeletion(driverName)
      return waitingLink(object, state, reason, lastError ? { lastError } : {})
    }
  }
}

const attachmentsOf = async (
  { metadata }: PersistentVolume,
  reader: ClusterReader,
): Promise<readonly VolumeAttachment[]> =>
  ((await reader.list(VOLUME_ATTACHMENTS)) ?? []).filter(
    ({ spec }) => spec.source.persistentVolumeName === metadata.name,
  )

/** Why the volume is not detached. */
async function explainHolding(attachment: VolumeAttachment, reader: ClusterReader): Promise<Link> {
  return explainAttachment(attachment.metadata.name ?? '', { reader, isToGo: true })
}
