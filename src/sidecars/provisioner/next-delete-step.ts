import type { Patch } from '../../api/api.ts'
import { dropFinalizerPatch } from '../../api/finalizers.ts'
import type { PersistentVolume } from '../../api/kinds/persistent-volume.ts'
import type { StorageClass } from '../../api/kinds/storage-class.ts'
import type { VolumeAttachment } from '../../api/kinds/volume-attachment.ts'
import { matchesNodeSelector } from '../../api/node-selector.ts'
import { ControllerServiceCapability_RPC_Type as Capability } from '../../csi/generated/csi/v1/csi.ts'
import type { DeleteVolumeRequest } from '../../csi/generated/csi/v1/csi.ts'
import type { Notice } from '../../kube/controller/index.ts'
import { classNameOf, findAnnotation, MIGRATED_TO, PROVISIONED_BY, VOLUME_FINALIZER } from '../../storage/names.ts'
import type { SecretRead } from '../../storage/read-secret.ts'
import type { SecretRef } from '../../storage/secret-reason.ts'
import { attacherFinalizer } from '../attacher-finalizer.ts'
import type { DriverFacts } from '../discover-driver.ts'
import type { OwnNode } from './claim-eligibility.ts'
import { DELETION_SECRET_NAME, DELETION_SECRET_NAMESPACE } from './names.ts'
import { findMissingCapability } from './plan-volume.ts'
import type { ProvisionSources } from './provision-view.ts'
import { ok, REASONS } from './reasons.ts'
import type { Decision, ProvisionerReason } from './reasons.ts'
import { resolveSecretRef } from './resolve-secret-ref.ts'

export type DeleteView = {
  readonly driverName: string
  readonly seen: {
    readonly volume: PersistentVolume
    /** All attachments of the volume, whatever their attacher and status. */
    readonly attachments: readonly VolumeAttachment[]
    /** The volume's class. Only needed for volumes without a recorded secret. */
    readonly class: StorageClass | undefined
    readonly secret?: SecretRead | undefined
  }
  readonly held?: DeleteHeld | undefined
}

export type DeleteHeld = {
  readonly facts: DriverFacts
  readonly ownNode?: OwnNode | undefined
  /** Whether this process gives volumes the attacher's finalizer, and takes it with its own. */
  readonly ownsAttacherFinalizer?: boolean
  /** DeleteVolume succeeded for this PersistentVolume since the start of the process. */
  readonly isDeleted: boolean
  /** The API server accepted our request to delete the object; the cache may not show it yet. */
  readonly isRemoved: boolean
}

/** What a view is read from. */
export type DeleteSources = Pick<ProvisionSources, 'driverName' | 'findVolume' | 'findClass'> & {
  attachmentsOf(volumeName: string): readonly VolumeAttachment[]
}

/** Undefined if the volume does not exist. */
export function readDeleteView(
  sources: DeleteSources,
  name: string,
  secret?: SecretRead,
  held?: (volume: PersistentVolume) => DeleteHeld,
): DeleteView | undefined {
  const volume = sources.findVolume(name)
  if (!volume) return undefined
  return {
    driverName: sources.driverName,
    seen: { volume, attachments: sources.attachmentsOf(name), class: sources.findClass(classNameOf(volume)), secret },
    held: held?.(volume),
  }
}

export type DeleteStep =
  /** Nothing to do until something changes. */
  | { readonly kind: 'wait'; readonly reason: ProvisionerReason; readonly notice?: Notice }
  /** Report to the user, and try again later. */
  | { readonly kind: 'refuse'; readonly reason: ProvisionerReason }
  /** Read the secret and decide again in the same pass. */
  | { readonly kind: 'read-secret'; readonly ref: SecretRef }
  /** Add or remove our finalizer, and leave those of others as they are. */
  | { readonly kind: 'protect'; readonly patch: Patch }
  | { readonly kind: 'release'; readonly patch: Patch }
  | { readonly kind: 'delete-volume'; readonly request: DeleteVolumeRequest }
  /** Delete exactly this object. */
  | { readonly kind: 'delete-object'; readonly uid: string }

/** What to do next for one PersistentVolume: keep our finalizer as its policy requires, and delete the volume once it is released. */
export function nextDeleteStep({ seen, held, driverName }: DeleteView): DeleteStep {
  const { volume } = seen
  const notOurs = findForeign(volume, driverName)
  if (notOurs) return wait(notOurs)
  const { persistentVolumeReclaimPolicy: policy = 'Retain', csi } = volume.spec
  const { phase = 'Pending' } = volume.status ?? {}
  const { deletionTimestamp, uid = '', finalizers = [] } = volume.metadata
  const isLeaving = deletionTimestamp !== undefined
  const patch = dropFinalizerPatch(volume, VOLUME_FINALIZER)
  const release: DeleteStep | undefined = patch && { kind: 'release', patch }

  if (policy !== 'Delete') return release ?? wait(REASONS.VolumeRetained(policy))
  if (phase !== 'Released')
    return phase === 'Bound' && !isLeaving && !release ? protect(volume) : wait(REASONS.VolumeNotReleased(phase))
  if (isLeaving && !release) return wait(REASONS.HeldByOthers(finalizers))
  // The volume is gone, so nothing has to be protected any more: without finalizers, the object ends with its deletion. A crash in between only causes
  // one more DeleteVolume.
  if (held?.isDeleted) {
    const last = held.ownsAttacherFinalizer ? [VOLUME_FINALIZER, attacherFinalizer(driverName)] : [VOLUME_FINALIZER]
    const all = release && dropFinalizerPatch(volume, ...last)
    if (all) return { kind: 'release', patch: all }
    if (!isLeaving && !held.isRemoved) return { kind: 'delete-object', uid }
    return wait(REASONS.VolumeLeaving(volume.metadata.name ?? ''))
  }
  if (!csi) return wait(REASONS.VolumeNotCSI)
  const { ownNode } = held ?? {}
  if (ownNode && !reaches(volume, ownNode)) return wait(REASONS.OtherNode(ownNode.name))
  const incapable = held && findMissingCapability(held.facts)
  if (incapable) return { kind: 'refuse', reason: incapable }
  // Before the secret is read: a volume that is in use has to wait anyway.
  const [attachment] = seen.attachments
  if (attachment && (held?.facts.controller.has(Capability.PUBLISH_UNPUBLISH_VOLUME) ?? true))
    return waitForDetach(volume, attachment)

  const ref = findDeletionSecret(volume, seen.class)
  if (ref.kind !== 'ok') return { kind: 'refuse', reason: ref.reason }
  const secret = ref.value && seen.secret
  if (ref.value && !secret) return { kind: 'read-secret', ref: ref.value }
  if (ref.value && secret?.kind === 'not-text') return { kind: 'refuse', reason: REASONS.Secret(secret, ref.value) }
  // A missing secret must not keep a volume forever: the driver may not need it.
  const secrets = secret?.kind === 'read' ? { ...secret.values } : {}
  return { kind: 'delete-volume', request: { volumeId: csi.volumeHandle, secrets } }
}

function findForeign(volume: PersistentVolume, driverName: string): ProvisionerReason | undefined {
  const provisioner = findAnnotation(volume, PROVISIONED_BY)
  if (provisioner === driverName) return undefined
  if (findAnnotation(volume, MIGRATED_TO) === driverName) return REASONS.MigrationNotSupported(driverName)
  if (provisioner !== undefined) return REASONS.OtherProvisioner(provisioner)
  // A volume that was created manually: its driver deletes it when its policy says so.
  const driver = volume.spec.csi?.driver
  return driver === driverName ? undefined : REASONS.OtherDriver(driver)
}

const reaches = ({ spec }: PersistentVolume, { name, segments }: OwnNode): boolean =>
  !spec.nodeAffinity?.required ||
  matchesNodeSelector(spec.nodeAffinity.required, { metadata: { name, labels: segments } })

const waitForDetach = (volume: PersistentVolume, { metadata, spec }: VolumeAttachment): DeleteStep => ({
  kind: 'wait',
  reason: REASONS.VolumeStillAttached(volume.metadata.name ?? '', metadata.name ?? '', spec.nodeName),
  notice: { type: 'Normal', event: 'VolumeDeleteWaits' },
})

/** The secret that was recorded when the volume was created; for older volumes the one that their class names now, if it still exists. */
function findDeletionSecret(
  volume: PersistentVolume,
  storageClass: StorageClass | undefined,
): Decision<SecretRef | undefined> {
  const name = findAnnotation(volume, DELETION_SECRET_NAME)
  const namespace = findAnnotation(volume, DELETION_SECRET_NAMESPACE)
  if (name !== undefined && namespace !== undefined)
    return ok(name !== '' && namespace !== '' ? { name, namespace } : undefined)
  const { claimRef } = volume.spec
  if (!storageClass || !claimRef) return ok(undefined)
  // Only the name of the claim is known: templates with annotations cannot be expanded.
  const metadata = { name: claimRef.name ?? '', namespace: claimRef.namespace ?? '' }
  return resolveSecretRef('provisioner', storageClass.parameters ?? {}, {
    volumeName: volume.metadata.name ?? '',
    claim: { metadata },
  })
}

// Never the whole list: finalizers of others could be lost or restored with it. The UID excludes another object of the same name.
const protect = ({ metadata: { uid } }: PersistentVolume): DeleteStep => ({
  kind: 'protect',
  patch: { type: 'strategic', value: { metadata: { uid, finalizers: [VOLUME_FINALIZER] } } },
})

const wait = (reason: ProvisionerReason): DeleteStep => ({ kind: 'wait', reason })
