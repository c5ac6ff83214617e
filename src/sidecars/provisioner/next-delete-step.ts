import type { Patch } from '../../api/api.ts'
import { hasFinalizer } from '../../api/finalizers.ts'
import type { PersistentVolume } from '../../api/kinds/persistent-volume.ts'
import type { Secret } from '../../api/kinds/secret.ts'
import type { StorageClass } from '../../api/kinds/storage-class.ts'
import type { VolumeAttachment } from '../../api/kinds/volume-attachment.ts'
import { matchesNodeSelector } from '../../api/node-selector.ts'
import type { Reason } from '../../api/reason.ts'
import {
  ControllerServiceCapability_RPC_Type as Capability,
  PluginCapability_Service_Type as PluginService,
} from '../../csi/generated/csi/v1/csi.ts'
import type { DeleteVolumeRequest } from '../../csi/generated/csi/v1/csi.ts'
import type { DriverFacts } from '../discover-driver.ts'
import type { OwnNode } from './claim-eligibility.ts'
import { ok } from './decision.ts'
import type { Decision } from './decision.ts'
import { findAnnotation, MIGRATED_TO, PROVISIONED_BY } from '../../storage/names.ts'
import { DELETION_SECRET_NAME, DELETION_SECRET_NAMESPACE, VOLUME_FINALIZER } from './names.ts'
import { resolveSecretRef } from './resolve-secret-ref.ts'
import type { SecretRef } from './resolve-secret-ref.ts'
import { secretValues } from './secret-values.ts'

export type DeleteView = {
  readonly driverName: string
  readonly seen: {
    readonly volume: PersistentVolume | undefined
    /** All that name the volume, whatever their attacher and status. */
    readonly attachments: readonly VolumeAttachment[]
    /** The volume's class. Asked only for volumes that note no secret. */
    readonly class: StorageClass | undefined
    /** Null: it is not there, or we may not read it. Undefined: nobody asked. */
    readonly secret?: Secret | null | undefined
  }
  /** Undefined when asked from outside. */
  readonly held?: DeleteHeld | undefined
}

export type DeleteHeld = {
  readonly facts: DriverFacts
  readonly ownNode?: OwnNode | undefined
  readonly isCalling: boolean
  /** DeleteVolume succeeded for this very PersistentVolume in this life. */
  readonly isDeleted: boolean
  /** The API server took our request to delete the object; the cache may not show it yet. */
  readonly isRemoved: boolean
}

export type DeleteStep =
  /** Nothing to do until something changes. */
  | { readonly kind: 'wait'; readonly reason: Reason }
  /** The user has to be told; again after a while. */
  | { readonly kind: 'refuse'; readonly reason: Reason }
  /** Nothing is held, and nothing is left to do. */
  | { readonly kind: 'forget'; readonly reason: Reason }
  /** Read the secret and ask again in the same pass; what can't be read is null. */
  | { readonly kind: 'read'; readonly ref: SecretRef }
  /** Puts on or takes off our finalizer and leaves those of others as they are. */
  | { readonly kind: 'patch'; readonly patch: Patch; readonly change: 'protect' | 'release' }
  | { readonly kind: 'delete-volume'; readonly request: DeleteVolumeRequest }
  /** Delete this very object; it is fine when it is gone. */
  | { readonly kind: 'delete-object'; readonly uid: string }

/** What to do next for one PersistentVolume: keep our finalizer as its policy asks, and delete the volume when it was released. */
export function nextDeleteStep(view: DeleteView): DeleteStep {
  const { seen, held, driverName } = view
  const { volume } = seen
  if (!volume) return { kind: 'forget', reason: { code: 'VolumeGone' } }
  const notOurs = findForeign(volume, driverName)
  if (notOurs) return wait(notOurs)
  const { persistentVolumeReclaimPolicy: policy = 'Retain', csi } = volume.spec
  const phase = volume.status?.phase
  const isLeaving = volume.metadata.deletionTimestamp !== undefined
  const isProtected = hasFinalizer(volume, VOLUME_FINALIZER)

  if (policy !== 'Delete') return isProtected ? release(volume) : wait({ code: 'VolumeRetained', detail: { policy } })
  if (phase !== 'Released') {
    if (phase === 'Bound' && !isLeaving && !isProtected) return protect(volume)
    return wait({
      code: 'VolumeNotReleased',
      detail: { phase: phase ?? 'Pending' },
      waitsFor: { kind: 'actor', name: 'the volume binder' },
    })
  }
  if (isLeaving && !isProtected)
    return wait({ code: 'HeldByOthers', detail: { finalizers: (volume.metadata.finalizers ?? []).join(' ') } })
  if (held?.isDeleted) return nextRemovalStep(volume, held, isLeaving, isProtected)
  if (!csi) return wait({ code: 'VolumeNotCSI' })
  const { ownNode } = held ?? {}
  if (ownNode && !reaches(volume, ownNode)) return wait({ code: 'OtherNode', detail: { node: ownNode.name } })
  const incapable = held && findIncapability(held.facts)
  if (incapable) return { kind: 'refuse', reason: incapable }
  // Before the secret is read: a volume that is in use is going to wait anyway.
  const [attachment] = seen.attachments
  if (attachment && (held?.facts.controller.has(Capability.PUBLISH_UNPUBLISH_VOLUME) ?? true))
    return wait(attachedReason(attachment))
  if (held?.isCalling)
    return wait({ code: 'CallInFlight', waitsFor: { kind: 'actor', name: `the driver ${driverName}` } })

  const ref = findDeletionSecret(volume, seen.class)
  if (ref.kind !== 'ok') return { kind: 'refuse', reason: ref.reason }
  if (ref.value && seen.secret === undefined) return { kind: 'read', ref: ref.value }
  // A secret that is gone must not keep a volume for ever: the driver may do without.
  const secrets = ref.value && seen.secret ? secretValues(seen.secret) : ok({})
  if (secrets.kind !== 'ok') return { kind: 'refuse', reason: secrets.reason }
  return { kind: 'delete-volume', request: { volumeId: csi.volumeHandle, secrets: { ...secrets.value } } }
}

// The object goes after the volume; until its finalizer is off, a crash in between only means one more DeleteVolume.
function nextRemovalStep(
  volume: PersistentVolume,
  { isRemoved }: DeleteHeld,
  isLeaving: boolean,
  isProtected: boolean,
): DeleteStep {
  if (!isLeaving && !isRemoved) return { kind: 'delete-object', uid: volume.metadata.uid ?? '' }
  return isProtected ? release(volume) : wait({ code: 'VolumeLeaving' })
}

function findForeign(volume: PersistentVolume, driverName: string): Reason | undefined {
  const provisioner = findAnnotation(volume, PROVISIONED_BY)
  if (provisioner === driverName) return undefined
  if (findAnnotation(volume, MIGRATED_TO) === driverName)
    return { code: 'MigrationNotSupported', detail: { driver: driverName } }
  if (provisioner !== undefined) return { code: 'OtherProvisioner', detail: { provisioner } }
  // A volume that somebody wrote by hand: its driver is the one to delete it, when its policy says so.
  const driver = volume.spec.csi?.driver
  return driver === driverName ? undefined : { code: 'OtherDriver', detail: { driver: driver ?? 'none' } }
}

function findIncapability({ name, services, controller }: DriverFacts): Reason | undefined {
  const lacks = (capability: string): Reason => ({
    code: 'DriverLacksCapability',
    detail: { driver: name, capability },
  })
  if (!services.has(PluginService.CONTROLLER_SERVICE)) return lacks('CONTROLLER_SERVICE')
  return controller.has(Capability.CREATE_DELETE_VOLUME) ? undefined : lacks('CREATE_DELETE_VOLUME')
}

const reaches = ({ spec }: PersistentVolume, { name, segments }: OwnNode): boolean =>
  !spec.nodeAffinity?.required ||
  matchesNodeSelector(spec.nodeAffinity.required, { metadata: { name, labels: segments } })

const attachedReason = ({ metadata, spec }: VolumeAttachment): Reason => ({
  code: 'VolumeStillAttached',
  waitsFor: { kind: 'object', kindName: 'VolumeAttachment', name: metadata.name ?? '' },
  detail: { node: spec.nodeName },
})

/** The secret that was noted when the volume was made; for older volumes what their class says now, if it is still there. */
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
  // Nothing but its name is left of the claim: templates with annotations can't be filled in.
  const metadata = { name: claimRef.name ?? '', namespace: claimRef.namespace ?? '' }
  return resolveSecretRef('provisioner', storageClass.parameters ?? {}, {
    volumeName: volume.metadata.name ?? '',
    claim: { metadata },
  })
}

// Never the whole list: another's finalizer could be lost or come back with it. The uid keeps it off a namesake.
const protect = ({ metadata }: PersistentVolume): DeleteStep => ({
  kind: 'patch',
  change: 'protect',
  patch: { type: 'strategic', value: { metadata: { uid: metadata.uid, finalizers: [VOLUME_FINALIZER] } } },
})
const release = ({ metadata }: PersistentVolume): DeleteStep => ({
  kind: 'patch',
  change: 'release',
  patch: {
    type: 'strategic',
    value: { metadata: { uid: metadata.uid, '$deleteFromPrimitiveList/finalizers': [VOLUME_FINALIZER] } },
  },
})

const wait = (reason: Reason): DeleteStep => ({ kind: 'wait', reason })
