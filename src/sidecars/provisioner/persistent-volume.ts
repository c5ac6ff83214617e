import type { PersistentVolume } from '../../api/kinds/persistent-volume.ts'
import { quantityOfBytes } from '../../api/quantity.ts'
import { withoutUndefined } from '../../base/without-undefined.ts'
import { VolumeCapability_AccessMode_Mode as CsiMode } from '../../csi/generated/csi/v1/csi.ts'
import { claimReferenceTo } from '../../storage/claim-reference.ts'
import {
  classNameOf,
  MODIFY_SECRET_NAME,
  MODIFY_SECRET_NAMESPACE,
  PROVISIONED_BY,
  VOLUME_FINALIZER,
} from '../../storage/names.ts'
import { attacherFinalizer } from '../attacher-finalizer.ts'
import type { MadeVolume } from './judge-create-result.ts'
import { DELETION_SECRET_NAME, DELETION_SECRET_NAMESPACE, PROVISIONER_IDENTITY } from './names.ts'
import type { ProvisionPlan } from './provision-view.ts'
import type { ProvisionSettings } from './provisioner-options.ts'
import type { SecretRefs } from './resolve-secret-ref.ts'
import { findNodeAffinity } from './topology.ts'

export type VolumeOptions = Pick<ProvisionSettings, 'identity' | 'controllerPublishReadonly' | 'attacherFinalizer'>

/** The PersistentVolume for the created volume, with the claim reference from the start. */
export function persistentVolumeOf(
  plan: ProvisionPlan,
  made: MadeVolume,
  options: VolumeOptions,
  isAttached: boolean,
): PersistentVolume {
  const { claim, secrets } = plan
  const { accessModes, volumeMode, volumeAttributesClassName } = claim.spec
  const { reclaimPolicy, mountOptions, provisioner } = plan.class
  // A retained volume needs no finalizer of ours, and removing it again would cost a write.
  const finalizers = [
    ...(reclaimPolicy === 'Delete' ? [VOLUME_FINALIZER] : []),
    ...(options.attacherFinalizer && isAttached ? [attacherFinalizer(provisioner)] : []),
  ]
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: withoutUndefined({
      name: plan.request.name,
      annotations: { [PROVISIONED_BY]: provisioner, ...secretAnnotations(secrets) },
      finalizers: finalizers.length > 0 ? finalizers : undefined,
    }),
    spec: withoutUndefined({
      capacity: { storage: quantityOfBytes(made.capacityBytes) },
      accessModes,
      volumeMode,
      mountOptions: mountOptions?.length ? mountOptions : undefined,
      persistentVolumeReclaimPolicy: reclaimPolicy,
      storageClassName: classNameOf(claim),
      claimRef: claimReferenceTo(claim),
      volumeAttributesClassName: volumeAttributesClassName || undefined,
      // Without topology, no affinity is written.
      nodeAffinity: plan.topology ? findNodeAffinity(made.accessibleTopology) : undefined,
      csi: withoutUndefined({
        driver: provisioner,
        volumeHandle: made.id,
        fsType: volumeMode === 'Block' ? undefined : plan.fsType || undefined,
        readOnly: (options.controllerPublishReadonly && isOnlyRead(plan)) || undefined,
        volumeAttributes: { [PROVISIONER_IDENTITY]: options.identity, ...made.context },
        controllerPublishSecretRef: secrets.controllerPublish,
        nodeStageSecretRef: secrets.nodeStage,
        nodePublishSecretRef: secrets.nodePublish,
        controllerExpandSecretRef: secrets.controllerExpand,
        nodeExpandSecretRef: secrets.nodeExpand,
      }),
    }),
  }
}

const isOnlyRead = ({ request: { volumeCapabilities: capabilities } }: ProvisionPlan): boolean =>
  capabilities.length === 1 && capabilities[0]?.accessMode?.mode === CsiMode.MULTI_NODE_READER_ONLY

// Empty means that deletion needs no secret; absent would mean: use the class, which may be deleted or replaced by then.
function secretAnnotations({ provisioner, controllerModify }: SecretRefs): Readonly<Record<string, string>> {
  return {
    [DELETION_SECRET_NAME]: provisioner?.name ?? '',
    [DELETION_SECRET_NAMESPACE]: provisioner?.namespace ?? '',
    ...(controllerModify
      ? { [MODIFY_SECRET_NAME]: controllerModify.name, [MODIFY_SECRET_NAMESPACE]: controllerModify.namespace }
      : {}),
  }
}

/**
 * Whether an existing PersistentVolume is the one we were about to create. One that is being deleted, or belongs to an earlier volume, only has the
 * same name: the volume that was created meanwhile would be lost.
 */
export function isSameVolume(stored: PersistentVolume, ours: PersistentVolume): boolean {
  return (
    stored.metadata.deletionTimestamp === undefined &&
    stored.spec.csi?.driver === ours.spec.csi?.driver &&
    stored.spec.csi?.volumeHandle === ours.spec.csi?.volumeHandle &&
    stored.spec.claimRef?.uid === ours.spec.claimRef?.uid
  )
}
