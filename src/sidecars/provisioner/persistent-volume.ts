import type { PersistentVolumeClaim } from '../../api/kinds/persistent-volume-claim.ts'
import type { CSIPersistentVolumeSource, PersistentVolume } from '../../api/kinds/persistent-volume.ts'
import type { ObjectReference } from '../../api/kinds/references.ts'
import type { StorageClass } from '../../api/kinds/storage-class.ts'
import { quantityOfBytes } from '../../api/quantity.ts'
import { VolumeCapability_AccessMode_Mode as CsiMode } from '../../csi/generated/csi/v1/csi.ts'
import type { VolumeCapability } from '../../csi/generated/csi/v1/csi.ts'
import { attacherFinalizer } from '../attacher-finalizer.ts'
import type { MadeVolume } from './check-response.ts'
import { classNameOf, PROVISIONED_BY } from '../../storage/names.ts'
import {
  DELETION_SECRET_NAME,
  DELETION_SECRET_NAMESPACE,
  MODIFY_SECRET_NAME,
  MODIFY_SECRET_NAMESPACE,
  PROVISIONER_IDENTITY,
  VOLUME_FINALIZER,
} from './names.ts'
import { findNodeAffinity } from './node-affinity.ts'
import type { SecretRefs } from './resolve-secret-ref.ts'

export type VolumeParts = {
  readonly name: string
  /** As it was when the volume was asked for. */
  readonly claim: PersistentVolumeClaim
  readonly class: StorageClass
  readonly secrets: SecretRefs
  readonly fsType: string
  readonly capabilities: readonly VolumeCapability[]
  readonly made: MadeVolume
  /** Of this run of the provisioner. */
  readonly identity: string
  /** Whether the driver speaks of topology; without it no affinity is written. */
  readonly topology: boolean
  /** Whether a volume that is only ever read is attached read-only. */
  readonly publishReadonly: boolean
  /** Whether it is born with the attacher's finalizer. */
  readonly heldForAttacher?: boolean
}

/** The PersistentVolume for what the driver made, bound to its claim from the beginning. */
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
  // What is retained needs no finalizer of ours, and to take it off again would cost a write.
  const finalizers = [
    ...(reclaimPolicy === 'Delete' ? [VOLUME_FINALIZER] : []),
    ...(rest.heldForAttacher ? [attacherFinalizer(storageClass.provisioner)] : []),
  ]
  const affinity = topology ? findNodeAffinity(made.accessibleTopology) : undefined
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: {
      name,
      annotations: { [PROVISIONED_BY]: storageClass.provisioner, ...secretAnnotations(secrets) },
      ...(finalizers.length > 0 ? { finalizers } : {}),
    },
    spec: {
      capacity: { storage: quantityOfBytes(made.capacityBytes) },
      ...(accessModes ? { accessModes } : {}),
      ...(volumeMode ? { volumeMode } : {}),
      ...(mountOptions && mountOptions.length > 0 ? { mountOptions } : {}),
      ...(reclaimPolicy ? { persistentVolumeReclaimPolicy: reclaimPolicy } : {}),
      storageClassName: classNameOf(claim),
      claimRef: claimRefOf(claim),
      ...(volumeAttributesClassName ? { volumeAttributesClassName } : {}),
      ...(affinity ? { nodeAffinity: affinity } : {}),
      csi: csiSourceOf({ claim, class: storageClass, secrets, made, ...rest }),
    },
  }
}

function csiSourceOf(parts: Omit<VolumeParts, 'name' | 'topology'>): CSIPersistentVolumeSource {
  const { claim, class: storageClass, secrets, made, fsType, capabilities, identity, publishReadonly } = parts
  const isReadOnly =
    publishReadonly && capabilities.length === 1 && capabilities[0]?.accessMode?.mode === CsiMode.MULTI_NODE_READER_ONLY
  return {
    driver: storageClass.provisioner,
    volumeHandle: made.id,
    ...(claim.spec.volumeMode !== 'Block' && fsType !== '' ? { fsType } : {}),
    ...(isReadOnly ? { readOnly: true } : {}),
    volumeAttributes: { [PROVISIONER_IDENTITY]: identity, ...made.context },
    ...(secrets.controllerPublish ? { controllerPublishSecretRef: secrets.controllerPublish } : {}),
    ...(secrets.nodeStage ? { nodeStageSecretRef: secrets.nodeStage } : {}),
    ...(secrets.nodePublish ? { nodePublishSecretRef: secrets.nodePublish } : {}),
    ...(secrets.controllerExpand ? { controllerExpandSecretRef: secrets.controllerExpand } : {}),
    ...(secrets.nodeExpand ? { nodeExpandSecretRef: secrets.nodeExpand } : {}),
  }
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

function claimRefOf({ metadata: { namespace, name, uid, resourceVersion } }: PersistentVolumeClaim): ObjectReference {
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    ...(namespace ? { namespace } : {}),
    ...(name ? { name } : {}),
    ...(uid ? { uid } : {}),
    ...(resourceVersion ? { resourceVersion } : {}),
  }
}

/**
 * Whether a PersistentVolume that is there already is the one we were about to write. One that is leaving, or belongs to a volume from
 * before, only has the same name: the volume that was made meanwhile would be forgotten.
 */
export function isSameVolume(stored: PersistentVolume, ours: PersistentVolume): boolean {
  return (
    stored.metadata.deletionTimestamp === undefined &&
    stored.spec.csi?.driver === ours.spec.csi?.driver &&
    stored.spec.csi?.volumeHandle === ours.spec.csi?.volumeHandle &&
    stored.spec.claimRef?.uid === ours.spec.claimRef?.uid
  )
}
