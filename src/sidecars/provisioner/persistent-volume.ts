import type { PersistentVolumeClaim } from '../../api/kinds/persistent-volume-claim.ts'
import type { CSIPersistentVolumeSource, PersistentVolume } from '../../api/kinds/persistent-volume.ts'
import type { ObjectReference } from '../../api/kinds/references.ts'
import type { StorageClass } from '../../api/kinds/storage-class.ts'
import { quantityOfBytes } from '../../api/quantity.ts'
import { withoutUndefined } from '../../base/without-undefined.ts'
import { VolumeCapability_AccessMode_Mode as CsiMode } from '../../csi/generated/csi/v1/csi.ts'
import type { VolumeCapability } from '../../csi/generated/csi/v1/csi.ts'
import { attacherFinalizer } from '../attacher-finalizer.ts'
import type { MadeVolume } from './judge-create-result.ts'
import { classNameOf, PROVISIONED_BY } from '../../storage/names.ts'
import {
  DELETION_SECRET_NAME,
  DELETION_SECRET_NAMESPACE,
  MODIFY_SECRET_NAME,
  MODIFY_SECRET_NAMESPACE,
  PROVISIONER_IDENTITY,
  VOLUME_FINALIZER,
} from './names.ts'
import type { SecretRefs } from './resolve-secret-ref.ts'
import { findNodeAffinity } from './topology-term.ts'

export type VolumeParts = {
  readonly name: string
  /** As it was when the volume was requested. */
  readonly claim: PersistentVolumeClaim
  readonly class: StorageClass
  readonly secrets: SecretRefs
  readonly fsType: string
  readonly capabilities: readonly VolumeCapability[]
  readonly made: MadeVolume
  /** Of this run of the provisioner. */
  readonly identity: string
  /** Whether the driver has topology; without it no affinity is written. */
  readonly topology: boolean
  /** Whether a volume that is only read is attached read-only. */
  readonly publishReadonly: boolean
  /** Whether it is created with the attacher's finalizer. */
  readonly heldForAttacher?: boolean
}

/** The PersistentVolume for what the driver created, with the claim in it from the beginning. */
export function persistentVolumeOf({
  name,
  claim,
  class: storageClass,
  secrets,
  made,
  topology,
  ...rest
}: VolumeParts): PersistentVolume {
  const { accessModes, volumeMode, volumeAttributesClassName } = claim.spec
  const { reclaimPolicy, mountOptions } = storageClass
  // A retained volume needs no finalizer of ours, and removing it again would cost a write.
  const finalizers = [
    ...(reclaimPolicy === 'Delete' ? [VOLUME_FINALIZER] : []),
    ...(rest.heldForAttacher ? [attacherFinalizer(storageClass.provisioner)] : []),
  ]
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: withoutUndefined({
      name,
      annotations: { [PROVISIONED_BY]: storageClass.provisioner, ...secretAnnotations(secrets) },
      finalizers: finalizers.length > 0 ? finalizers : undefined,
    }),
    spec: withoutUndefined({
      capacity: { storage: quantityOfBytes(made.capacityBytes) },
      accessModes,
      volumeMode,
      mountOptions: mountOptions?.length ? mountOptions : undefined,
      persistentVolumeReclaimPolicy: reclaimPolicy,
      storageClassName: classNameOf(claim),
      claimRef: claimRefOf(claim),
      volumeAttributesClassName: volumeAttributesClassName || undefined,
      nodeAffinity: topology ? findNodeAffinity(made.accessibleTopology) : undefined,
      csi: csiSourceOf({ claim, class: storageClass, secrets, made, ...rest }),
    }),
  }
}

function csiSourceOf(parts: Omit<VolumeParts, 'name' | 'topology'>): CSIPersistentVolumeSource {
  const { claim, class: storageClass, secrets, made, fsType, capabilities, identity, publishReadonly } = parts
  const isReadOnly =
    publishReadonly && capabilities.length === 1 && capabilities[0]?.accessMode?.mode === CsiMode.MULTI_NODE_READER_ONLY
  return withoutUndefined({
    driver: storageClass.provisioner,
    volumeHandle: made.id,
    fsType: claim.spec.volumeMode === 'Block' ? undefined : fsType || undefined,
    readOnly: isReadOnly || undefined,
    volumeAttributes: { [PROVISIONER_IDENTITY]: identity, ...made.context },
    controllerPublishSecretRef: secrets.controllerPublish,
    nodeStageSecretRef: secrets.nodeStage,
    nodePublishSecretRef: secrets.nodePublish,
    controllerExpandSecretRef: secrets.controllerExpand,
    nodeExpandSecretRef: secrets.nodeExpand,
  })
}

// Empty says that deletion needs no secret; absent would mean: look into the class, which may be gone or another by then.
function secretAnnotations({ provisioner, controllerModify }: SecretRefs): Readonly<Record<string, string>> {
  return {
    [DELETION_SECRET_NAME]: provisioner?.name ?? '',
    [DELETION_SECRET_NAMESPACE]: provisioner?.namespace ?? '',
    ...(controllerModify
      ? { [MODIFY_SECRET_NAME]: controllerModify.name, [MODIFY_SECRET_NAMESPACE]: controllerModify.namespace }
      : {}),
  }
}

const claimRefOf = ({ metadata: { namespace, name, uid, resourceVersion } }: PersistentVolumeClaim): ObjectReference =>
  withoutUndefined({ apiVersion: 'v1', kind: 'PersistentVolumeClaim', namespace, name, uid, resourceVersion })

/**
 * Whether a PersistentVolume that exists already is the one we were about to create. One that is being deleted, or belongs to an earlier
 * volume, only has the same name: the volume that was created meanwhile would be lost.
 */
export function isSameVolume(stored: PersistentVolume, ours: PersistentVolume): boolean {
  return (
    stored.metadata.deletionTimestamp === undefined &&
    stored.spec.csi?.driver === ours.spec.csi?.driver &&
    stored.spec.csi?.volumeHandle === ours.spec.csi?.volumeHandle &&
    stored.spec.claimRef?.uid === ours.spec.claimRef?.uid
  )
}
